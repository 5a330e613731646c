// Streams: the data is where the pickles say.

package torchfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// text is a BINUNICODE instruction.
func text(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }

// id is the persistent ID of a storage with the given number of elements, as an object.
func id(class, key string, elements byte) string {
	return "(" + text("storage") + "ctorch\n" + class + "\n" + text(key) + text("cpu") + "K" + string([]byte{elements}) +
		"NtQ"
}

// rebuilt is a tensor over a storage, with further arguments.
func rebuilt(storage, args string) string {
	return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + args + "tR"
}

// plain returns the arguments of a one-dimensional tensor at offset 0.
func plain(n byte) string { return "K\x00K" + string([]byte{n}) + "\x85K\x01\x85\x89}" }

// stream is a stream with an object, keys, and data.
func stream(object string, keys []string, rest ...string) []byte {
	list := "]"
	for _, key := range keys {
		list += text(key) + "a"
	}
	return []byte("\x80\x02" + binaryMagic + "\x80\x02M\xe9\x03." + "\x80\x02}." + "\x80\x02" + object + "." + "\x80\x02" +
		list + "." + strings.Join(rest, ""))
}

// numbers is the data of a storage: the count and n bytes.
func numbers(count, n int) string {
	return string(binary.LittleEndian.AppendUint64(nil, uint64(count))) + strings.Repeat("x", n)
}

// read reads a stream, and fails the test if it is not one.
func read(t testing.TB, b []byte) *Stream {
	t.Helper()
	s, err := ReadStream(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil || s == nil {
		t.Fatalf("%v, %v", s, err)
	}
	return s
}

// faultRules returns the distinct rules of faults.
func faultRules(list []Fault) string {
	var rules []string
	for _, f := range list {
		rules = append(rules, string(f.Rule))
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), " ")
}

func TestStream(t *testing.T) {
	object := "}" + text("a") + rebuilt(id("FloatStorage", "1", 2), plain(2)) + "s" + text("b") +
		rebuilt(id("HalfStorage", "0", 3), plain(3)) + "s"
	b := stream(object, []string{"0", "1"}, numbers(3, 6), numbers(2, 8))
	s := read(t, b)
	if !s.Complete || len(s.Faults) > 0 || s.End != int64(len(b)) || s.Object.Kind() != pickle.KindDict {
		t.Fatalf("%+v, %v", s, s.Faults)
	}
	// Six bytes of the first storage and eight of the second, each after a count of eight bytes.
	if got := []Block{s.Blocks[0], s.Blocks[1]}; got[0].Key != "0" || got[0].Begin != s.End-22 || got[0].Size != 6 ||
		got[1].Key != "1" || got[1].Begin != s.End-8 || got[1].Size != 8 || string(got[1].Head) != "xxxxxxxx" {
		t.Errorf("%+v", got)
	}
}

func TestStreamFaults(t *testing.T) {
	one := rebuilt(id("FloatStorage", "0", 2), plain(2))
	for _, tt := range []struct {
		name     string
		bytes    []byte
		rules    string
		complete bool
	}{
		{"sound", stream(one, []string{"0"}, numbers(2, 8)), "", true},
		{"more behind it", stream(one, []string{"0"}, numbers(2, 8), "more"), "", true},
		{"another count", stream(one, []string{"0"}, numbers(3, 12)), "storage-size-mismatch", true},
		{"a count that is too large", stream(one, []string{"0"}, numbers(-1, 8)), "storage-size-mismatch", false},
		{"cut off in the numbers", stream(one, []string{"0"}, numbers(2, 7)), "truncated", false},
		{"cut off before the numbers", stream(one, []string{"0"}), "truncated", false},
		{"a key of nothing", stream(one, []string{"1"}, numbers(2, 8)), "bad-storage-key", false},
		{"a key twice", stream(one, []string{"0", "0"}, numbers(2, 8), numbers(2, 8)), "bad-storage-key", false},
		{"no key", stream(one, nil), "bad-storage-key", false},
		{"two classes of one storage", stream("]"+one+"a"+rebuilt(id("LongStorage", "0", 2), plain(2))+"a", []string{"0"},
			numbers(2, 8)), "storage-type-conflict", true},
		{"a class that is not known", stream(rebuilt(id("OddStorage", "0", 2), plain(2)), []string{"0"}, numbers(2, 8)),
			"storage-size-mismatch", false},
		{"the magic as text", append([]byte("L119547037146038801333356L\n."),
			stream(one, []string{"0"}, numbers(2, 8))[2+len(binaryMagic):]...), "non-canonical-magic", true},
		{"another version", bytes.Replace(stream(one, []string{"0"}, numbers(2, 8)), []byte("M\xe9\x03."),
			[]byte("M\xea\x03."), 1), "non-canonical-magic", true},
	} {
		s := read(t, tt.bytes)
		if got := faultRules(s.Faults); got != tt.rules || s.Complete != tt.complete {
			t.Errorf("%s: %q, complete is %v, want %q, %v: %v", tt.name, got, s.Complete, tt.rules, tt.complete, s.Faults)
		}
	}
	if s, err := ReadStream(strings.NewReader("\x80\x02}."), 4, nil); s != nil || err != nil {
		t.Errorf("a pickle of something else is a stream: %v, %v", s, err)
	}
}

