// Archives of version 0.1: a tar file with the storages, the tensors and the object.

package torchfile

import (
	"cmp"
	"encoding/binary"
	"io"
	"strconv"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// A Member is a member of an archive of version 0.1, laid out.
type Member struct {
	// Graphs are the pickles of the member, in its order.
	Graphs []*pickle.Graph
	// Offsets are where each of them begins in the member.
	Offsets []int64
	// Blocks are the numbers of storages, of the member "storages".
	Blocks []Block
	// Tensors are those of the member "tensors".
	Tensors []TarTensor
	// Views are the parts of storages that count as storages by themselves.
	Views []TarView
	End   int64 // the offset after the last that belongs to the format
	// Complete says whether all was there.
	Complete bool
	Faults   []Fault
}

// A TarTensor is a tensor of such an archive: a view of a storage.
type TarTensor struct {
	Key, Storage string
	Class        string // as in "FloatTensor"
	Shape        []int64
	Strides      []int64
	Offset       int64 // in elements
}

// A TarView is a part of a storage with a key of its own.
type TarView struct {
	Key, Root        string
	Offset, Elements int64
}

// A memberReader is a Member that is being read, from front to back.
type memberReader struct {
	*Member
	faults
	r    io.ReaderAt
	size int64
	opts pickle.Options

	work, memory int64 // what is left of the budgets for pickles
}

// usualPickle is how many bytes such pickles have at most, but for the object: a key, and
// names of places and classes.
const usualPickle = 1 << 10

// ReadStorages reads the member "storages": a count, then for each storage a pickle
// with its key, location and class, its count in eight bytes and its numbers; then a
// pickle with views. The pickles are judged by o. The error is of reading r.
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

// ReadTensors reads the member "tensors": a count, then for each tensor a pickle with
// its key, its storage's and its class; its number of dimensions in four bytes and
// four that mean nothing; sizes, strides and offset in eight each.
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

// pickle reads the next pickle, and returns its value. It returns false if there is
// none that ends as one should.
func (m *memberReader) pickle() (v pickle.Value, ok bool, err error) {
	if m.work <= 0 || m.memory <= 0 {
		m.add(pickle.RuleBudget, m.End, "the budget of instructions or memory is spent at %d, and what follows was not looked at", m.End)
		return v, false, nil
	}
	m.opts.MaxOpcodes, m.opts.MaxMemory = m.work, m.memory
	size := min(m.size-m.End, usualPickle)
	g, err := pickle.Load(io.NewSectionReader(m.r, m.End, size), size, &m.opts)
	if err == nil && size < m.size-m.End && (len(g.Report.Streams) == 0 || !g.Report.Streams[0].Stopped) {
		size = m.size - m.End // it is not as short as they are
		g, err = pickle.Load(io.NewSectionReader(m.r, m.End, size), size, &m.opts)
	}
	if err != nil {
		return v, false, err
	}
	const each = 32 << 10 // bytes, and half as many instructions, that a graph takes at least
	m.work, m.memory = m.work-max(g.Report.Spent, each/16), m.memory-g.Report.Memory-each
	m.Graphs, m.Offsets = append(m.Graphs, g), append(m.Offsets, m.End)
	roots := g.Roots()
	if len(roots) == 0 || !g.Report.Streams[0].Stopped {
		m.add(pickle.RuleTruncated, m.End, "a pickle is due, and none ends")
		return v, false, nil
	}
	m.End += g.Report.End
	return roots[0], true, nil
}

// count reads how many of something follow. Each is a pickle, and has two bytes at
// least.
func (m *memberReader) count() (int64, bool, error) {
	v, ok, err := m.pickle()
	n, isInt := v.Int()
	if ok && (!isInt || n < 0 || n > m.size/2) {
		m.add(pickle.RuleType, 0, "a count is a %s of a value that it cannot have", v.Kind())
		ok = false
	}
	return n, ok, err
}

// bytes reads n bytes.
func (m *memberReader) bytes(n int64) ([]byte, bool, error) {
	if n > m.size-m.End {
		m.add(pickle.RuleTruncated, m.End, "%d bytes are due, and %d are left", n, m.size-m.End)
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
		m.add(RuleStorageSize, block.Begin, "the storage %s has %d elements of %s, and %d bytes are left", wording.Quote(s.Key), block.Count, wording.Quote(s.Class), m.size-m.End)
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

// keyOf returns a key, which was a number then.
func keyOf(v pickle.Value) string {
	if n, ok := v.Int(); ok {
		return strconv.FormatInt(n, 10)
	}
	s, _ := v.Str()
	return s
}

// views reads the views of storages: a list of (key, root's key, offset, elements).
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
		m.add(RuleShape, m.End, "the tensor %s has %d dimensions", wording.Quote(t.Key), dims)
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
