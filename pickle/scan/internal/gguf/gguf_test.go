// Headers, whole and damaged.

package gguf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// texts collects the strings of a header.
type texts struct {
	found []string
	left  int64
}

func (t *texts) Text(key string, value []byte, element bool, at int64) {
	t.found = append(t.found, fmt.Sprintf("%s=%s %v @%d", key, value, element, at))
}

func (t *texts) Spend(n int64) bool {
	t.left -= n
	return t.left > 0
}

// example is a header with a string, an array of strings and a tensor.
func example() []byte {
	b := binary.LittleEndian.AppendUint32([]byte(Magic), 3)
	u64 := func(n uint64) { b = binary.LittleEndian.AppendUint64(b, n) }
	u32 := func(n uint32) { b = binary.LittleEndian.AppendUint32(b, n) }
	str := func(s string) {
		u64(uint64(len(s)))
		b = append(b, s...)
	}
	u64(1)
	u64(2)
	str("a")
	u32(typeString)
	str("b")
	str("c")
	u32(typeArray)
	u32(typeString)
	u64(2)
	str("d")
	str("e")
	str("w")
	u32(1)
	u64(4)
	u32(0)
	u64(0)
	for len(b)%32 > 0 {
		b = append(b, 0)
	}
	return append(b, make([]byte, 16)...)
}

func TestRead(t *testing.T) {
	b := example()
	got := &texts{left: 1 << 20}
	data, err := Read(bytes.NewReader(b), int64(len(b)), got)
	const want = "[a=b false @37 c=d true @71 c=e true @80]"
	if err != nil || fmt.Sprint(got.found) != want || data != int64(len(b)-16) {
		t.Errorf("%v, %d, %v, want %s", got.found, data, err, want)
	}
	for n := range len(b) - 16 - 31 {
		if _, err := Read(bytes.NewReader(b[:n]), int64(n), &texts{left: 1 << 20}); !errors.As(err, new(*Error)) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := Read(bytes.NewReader(b), int64(len(b)), &texts{left: 10}); !errors.Is(err, evidence.ErrBudget) {
		t.Error(err)
	}
}

// FuzzRead checks that any header ends.
func FuzzRead(f *testing.F) {
	f.Add(example())
	f.Fuzz(func(t *testing.T, b []byte) {
		got := &texts{left: 1 << 20}
		data, err := Read(bytes.NewReader(b), int64(len(b)), got)
		if err == nil && (data < 0 || data > int64(len(b))) {
			t.Errorf("data at %d of %d", data, len(b))
		}
		if len(got.found) > len(b) {
			t.Errorf("%d strings in %d bytes", len(got.found), len(b))
		}
	})
}
