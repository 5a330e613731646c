// Arrow files and streams.

package columnar

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/flatbuf"
)

// ArrowMagic is the beginning and end of an Arrow file.
const ArrowMagic = "ARROW1"

// marker is what precedes the length of a message in a stream since Arrow 0.15.
const marker = 0xffffffff

// IsStream reports whether head is the beginning of a stream: the marker and a length.
func IsStream(head []byte) bool {
	return len(head) > 16 && binary.LittleEndian.Uint32(head) == marker && head[7] == 0 && head[4]&7 == 0 &&
		binary.LittleEndian.Uint32(head[4:]) > 8
}

// Arrow analyzes an Arrow file or stream. It returns the pickles that are extension types.
func Arrow(file io.ReaderAt, size int64, head []byte, spend func(int64) bool) (*evidence.Report, [][]byte, error) {
	r := &reader{Report: &evidence.Report{Format: "arrow"}}
	f := flatbuf.NewFile(file, size, spend)
	var err error
	if IsStream(head) {
		err = r.stream(f, 0)
	} else {
		err = r.file(file, f, size)
	}
	if errors.Is(err, flatbuf.ErrInvalid) && IsStream(head) {
		return new(evidence.Report), nil, nil // it only begins like a stream
	}
	if errors.Is(err, flatbuf.ErrInvalid) {
		r.Incomplete, err = "the Arrow file is damaged", nil
	}
	return r.Report, r.pickles, err
}

// file examines both schemas of a file, in its stream and in its footer.
func (r *reader) file(in io.ReaderAt, f *flatbuf.File, size int64) error {
	const aligned, tail = 8, 4 + len(ArrowMagic)
	if err := r.stream(f, aligned); err != nil {
		return err
	}
	b := make([]byte, tail)
	if size < 2*aligned+int64(tail) {
		return flatbuf.ErrInvalid
	}
	if n, err := in.ReadAt(b, size-int64(tail)); n < tail {
		return err
	}
	begin := size - int64(tail) - int64(binary.LittleEndian.Uint32(b))
	if string(b[4:]) != ArrowMagic || begin < aligned {
		return flatbuf.ErrInvalid
	}
	footer, err := f.Root(begin)
	if err != nil {
		return err
	}
	schema, err := footer.Table(1)
	if err != nil {
		return err
	}
	return r.schema(schema)
}

// stream examines the first message of a stream, which is the schema.
func (r *reader) stream(f *flatbuf.File, at int64) error {
	n, err := f.Uint32(at)
	if err != nil {
		return err
	}
	if n == marker {
		at += 4
	}
	return r.message(f, at+4)
}