// A view of a storage has its own key.
func TestViews(t *testing.T) {
	view := "(" + text("storage") + "ctorch\nFloatStorage\n" + text("0") + text("cpu") + "K\x09" + text("v") +
		"K\x02K\x03\x87tQ"
	s := read(t, stream(rebuilt(view, plain(3)), []string{"0"}, numbers(9, 36)))
	if v := s.Blocks[0].View; v == nil || *v != (View{Key: "v", Offset: 2, Elements: 3}) || len(s.Faults) > 0 {
		t.Errorf("%+v, %v", v, s.Faults)
	}
}

// Tensor arguments that no writer produces.
func TestTensorFaults(t *testing.T) {
	four := id("FloatStorage", "0", 4)
	for _, tt := range []struct{ name, tensor, rules string }{
		{"sound", rebuilt(four, "K\x00K\x02K\x02\x86K\x02K\x01\x86\x89}"), ""},
		{"transposed", rebuilt(four, "K\x00K\x02K\x02\x86K\x01K\x02\x86\x89}"), ""},
		{"a part", rebuilt(four, "K\x02K\x02\x85K\x01\x85\x89}"), ""},
		{"expanded", rebuilt(four, "K\x00K\xffK\x04\x86K\x00K\x01\x86\x89}"), ""},
		{"a scalar", rebuilt(four, "K\x03))\x89}"), ""},
		{"nothing, from the end", rebuilt(four, "K\x04K\x00\x85K\x01\x85\x89}"), ""},
		{"a shape by torch.Size", rebuilt(four, "K\x00ctorch\nSize\nK\x04\x85\x85RK\x01\x85\x89}"), ""},
		{"two to a byte", rebuilt(id("QUInt4x2Storage", "0", 4), "K\x00K\x08\x85K\x01\x85\x89}"), ""},
		{"seven, two to a byte", rebuilt(id("QUInt4x2Storage", "0", 4), "K\x00K\x07\x85K\x01\x85\x89}"), ""},
		{"past the end, two to a byte", rebuilt(id("QUInt4x2Storage", "0", 4), "K\x00K\x09\x85K\x01\x85\x89}"), "tensor-out-of-range"},
		{"four to a byte", rebuilt(id("QUInt2x4Storage", "0", 4), "K\x00K\x10\x85K\x01\x85\x89}"), ""},
		{"past the end, four to a byte", rebuilt(id("QUInt2x4Storage", "0", 4), "K\x00K\x11\x85K\x01\x85\x89}"), "tensor-out-of-range"},
		{"past the end", rebuilt(four, "K\x01K\x04\x85K\x01\x85\x89}"), "tensor-out-of-range"},
		{"past the end by strides", rebuilt(four, "K\x00K\x03\x85K\x02\x85\x89}"), "tensor-out-of-range"},
		{"a size that is negative", rebuilt(four, "K\x00J\xff\xff\xff\xff\x85K\x01\x85\x89}"), "bad-shape"},
		{"more than can be counted",
			rebuilt(four, "K\x00\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x40K\x04\x86K\x00K\x00\x86\x89}"), "bad-shape"},
		{"a stride too few", rebuilt(four, "K\x00K\x02K\x02\x86K\x01\x85\x89}"), "bad-stride"},
		{"a stride that is negative", rebuilt(four, "K\x03K\x04\x85J\xff\xff\xff\xff\x85\x89}"), "bad-stride"},
		{"an offset that is negative", rebuilt(four, "J\xff\xff\xff\xffK\x04\x85K\x01\x85\x89}"), "type-error"},
		{"a size that is true", rebuilt(four, "K\x00\x88\x85K\x01\x85\x89}"), "type-error"},
		{"a shape that is a number", rebuilt(four, "K\x00K\x04K\x01\x85\x89}"), "type-error"},
		{"a storage that is a text", rebuilt(text("0"), plain(1)), "type-error"},
		{"arguments too few", rebuilt(four, "K\x00"), "type-error"},
		{"terabytes out of a byte", rebuilt(four, "K\x00J\x00\x00\x00\x40J\x00\x00\x00\x40\x86K\x00K\x00\x86\x89}"),
			"resource"},
	} {
		program := "\x80\x02" + tt.tensor + "."
		g, err := pickle.Load(strings.NewReader(program), int64(len(program)), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := faultRules(CheckTensors(g)); got != tt.rules {
			t.Errorf("%s: %q, want %q: %v", tt.name, got, tt.rules, CheckTensors(g))
		}
	}
}

func TestStorages(t *testing.T) {
	program := "\x80\x02]" + id("BFloat16Storage", "a", 3) + "a" + id("BFloat16Storage", "a", 3) + "a" + "(" +
		text("storage") + "ctorch\nFloatStorage\nK\x07" + text("cpu") + "K\x01tQa."
	g, err := pickle.Load(strings.NewReader(program), int64(len(program)), nil)
	if err != nil {
		t.Fatal(err)
	}
	list, faults := Storages(g)
	if len(list) != 1 || list[0].Key != "a" || list[0].Class != "BFloat16Storage" || list[0].Location != "cpu" ||
		list[0].ElementSize() != 2 {
		t.Errorf("%+v", list)
	}
	if n, ok := list[0].Bytes(); n != 6 || !ok {
		t.Errorf("%d bytes, %v", n, ok)
	}
	if faultRules(faults) != "bad-storage-key" {
		t.Errorf("%v", faults)
	}
}

// The pickles of PyTorch 1.13 account for every byte of its files.
func TestAgainstPyTorch(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/fixtures/nlpodyssey+gopickle/*[0-9].pt")
	if len(files) == 0 {
		t.Skip("the fixtures are not here")
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s := read(t, b)
		if !s.Complete || s.End != int64(len(b)) || len(s.Faults) > 0 || len(CheckTensors(s.Graph)) > 0 {
			t.Errorf("%s: complete is %v, ends at %d of %d: %v", filepath.Base(name), s.Complete, s.End, len(b), s.Faults)
		}
	}
}

func FuzzReadStream(f *testing.F) {
	one := rebuilt(id("FloatStorage", "0", 2), plain(2))
	f.Add(stream(one, []string{"0"}, numbers(2, 8)))
	f.Add(stream(one, []string{"0", "0"}, numbers(-1, 8)))
	whole := stream(one, []string{"0"}, numbers(2, 8))
	f.Add(whole[:len(whole)-2*4-7]) // ends within the number of elements
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ReadStream(bytes.NewReader(b), int64(len(b)), nil)
		if err != nil || s == nil {
			return
		}
		end := s.Graph.Report.End
		for _, block := range s.Blocks {
			if block.Begin != end+8 || block.Size < 0 {
				t.Errorf("a block is at %d after %d, of %d bytes", block.Begin, end, block.Size)
			}
			end = block.Begin + block.Size
		}
		if end != s.End && (s.Complete || s.End != int64(len(b))) || end > int64(len(b)) { // a truncated stream is the whole file
			t.Errorf("the stream ends at %d, its blocks at %d, and the file at %d", s.End, end, len(b))
		}
		CheckTensors(s.Graph)
	})
}

func ExampleReadStream() {
	b := stream(rebuilt(id("FloatStorage", "0", 2), plain(2)), []string{"0"}, numbers(2, 8))
	s, err := ReadStream(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil || s == nil {
		return // unreadable, or not a stream
	}
	for _, block := range s.Blocks {
		fmt.Println(block.Key, block.Class, block.Count, "elements,", block.Size, "bytes")
	}
	// Output: 0 FloatStorage 2 elements, 8 bytes
}
