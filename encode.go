// Encoding: the order of tensors in a file, and its header.

package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"

	"github.com/weightools/safetensors/internal/clamp"
	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/num"
)

// An Encoder writes files with options. The zero Encoder has the defaults,
// which Encode and WriteFile use. It may be used by several goroutines at once.
type Encoder struct {
	// Metadata is the file's "__metadata__"; nil means none. Its keys are
	// sorted, unlike in the reference implementation, which writes them in
	// random order.
	Metadata map[string]string

	// KeepOrder keeps tensors in the given order, in the data and in the
	// header.
	KeepOrder bool

	// Align is the alignment of the data in bytes, a power of two up to 1 MiB.
	// The header is padded with spaces to reach it. 0 means 8.
	Align int

	// Slack adds spaces after Metadata, unless that is nil, to let it grow
	// in place: up to the next multiple of 4 KiB of the file that is at least
	// 256 bytes away. See package edit.
	Slack bool
}

const (
	slackBlock = 4 << 10
	leastSlack = 256 // bytes: enough for a key and a sentence
)

// maxAlign is the largest Encoder.Align. Pages and disk blocks are smaller, and
// readers limit the header including its padding.
const maxAlign = 1 << 20

// Encode writes tensors to w as one file in canonical form: ordered by dtype,
// wide before narrow, then by name, with the data at a multiple of 8. For equal
// tensors the reference implementation writes the same bytes.
//
// It reads each tensor once, from start to end, through a buffer of 512 KiB. If
// the tensors cannot form a valid file, the error is a *Violation and nothing
// is written: the dtype must be one of [Dtypes], and the size must match dtype
// and shape. If a source has a method Size, as [bytes.Reader] has, that must
// match too. A source that ends early is an error that leaves part of the file
// in w: see [WriteFile].
func Encode(w io.Writer, tensors ...*Tensor) error { return new(Encoder).Encode(w, tensors...) }

// Encode is [Encode] with the options of e.
func (e *Encoder) Encode(w io.Writer, tensors ...*Tensor) error {
	l, err := e.lay(tensors)
	if err != nil {
		return err
	}
	return l.write(w)
}

// Plan returns the header of the file that Encode would write. It does not read
// the tensors, so it cannot check that they have their bytes. The file has
// DataStart bytes plus the sizes of its tensors.
func (e *Encoder) Plan(tensors ...*Tensor) (*Header, error) {
	l, err := e.lay(tensors)
	if err != nil {
		return nil, err
	}
	return l.header, nil
}

// A layout is a file that is about to be written.
type layout struct {
	header  *Header
	start   []byte    // the file up to the data
	tensors []*Tensor // in the order of the data
	size    int64     // of the file
}

// lay returns the layout of a file with the tensors.
func (e *Encoder) lay(tensors []*Tensor) (*layout, error) {
	align, err := e.align()
	if err != nil {
		return nil, err
	}
	for i, t := range tensors {
		if err := encodable(i, t); err != nil {
			return nil, err
		}
	}
	if !e.KeepOrder {
		tensors = canonical(tensors)
	}
	h := &Header{Metadata: e.Metadata, Tensors: make([]TensorInfo, len(tensors))}
	var end int64
	for i, t := range tensors {
		begin := end
		if end += t.Size(); end < 0 {
			return nil, violation(RuleOverflow, t.Name, Span{},
				"tensor %s begins at %d and has %d bytes: too many for a file", quote(t.Name), begin, t.Size())
		}
		h.Tensors[i] = TensorInfo{Name: t.Name, Dtype: t.Dtype, Shape: t.Shape, Offsets: Span{begin, end}}
	}
	start, err := h.appendStart(align, e.Slack)
	if err != nil {
		return nil, err
	}
	h, err = reread(start, end)
	if err != nil {
		return nil, err
	}
	return &layout{h, start, tensors, h.DataStart() + end}, nil
}

