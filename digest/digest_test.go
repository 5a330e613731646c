// Digests: by other programs, and the same however tensors are spread.

package digest

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/weightools/safetensors"
)

// tensor returns a tensor of bytes.
func tensor(name string, dtype safetensors.Dtype, data string, shape ...int64) *safetensors.Tensor {
	return &safetensors.Tensor{
		TensorInfo: safetensors.TensorInfo{Name: name, Dtype: dtype, Shape: shape, Offsets: safetensors.Span{End: int64(len(data))}},
		ReaderAt:   strings.NewReader(data),
	}
}

// four are tensors of every kind: with a name that is escaped, with a shape of two
// dimensions, without elements, and a scalar.
func four() []*safetensors.Tensor {
	return []*safetensors.Tensor{
		tensor("a\"b\a\n", safetensors.U8, "abc", 3), tensor("w", safetensors.F32, "defg\x00\x00\x00\x00", 2, 1),
		tensor("é", safetensors.F32, "", 0), tensor("s", safetensors.BOOL, "\x01"),
	}
}

// fourLines are their lines, whose digests are those of sha256sum, and fourSet that of
//
//	LC_ALL=C sort lines | sha256sum
const (
	fourLines = `ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad U8 [3] "a\"b\u0007\n"
23cdcba6158b9cf5ea4fdc440ba4f7e7b8e139cba054f8a6c13ab1398cf3435d F32 [2,1] "w"
e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 F32 [0] "é"
4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a BOOL [] "s"
`
	fourSet = "a8d856afc19babe9a04edf2a5f97f4febfc909a190211b2a62e48828cd58965a"
)

func TestSetIsWhatSortAndSha256sumPrint(t *testing.T) {
	var h Hasher
	sums, err := h.Tensors(t.Context(), four())
	if err != nil {
		t.Fatal(err)
	}
	var lines []byte
	for i, one := range four() {
		lines = AppendLine(lines, &one.TensorInfo, sums[i])
	}
	if string(lines) != fourLines {
		t.Errorf("lines\n%swant\n%s", lines, fourLines)
	}
	set, err := h.Set(four(), sums)
	if err != nil || fmt.Sprintf("%x", set) != fourSet {
		t.Errorf("%x, %v, want %s", set, err, fourSet)
	}
	// The order does not matter.
	list := four()
	slices.Reverse(list)
	slices.Reverse(sums)
	if set, err := h.Set(list, sums); err != nil || fmt.Sprintf("%x", set) != fourSet {
		t.Errorf("in reverse: %x, %v", set, err)
	}
}

// A name cannot pass for the end of one line and another one.
func TestSetOfHostileNames(t *testing.T) {
	var h Hasher
	zero := make([]byte, 32)
	a, err := h.Set([]*safetensors.Tensor{tensor("a\"\n"+strings.Repeat("00", 32)+" U8 [0] \"b", safetensors.U8, "", 0)}, [][]byte{zero})
	if err != nil {
		t.Fatal(err)
	}
	b, err := h.Set([]*safetensors.Tensor{tensor("a", safetensors.U8, "", 0), tensor("b", safetensors.U8, "", 0)}, [][]byte{zero, zero})
	if err != nil || bytes.Equal(a, b) {
		t.Errorf("one tensor has the digest of two, %v", err)
	}
	if _, err := h.Set([]*safetensors.Tensor{tensor("a", safetensors.U8, "x", 1), tensor("a", safetensors.U8, "x", 1)}, [][]byte{zero, zero}); err == nil {
		t.Error("a set has a digest though two tensors have one name")
	}
	// A dimension above 2^63-1 is unsigned.
	if got := string(AppendLine(nil, &safetensors.TensorInfo{Name: "x", Dtype: "U8", Shape: []int64{0, -1}}, nil)); got != " U8 [0,18446744073709551615] \"x\"\n" {
		t.Errorf("%q", got)
	}
}

// file returns tensors as a file.
func file(t *testing.T, list ...*safetensors.Tensor) File {
	t.Helper()
	var b bytes.Buffer
	if err := safetensors.Encode(&b, list...); err != nil {
		t.Fatal(err)
	}
	h, err := safetensors.ReadHeader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return File{Name: "f", Size: int64(b.Len()), Header: h, ReaderAt: bytes.NewReader(b.Bytes())}
}

// contents returns the bytes of a file.
func contents(t *testing.T, f File) []byte {
	t.Helper()
	b := make([]byte, f.Size)
	if _, err := f.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	return b
}

// large returns tensors of several MiB with odd sizes, so that they begin and end
// anywhere in what is read at once.
func large() (list []*safetensors.Tensor) {
	for i, size := range []int{chunk - 1, 3*chunk + 7, 0, 1, chunk, 0, 2, 5} {
		data := strings.Repeat(string(rune('a'+i)), size)
		list = append(list, tensor(fmt.Sprint("t", i), safetensors.U8, data, int64(size)))
	}
	return list
}

