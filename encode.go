// Encoding: in what order tensors stand in a file, and what its header says.

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
	"unicode/utf8"

	"github.com/weightools/safetensors/internal/header"
	"github.com/weightools/safetensors/internal/num"
)

// An Encoder writes files in a form of one's choice. The zero Encoder is that
// of Encode. It is for any number of goroutines at once.
type Encoder struct {
	// Metadata becomes the file's "__metadata__", unless it is nil. Its keys are
	// sorted; the reference implementation writes them in a random order. An
	// empty map becomes an empty object, in a file without tensors too, where
	// the reference writes a header that nobody can read.
	Metadata map[string]string

	// KeepOrder lays tensors out in the order in which they are given, and lists
	// them so in the header.
	KeepOrder bool

	// Align is the power of two, in bytes and up to 1 MiB, at a multiple of which
	// the data begins. The header is padded with spaces to get there. 0 means 8.
	Align int

	// Slack leaves room for Metadata that grows, unless it is nil: spaces after it,
	// up to the next multiple of 4 KiB of the file that is 256 bytes away or more.
	// White space there is JSON like any other. See package edit for what it is for.
	Slack bool
}

const (
	slackBlock = 4 << 10
	leastSlack = 256 // bytes: room for a key and a sentence
)

// maxAlign is the largest Encoder.Align. Pages and the blocks of disks are
// smaller, and readers have a limit for headers, padding included.
const maxAlign = 1 << 20

// Encode writes tensors to w as one file, in canonical form: ordered by dtype,
// wide before narrow, and then by name, with the data at a multiple of 8. For
// the same tensors these are, byte for byte, the files of the reference
// implementation.
//
// It reads each tensor once, from front to back, and holds no more than a
// buffer of 512 KiB of it. Nothing is written if the tensors cannot make a file:
// the error is then a *Violation, as readers would find it. The dtype has to be
// one of [Dtypes], the size the one that dtype and shape make; and if a source
// has a method Size, as a [bytes.Reader] has, that has to be the size. A source
// that ends before its tensor does is an error, too, but by then w has a part of
// the file: see [WriteFile].
func Encode(w io.Writer, tensors ...*Tensor) error { return new(Encoder).Encode(w, tensors...) }

// Encode is [Encode] in e's way.
func (e *Encoder) Encode(w io.Writer, tensors ...*Tensor) error {
	l, err := e.lay(tensors)
	if err != nil {
		return err
	}
	return l.write(w)
}

// Plan returns the header of the file that Encode would write. It reads no
// tensor, and so cannot tell whether each has the bytes that it claims. The file
// takes DataStart bytes, and those of its tensors.
func (e *Encoder) Plan(tensors ...*Tensor) (*Header, error) {
	l, err := e.lay(tensors)
	if err != nil {
		return nil, err
	}
	return l.header, nil
}

// A layout is a file that has yet to be written.
type layout struct {
	header  *Header
	start   []byte    // the file up to the data
	tensors []*Tensor // in the order of the data
	size    int64     // of the file
}

// lay returns the file that the tensors make.
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
				"tensor %s begins at %d and has %d bytes: so many do not fit a file", quote(t.Name), begin, t.Size())
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

// align returns what the data's start is to be a multiple of.
func (e *Encoder) align() (int, error) {
	if e.Align == 0 {
		return 8, nil
	}
	if e.Align < 0 || e.Align > maxAlign || bits.OnesCount(uint(e.Align)) != 1 {
		return 0, fmt.Errorf("safetensors: Encoder.Align is %d, and a power of two up to %d is due", e.Align, maxAlign)
	}
	return e.Align, nil
}

// encodable says what is wrong with the i-th tensor that the header it makes
// would not show, or would show without saying whose fault it is.
func encodable(i int, t *Tensor) error {
	switch {
	case t == nil:
		return fmt.Errorf("safetensors: of the tensors to encode, that at index %d is nil", i)
	case !utf8.ValidString(t.Name):
		return violation(RuleUTF8, t.Name, Span{}, "the name %s is not UTF-8", quote(t.Name))
	case t.Size() < 0:
		return violation(RuleOffsets, t.Name, Span{},
			"tensor %s begins at %d, after its end at %d", quote(t.Name), t.Offsets.Begin, t.Offsets.End)
	case t.ReaderAt == nil && t.Size() > 0:
		return fmt.Errorf("safetensors: tensor %s has no ReaderAt to read its %d bytes from", quote(t.Name), t.Size())
	}
	// Of most sources the length is known when they end, and of some before.
	if s, ok := t.ReaderAt.(interface{ Size() int64 }); ok && s.Size() != t.Size() {
		return violation(RuleTensorSize, t.Name, Span{},
			"tensor %s is to have %d bytes, and its source has %d", quote(t.Name), t.Size(), s.Size())
	}
	return nil
}

// canonical returns tensors in the order of the reference implementation. An
// unknown dtype comes last.
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

// appendStart sets h.Size so that the data begins at a multiple of align, and
// returns the file up to there. It leaves slack if that is asked for.
func (h *Header) appendStart(align int, slack bool) ([]byte, error) {
	for k, v := range h.Metadata {
		if !utf8.ValidString(k) || !utf8.ValidString(v) {
			return nil, violation(RuleUTF8, "", Span{}, "__metadata__ has %s: %s, which is not UTF-8", quote(k), quote(v))
		}
	}
	const entry = 96 // bytes besides the name: most entries of models have fewer
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

// appendSpaces appends spaces to b until it has size bytes.
func appendSpaces(b []byte, size int) []byte {
	return append(b, bytes.Repeat([]byte{' '}, size-len(b))...)
}

// reread reads the header of a file that begins with start, and has that many
// bytes of data. So every rule that readers go by is one that writers keep, and
// there is one place where it stands.
func reread(start []byte, data int64) (*Header, error) {
	size := header.Add(int64(len(start)), data)
	if size == math.MaxInt64 {
		return nil, violation(RuleOverflow, "", Span{}, "the tensors have %d bytes: so many do not fit a file", data)
	}
	text, err := header.ReadText(bytes.NewReader(start), int64(len(start)-lengthSize))
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