// align returns the alignment of the data.
func (e *Encoder) align() (int, error) {
	if e.Align == 0 {
		return 8, nil
	}
	if e.Align < 0 || e.Align > maxAlign || bits.OnesCount(uint(e.Align)) != 1 {
		return 0, fmt.Errorf("safetensors: Encoder.Align is %d, expected a power of two up to %d", e.Align, maxAlign)
	}
	return e.Align, nil
}

// encodable returns an error of the i-th tensor that the header would not show,
// or would show without naming the tensor.
func encodable(i int, t *Tensor) error {
	switch {
	case t == nil:
		return fmt.Errorf("safetensors: tensor %d of those to encode is nil", i)
	case t.Size() < 0:
		return violation(RuleOffsets, t.Name, Span{},
			"tensor %s begins at %d, after its end at %d", quote(t.Name), t.Offsets.Begin, t.Offsets.End)
	case t.ReaderAt == nil && t.Size() > 0:
		return fmt.Errorf("safetensors: tensor %s has no ReaderAt for its %d bytes", quote(t.Name), t.Size())
	}
	// Some sources know their length.
	if s, ok := t.ReaderAt.(interface{ Size() int64 }); ok && s.Size() != t.Size() {
		return violation(RuleTensorSize, t.Name, Span{},
			"tensor %s has %d bytes, but its source has %d", quote(t.Name), t.Size(), s.Size())
	}
	return nil
}

// canonical returns tensors in the order of the reference implementation.
// Unknown dtypes come last.
func canonical(tensors []*Tensor) []*Tensor {
	type ranked struct {
		*Tensor
		rank int
	}
	order := make([]ranked, len(tensors))
	for i, t := range tensors {
		order[i] = ranked{t, num.Rank(string(t.Dtype))}
	}
	slices.SortFunc(order, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.Name, b.Name))
	})
	sorted := make([]*Tensor, len(tensors))
	for i := range order {
		sorted[i] = order[i].Tensor
	}
	return sorted
}

// appendStart sets h.Size such that the data begins at a multiple of align, and
// returns the file up to there. If slack, it adds spaces after the metadata.
func (h *Header) appendStart(align int, slack bool) ([]byte, error) {
	const entry = 96 // bytes in addition to the name: most entries have fewer
	room := lengthSize
	for i := range h.Tensors {
		room += len(h.Tensors[i].Name) + entry
	}
	b, err := h.appendMetadata(make([]byte, lengthSize, room))
	if err != nil {
		return nil, err
	}
	if slack && h.Metadata != nil {
		b = appendSpaces(b, roundUp(len(b)+leastSlack, slackBlock))
	}
	if b, err = h.appendEntries(b); err != nil {
		return nil, err
	}
	end := roundUp(len(b), align)
	h.Size = int64(end) - lengthSize
	if h.Size > MaxHeaderSize {
		return nil, headerTooLarge(h.Size, MaxHeaderSize)
	}
	b = appendSpaces(b, end)
	binary.LittleEndian.PutUint64(b, uint64(h.Size))
	return b, nil
}

// roundUp returns the first multiple of a power of two that is not less than n.
func roundUp(n, power int) int { return (n + power - 1) &^ (power - 1) }

// reread parses the header of a file that begins with start and has that many
// bytes of data. So writers follow every rule of readers.
func reread(start []byte, data int64) (*Header, error) {
	size := clamp.Add(int64(len(start)), data)
	if size == math.MaxInt64 {
		return nil, violation(RuleOverflow, "", Span{}, "the tensors have %d bytes: too many for a file", data)
	}
	text, err := header.ReadText(bytes.NewReader(start), int64(len(start)-lengthSize), nil)
	if err != nil {
		return nil, err
	}
	result := plainOpener.parser(false).Parse(text, size)
	report := newReport(&result, int64(len(start)-lengthSize))
	if v := report.First(Nonconforming); v != nil {
		return nil, v
	}
	return report.Header, nil
}