// One pass over files gives the digests that each part has by itself.
func TestFiles(t *testing.T) {
	for _, parallel := range []int{1, 2, 7} {
		h := Hasher{Parallel: parallel}
		var read atomic.Int64
		h.Progress = func(n int64) { read.Add(n) }
		files := []File{file(t, large()...), file(t, four()...), file(t), file(t, tensor("x", safetensors.U8, "abc", 3))}
		sums, err := h.Files(t.Context(), files)
		if err != nil {
			t.Fatal(err)
		}
		var size int64
		for i, f := range files {
			b := contents(t, f)
			size += f.Size
			whole, data := sha256.Sum256(b), sha256.Sum256(b[f.Header.DataStart():])
			if !bytes.Equal(sums[i].File, whole[:]) || !bytes.Equal(sums[i].Data, data[:]) {
				t.Errorf("file %d: %x and %x", i, sums[i].File, sums[i].Data)
			}
			for j := range f.Header.Tensors {
				at := f.Header.FileSpan(&f.Header.Tensors[j])
				if want := sha256.Sum256(b[at.Begin:at.End]); !bytes.Equal(sums[i].Tensors[j], want[:]) {
					t.Errorf("file %d, tensor %d: %x", i, j, sums[i].Tensors[j])
				}
			}
		}
		if read.Load() != size {
			t.Errorf("%d bytes are told of %d", read.Load(), size)
		}
	}
}

// A set has one digest, as one file and as shards, read as files and as tensors.
func TestSetDoesNotDependOnShards(t *testing.T) {
	h := Hasher{New: md5.New}
	var want []byte
	for _, shards := range [][]File{
		{file(t, large()...)},
		{file(t, large()[:3]...), file(t, large()[3:]...)},
		{file(t, large()[5:]...), file(t, large()[:1]...), file(t, large()[1:5]...)},
	} {
		var list []*safetensors.Tensor
		var sums [][]byte
		all, err := h.Files(t.Context(), shards)
		if err != nil {
			t.Fatal(err)
		}
		for i := range shards {
			tensors := shards[i].Header.Tensors
			for j := range tensors {
				list = append(list, &safetensors.Tensor{TensorInfo: tensors[j]})
			}
			sums = append(sums, all[i].Tensors...)
		}
		got, err := h.Set(list, sums)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) || len(got) != md5.Size {
			t.Errorf("%d shards: %x, want %x", len(shards), got, want)
		}
	}
	sums, err := h.Tensors(t.Context(), large())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := h.Set(large(), sums); err != nil || !bytes.Equal(got, want) {
		t.Errorf("as tensors: %x, %v, want %x", got, err, want)
	}
}

// failing is a source that cannot be read.
type failing struct{ error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.error }

// What cannot be read is named; that others stop for its sake is no error of theirs.
func TestErrors(t *testing.T) {
	gone := errors.New("the disk is gone")
	for _, tt := range []struct {
		err, want error
	}{{gone, gone}, {io.EOF, io.ErrUnexpectedEOF}, {nil, io.ErrUnexpectedEOF}} {
		list := append(large(), large()...)
		list[3].ReaderAt = failing{tt.err}
		if _, err := new(Hasher).Tensors(t.Context(), list); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), `"t3"`) {
			t.Errorf("tensors: %v, want %v", err, tt.want)
		}
		files := []File{file(t, large()...), file(t, four()...), file(t, large()...)}
		files[1].Name, files[1].ReaderAt = "bad", failing{tt.err}
		if _, err := new(Hasher).Files(t.Context(), files); !errors.Is(err, tt.want) || !strings.Contains(err.Error(), `"bad"`) {
			t.Errorf("files: %v, want %v", err, tt.want)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	if _, err := new(Hasher).Tensors(ctx, large()); !errors.Is(err, gone) {
		t.Errorf("canceled: %v", err)
	}
	if _, err := new(Hasher).Files(ctx, []File{file(t, large()...)}); !errors.Is(err, gone) {
		t.Errorf("canceled: %v", err)
	}
}

func TestNothing(t *testing.T) {
	var h Hasher
	if sums, err := h.Tensors(t.Context(), nil); err != nil || len(sums) > 0 {
		t.Errorf("%x, %v", sums, err)
	}
	if sums, err := h.Files(t.Context(), nil); err != nil || len(sums) > 0 {
		t.Errorf("%v, %v", sums, err)
	}
	// The digest of no lines is that of no bytes.
	if set, err := h.Set(nil, nil); err != nil || fmt.Sprintf("%x", set[:4]) != "e3b0c442" {
		t.Errorf("%x, %v", set, err)
	}
}
