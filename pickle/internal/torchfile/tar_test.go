// Members of version 0.1 archives, hand-written and from the corpus.

package torchfile

import (
	"io"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// Members as torch 0.1 wrote them: counts and descriptions are pickles, data is raw.
const (
	oneStorage = "\x80\x02K\x01." + "\x80\x02K\x07X\x03\x00\x00\x00cpuctorch\nFloatStorage\n\x87." +
		"\x02\x00\x00\x00\x00\x00\x00\x00" + "12345678" + "\x80\x02](K\x08K\x07K\x01K\x01ta."
	oneTensor = "\x80\x02K\x01." + "\x80\x02K\x09K\x07ctorch\nFloatTensor\n\x87." + "\x01\x00\x00\x00????" +
		"\x02\x00\x00\x00\x00\x00\x00\x00" + "\x01\x00\x00\x00\x00\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00"
)

// member reads a member with one of the two functions.
func member(t testing.TB, read func(io.ReaderAt, int64, *pickle.Options) (*Member, error), text string) *Member {
	t.Helper()
	m, err := read(strings.NewReader(text), int64(len(text)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOldStorages(t *testing.T) {
	m := member(t, ReadStorages, oneStorage)
	if !m.Complete || len(m.Blocks) != 1 || m.End != int64(len(oneStorage)) || len(m.Faults) > 0 {
		t.Fatalf("%+v", m)
	}
	if b := m.Blocks[0]; b.Key != "7" || b.Class != "FloatStorage" || b.Count != 2 || b.Size != 8 ||
		string(b.Head) != "12345678" {
		t.Errorf("%+v", b)
	}
	if v := m.Views[0]; v != (TarView{Key: "8", Root: "7", Offset: 1, Elements: 1}) {
		t.Errorf("%+v", v)
	}
}

func TestOldTensors(t *testing.T) {
	m := member(t, ReadTensors, oneTensor)
	if !m.Complete || len(m.Tensors) != 1 || m.End != int64(len(oneTensor)) {
		t.Fatalf("%+v", m)
	}
	if tensor := m.Tensors[0]; tensor.Key != "9" || tensor.Storage != "7" || tensor.Class != "FloatTensor" ||
		tensor.Shape[0] != 2 || tensor.Strides[0] != 1 || tensor.Offset != 0 {
		t.Errorf("%+v", tensor)
	}
}

// A truncated member is not complete; what precedes the end is returned.
func TestOldMembersCutOff(t *testing.T) {
	for n := range len(oneStorage) {
		if m := member(t, ReadStorages, oneStorage[:n]); m.Complete || m.End > int64(n) {
			t.Errorf("of %d bytes all is there: %+v", n, m)
		}
	}
	for n := range len(oneTensor) {
		if m := member(t, ReadTensors, oneTensor[:n]); m.Complete || m.End > int64(n) {
			t.Errorf("of %d bytes all is there: %+v", n, m)
		}
	}
	// Claimed counts are not trusted.
	if m := member(t, ReadStorages, "\x80\x02J\xff\xff\xff\x7f."); m.Complete || len(m.Faults) != 1 {
		t.Errorf("%+v", m)
	}
	if m := member(t, ReadTensors, strings.Replace(oneTensor, "\x01\x00\x00\x00????", "\xff\xff\xff\x7f????",
		1)); m.Complete || len(m.Faults) != 1 {
		t.Errorf("%+v", m)
	}
}
