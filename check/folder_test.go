// Folders that the tests make, and what is found in them.

package check_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// A tensor of the tests. Its data is finite numbers that differ, unless fill makes
// others of them.
type tensor struct {
	name  string
	dtype safetensors.Dtype
	shape []int64
	fill  func(data []byte)
}

func zeros(data []byte) { clear(data) }

// ones fills BF16 with 1, which is 0x3f80.
func ones(data []byte) {
	for i := range data {
		data[i] = []byte{0x80, 0x3f}[i%2]
	}
}

// pattern returns what fills a tensor with the bytes of one number, over and over.
func pattern(number ...byte) func([]byte) {
	return func(data []byte) {
		for i := range data {
			data[i] = number[i%len(number)]
		}
	}
}

// high is the byte of a number's elements that holds its exponent: small enough that
// no number is infinite or NaN.
var high = map[safetensors.Dtype]byte{
	safetensors.BF16: 0x3d, safetensors.F16: 0x2c, safetensors.F32: 0x3d, safetensors.F64: 0x3f,
}

// data returns the tensor's bytes.
func (one *tensor) data(size int64) []byte {
	data := make([]byte, size)
	width := int(max(one.dtype.Bits()/8, 1))
	for i := range data {
		data[i] = byte(0x20 + i*7%64)
		if h := high[one.dtype]; h != 0 && i%width == width-1 {
			data[i] = h
		}
	}
	switch one.dtype {
	case safetensors.BOOL:
		for i := range data {
			data[i] = byte(i % 2)
		}
	case safetensors.I64:
		for i := range data {
			data[i] = byte(i / 8 % 100 * (8 - i%8) / 8) // 0, 1, 2 and so on
		}
	}
	if one.fill != nil {
		one.fill(data)
	}
	return data
}

// file returns a file of the tensors, in their order. Without padding the data may
// begin anywhere, as in those that MLX writes.
func file(t testing.TB, padded bool, tensors ...tensor) []byte {
	t.Helper()
	h := safetensors.Header{Metadata: map[string]string{"format": "pt"}}
	var data []byte
	for i := range tensors {
		one := &tensors[i]
		info := safetensors.TensorInfo{Name: one.name, Dtype: one.dtype, Shape: one.shape}
		size, ok := one.dtype.Size(info.NumElems())
		if !ok {
			t.Fatalf("tensor %q has no size", one.name)
		}
		info.Offsets.Begin = int64(len(data))
		data = append(data, one.data(size)...)
		info.Offsets.End = int64(len(data))
		h.Tensors = append(h.Tensors, info)
	}
	start, err := h.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !padded {
		start = append(start[:8], bytes.TrimRight(start[8:], " ")...)
		if len(start)%2 == 0 {
			start = append(start, ' ')
		}
		binary.LittleEndian.PutUint64(start, uint64(len(start)-8))
	}
	return append(start, data...)
}

// inOrder returns tensors as most writers order them: the widest dtypes first, so
// that each is aligned.
func inOrder(tensors []tensor) []tensor {
	return slices.SortedStableFunc(slices.Values(tensors), func(a, b tensor) int {
		return cmp.Or(cmp.Compare(b.dtype.Bits(), a.dtype.Bits()), strings.Compare(a.name, b.name))
	})
}

// A folder is the files of a store, by their paths.
type folder map[string][]byte

// weights adds a file of the tensors.
func (f folder) weights(t testing.TB, path string, tensors ...tensor) {
	t.Helper()
	f[path] = file(t, true, inOrder(tensors)...)
}

// sharded adds the tensors in so many shards, with an index. Shards are numbered from
// first on.
func (f folder) sharded(t testing.TB, shards, first int, tensors ...tensor) {
	t.Helper()
	listed := make(map[string][]tensor)
	per := (len(tensors) + shards - 1) / shards
	for i := range shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+first, shards)
		listed[name] = tensors[i*per : min((i+1)*per, len(tensors))]
		f.weights(t, name, listed[name]...)
	}
	f.index(t, "model.safetensors.index.json", listed)
}

// index adds an index of tensors by their shards.
func (f folder) index(t testing.TB, path string, shards map[string][]tensor) {
	t.Helper()
	x := checkpoint.Index{TotalParameters: -1}
	for _, shard := range slices.Sorted(maps.Keys(shards)) {
		for _, one := range shards[shard] {
			info := safetensors.TensorInfo{Shape: one.shape}
			size, _ := one.dtype.Size(info.NumElems())
			x.TotalSize += size
			x.Tensors = append(x.Tensors, checkpoint.IndexEntry{Tensor: one.name, Shard: shard})
		}
	}
	text, err := x.AppendText(nil)
	if err != nil {
		t.Fatal(err)
	}
	f[path] = text
}

// text adds a file of text.
func (f folder) text(path, content string) { f[path] = []byte(content) }

func (f folder) store() store.Lister {
	fsys := make(fstest.MapFS)
	for name, content := range f {
		fsys[name] = &fstest.MapFile{Data: content}
	}
	return store.FS(fsys)
}

// A located violation is one of a file.
type located struct {
	file string
	*safetensors.Violation
}

// judge returns what is found at a path: in each file, in each set, and in the
// repository, as the program finds it.
func judge(t testing.TB, from store.Store, path string, opts *check.Options) (found []located) {
	t.Helper()
	sets, err := checkpoint.Discover(t.Context(), from, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		cp := set.Open()
		for r, err := range cp.Validate(t.Context()) {
			if err != nil {
				t.Errorf("%q: %v", r.File, err)
				continue
			}
			if opts != nil {
				r.Report = loader.Apply(cmp.Or(r.File, set.Name), r.Report, opts.For)
			}
			found = append(found, locate(cmp.Or(r.File, set.Name), r)...)
		}
		if err := cp.Close(); err != nil {
			t.Error(err)
		}
	}
	return append(found, judgeOnly(t, from, path, sets, opts)...)
}

// judgeOnly returns what is found in the repository alone.
func judgeOnly(t testing.TB, from store.Store, path string, sets []*checkpoint.Set, opts *check.Options) (found []located) {
	t.Helper()
	for r, err := range check.Validate(t.Context(), from, path, sets, opts) {
		if err != nil {
			t.Errorf("%q: %v", r.File, err)
			continue
		}
		found = append(found, locate(r.File, r)...)
	}
	return found
}

func locate(file string, r checkpoint.Report) (found []located) {
	for _, v := range r.Violations {
		found = append(found, located{file, v})
	}
	return found
}

// A want is what has to be found.
type want struct {
	rule   safetensors.Rule
	file   string
	tensor string
	says   string // a part of the message
}

// find says what is missing from found, and what is in it above a note, but not
// wanted.
func find(t *testing.T, found []located, wants ...want) {
	t.Helper()
	left := slices.Clone(found)
	for _, w := range wants {
		i := slices.IndexFunc(left, func(l located) bool {
			return errors.Is(l, w.rule) && l.file == w.file && l.Tensor == w.tensor && strings.Contains(l.Detail, w.says)
		})
		if i < 0 {
			t.Errorf("not found: %s in %q, tensor %q, saying %q", string(w.rule), w.file, w.tensor, w.says)
			continue
		}
		t.Logf("%s: %v %s", left[i].file, left[i].Severity, left[i].Detail)
		left = slices.Delete(left, i, i+1)
	}
	for _, l := range left {
		if l.Severity > safetensors.Note || len(wants) > 0 && t.Failed() {
			t.Errorf("found besides: %s: %s, tensor %q: %s", l.file, string(l.Rule), l.Tensor, l.Detail)
		}
	}
}
