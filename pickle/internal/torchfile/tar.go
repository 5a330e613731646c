// Archives of version 0.1: a tar file with storages, tensors and an object.

package torchfile

import (
	"cmp"
	"encoding/binary"
	"io"
	"strconv"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A Member is a parsed member of an archive of version 0.1.
type Member struct {
	// Graphs are the pickles of the member, in file order.
	Graphs []*pickle.Graph
	// Offsets are the offsets of the pickles within the member.
	Offsets []int64
	// Blocks locate the data of the member "storages".
	Blocks []Block
	// Tensors are the tensors of the member "tensors".
	Tensors []TarTensor
	// Views are the parts of storages that act as storages.
	Views []TarView
	End   int64 // the offset after the last recognized byte
	// Complete reports whether nothing is missing.
	Complete bool
	Faults   []Fault
}

// A TarTensor is a tensor of such an archive, a view of a storage.
type TarTensor struct {
	Key, Storage string
	Class        string // for example "FloatTensor"
	Shape        []int64
	Strides      []int64
	Offset       int64 // in elements
}

// A TarView is a part of a storage with its own key.
type TarView struct {
	Key, Root        string
	Offset, Elements int64
}

// A memberReader reads a Member sequentially.
type memberReader struct {
	*Member
	faults
	r    io.ReaderAt
	size int64
	opts pickle.Options

	work, memory int64 // remaining budgets for pickles
}

// usualPickle is the maximum size of most pickles in a member: a key and names of devices and classes.
const usualPickle = 1 << 10

// ReadStorages reads the member "storages": a count; for each storage a pickle with its key, location and class, the
// number of elements in eight bytes, and the data; then a pickle with the views. It analyzes the pickles with o. The
// error is a read error.
func ReadStorages(r io.ReaderAt, size int64, o *pickle.Options) (*Member, error) {
	m := newMemberReader(r, size, o)
	n, ok, err := m.count()
	for ; ok && err == nil && n > 0; n-- {
		ok, err = m.storage()
	}
	if ok && err == nil {
		ok, err = m.views()
	}
	m.Complete, m.Faults = ok, m.list
	return m.Member, err
}

// ReadTensors reads the member "tensors": a count; for each tensor a pickle with its key, the storage's key and its
// class, the number of dimensions in four bytes, four unused bytes, and sizes, strides and offset in eight bytes each.
func ReadTensors(r io.ReaderAt, size int64, o *pickle.Options) (*Member, error) {
	m := newMemberReader(r, size, o)
	n, ok, err := m.count()
	for ; ok && err == nil && n > 0; n-- {
		ok, err = m.tensor()
	}
	m.Complete, m.Faults = ok, m.list
	return m.Member, err
}

func newMemberReader(r io.ReaderAt, size int64, o *pickle.Options) *memberReader {
	m := &memberReader{Member: new(Member), r: r, size: size}
	if o != nil {
		m.opts = *o
	}
	m.opts.MaxStreams, m.opts.NoSweep = 1, true
	m.work, m.memory = cmp.Or(m.opts.MaxOpcodes, 50_000_000), cmp.Or(m.opts.MaxMemory, 256<<20)
	return m
}

// pickle reads the next pickle and returns its value; ok is false if it is not terminated.
func (m *memberReader) pickle() (v pickle.Value, ok bool, err error) {
	if m.work <= 0 || m.memory <= 0 {
		m.add(pickle.RuleBudget, m.End,
			"the instruction or memory budget is exhausted at %d; the rest was not analyzed",
			m.End)
		return v, false, nil
	}
	m.opts.MaxOpcodes, m.opts.MaxMemory = m.work, m.memory
	size := min(m.size-m.End, usualPickle)
	g, err := pickle.Load(io.NewSectionReader(m.r, m.End, size), size, &m.opts)
	if err == nil && size < m.size-m.End && (len(g.Report.Streams) == 0 || !g.Report.Streams[0].Stopped) {
		size = m.size - m.End // a larger one
		g, err = pickle.Load(io.NewSectionReader(m.r, m.End, size), size, &m.opts)
	}
	if err != nil {
		return v, false, err
	}
	const each = 32 << 10 // bytes that a graph uses at least, and twice the instructions
	m.work, m.memory = m.work-max(g.Report.Spent, each/16), m.memory-g.Report.Memory-each
	m.Graphs, m.Offsets = append(m.Graphs, g), append(m.Offsets, m.End)
	roots := g.Roots()
	if len(roots) == 0 || !g.Report.Streams[0].Stopped {
		m.add(pickle.RuleTruncated, m.End, "a pickle is missing or not terminated")
		return v, false, nil
	}
	m.End += g.Report.End
	return roots[0], true, nil
}

// count reads the number of entries that follow. Each is a pickle of at least two bytes.
func (m *memberReader) count() (int64, bool, error) {
	v, ok, err := m.pickle()
	n, isInt := v.Int()
	if ok && (!isInt || n < 0 || n > m.size/2) {
		m.add(pickle.RuleType, 0, "a count is invalid: a value of type %s", v.Kind())
		ok = false
	}
	return n, ok, err
}

// bytes reads n bytes.
func (m *memberReader) bytes(n int64) ([]byte, bool, error) {
	if n > m.size-m.End {
		m.add(pickle.RuleTruncated, m.End, "%d bytes are expected, but %d are left", n, m.size-m.End)
		return nil, false, nil
	}
	b := make([]byte, n)
	if got, err := m.r.ReadAt(b, m.End); got < len(b) {
		return nil, false, err
	}
	m.End += n
	return b, true, nil
}

// storage reads a storage.
func (m *memberReader) storage() (bool, error) {
	v, ok, err := m.pickle()
	if !ok || err != nil {
		return false, err
	}
	s := Storage{Key: keyOf(v.Item(0))}
	s.Location, _ = v.Item(1).Str()
	_, s.Class, _ = v.Item(2).Global()
	b, ok, err := m.bytes(8)
	if !ok || err != nil {
		return false, err
	}
	block := Block{Storage: s, Count: int64(binary.LittleEndian.Uint64(b)), Begin: m.End}
	block.Elements = block.Count
	size, known := block.Bytes()
	if !known || size > m.size-m.End {
		m.add(RuleStorageSize, block.Begin, "storage %s has %d elements of %s, but %d bytes are left",
			wording.Quote(s.Key), block.Count, wording.Quote(s.Class), m.size-m.End)
		return false, nil
	}
	block.Size = size
	head := make([]byte, min(size, 64))
	if n, err := m.r.ReadAt(head, block.Begin); n < len(head) {
		return false, err
	}
	block.Head = head
	m.End += size
	m.Blocks = append(m.Blocks, block)
	return true, nil
}

// keyOf returns a key, which can be a number.
func keyOf(v pickle.Value) string {
	if n, ok := v.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	s, _ := v.Str()
	return s
}

// views reads the views: a list of (key, key of the storage, offset, elements).
func (m *memberReader) views() (bool, error) {
	v, ok, err := m.pickle()
	if !ok || err != nil {
		return false, err
	}
	for item := range v.Items() {
		view := TarView{Key: keyOf(item.Item(0)), Root: keyOf(item.Item(1))}
		view.Offset, _ = item.Item(2).Int()
		view.Elements, _ = item.Item(3).Int()
		m.Views = append(m.Views, view)
	}
	return true, nil
}

// tensor reads a tensor.
func (m *memberReader) tensor() (bool, error) {
	v, ok, err := m.pickle()
	if !ok || err != nil {
		return false, err
	}
	t := TarTensor{Key: keyOf(v.Item(0)), Storage: keyOf(v.Item(1))}
	_, t.Class, _ = v.Item(2).Global()
	b, ok, err := m.bytes(8)
	if !ok || err != nil {
		return false, err
	}
	const most = 64
	dims := int64(int32(binary.LittleEndian.Uint32(b)))
	if dims < 0 || dims > most {
		m.add(RuleShape, m.End, "tensor %s has %d dimensions", wording.Quote(t.Key), dims)
		return false, nil
	}
	if b, ok, err = m.bytes(8 * (2*dims + 1)); !ok || err != nil {
		return false, err
	}
	for i := range dims {
		t.Shape = append(t.Shape, int64(binary.LittleEndian.Uint64(b[8*i:])))
		t.Strides = append(t.Strides, int64(binary.LittleEndian.Uint64(b[8*(dims+i):])))
	}
	t.Offset = int64(binary.LittleEndian.Uint64(b[16*dims:]))
	m.Tensors = append(m.Tensors, t)
	return true, nil
}
