// The metadata of distributed checkpoints, and the ranges that it refers to.

package scan

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A place is the position of a value: a file, an offset and a length.
type place struct {
	file           string
	offset, length int32
}

// metadata returns a pickle of positions, as torch.distributed.checkpoint writes them.
func metadata(places ...place) []byte {
	b := []byte("\x80\x04]")
	text := func(s string) { b = append(append(b, 0x8c, byte(len(s))), s...) }
	number := func(n int32) { b = binary.LittleEndian.AppendUint32(append(b, 'J'), uint32(n)) }
	for _, p := range places {
		text("torch.distributed.checkpoint.filesystem")
		text("_StorageInfo")
		b = append(b, "\x93)\x81}("...)
		text("relative_path")
		text(p.file)
		text("offset")
		number(p.offset)
		text("length")
		number(p.length)
		b = append(b, "uba"...)
	}
	return append(b, '.')
}

// A closer is a file in memory.
type closer struct{ *bytes.Reader }

// Close implements io.Closer.
func (closer) Close() error { return nil }

func TestDistributedMetadata(t *testing.T) {
	archive := checkpoint(t)
	n := int32(len(archive))
	shard := bytes.Repeat(archive, 3)
	s := &Scanner{Beside: func(name string) (File, int64, error) {
		switch name {
		case "a.distcp":
			return closer{bytes.NewReader(shard)}, int64(len(shard)), nil
		case "one.distcp":
			return closer{bytes.NewReader(archive)}, int64(n), nil
		case "error.distcp":
			return nil, 0, io.ErrClosedPipe
		}
		return nil, 0, nil
	}}
	for _, places := range [][]place{
		{{"a.distcp", 0, n}, {"a.distcp", n, n}, {"a.distcp", 2 * n, n}},
		{{"a.distcp", 2 * n, n}, {"one.distcp", 0, n}, {"a.distcp", 0, n}, {"a.distcp", n, n}},
		{{"other.distcp", 0, 10}, {"other.distcp", 10, 5}},
	} {
		if r := scanned(t, s, metadata(places...), ".metadata"); r.Verdict != pickle.Safe {
			t.Errorf("%v is %v (%s)", places, r.Verdict, rules(r))
		}
	}
	var hostile [][]place
	for _, name := range []string{"../a.distcp", "/a.distcp", "b/a.distcp", `..\a.distcp`, "a.pt", "a.safetensors", "a", "c:a.distcp"} {
		hostile = append(hostile, []place{{name, 0, n}})
	}
	for i := int32(1); i < 100; i++ {
		hostile = append(hostile,
			[]place{{"other.distcp", i, 50}}, []place{{"other.distcp", 0, 100}, {"other.distcp", 100 - i, 50}},
			[]place{{"a.distcp", 0, i}, {"a.distcp", i, n - i}, {"a.distcp", n, n}, {"a.distcp", 2 * n, n}},
			[]place{{"one.distcp", 0, i}, {"one.distcp", i, n - i}})
	}
	hostile = append(hostile, []place{{"other.distcp", -1, 5}}, []place{{"other.distcp", 0, 0}})
	for _, places := range hostile {
		if r := scanned(t, s, metadata(places...), ".metadata"); r.Evidence < pickle.Suspicious {
			t.Errorf("%v is %v", places, r.Verdict)
		}
	}
	if _, err := s.Scan(bytes.NewReader(metadata(place{"error.distcp", 0, n})), int64(len(metadata(place{"error.distcp", 0, n}))), "x"); err != io.ErrClosedPipe {
		t.Errorf("the error is %v", err)
	}
	odd := fmt.Sprintf("\x80\x04\x8c\x27%s\x8c\x0c_StorageInfo\x93\x8c\x01aK\x00K\x01\x87R.", "torch.distributed.checkpoint.filesystem")
	if r := scanned(t, s, []byte(odd), ".metadata"); r.Verdict < pickle.Suspicious {
		t.Errorf("arguments are %v", r.Verdict)
	}
}
