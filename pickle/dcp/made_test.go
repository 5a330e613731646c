// Metadata that is put together by hand.

package dcp_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle/dcp"
	"github.com/weightools/safetensors/store"
)

// Functions that return the instructions of a pickle for one value.

func glob(module, name string) string { return "c" + module + "\n" + name + "\n" }
func le32(n int64) string             { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }
func str(s string) string             { return "X" + le32(int64(len(s))) + s }

// num is LONG1 of eight bytes.
func num(n int64) string {
	return "\x8a\x08" + string(binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

func tuple(items ...string) string { return "(" + strings.Join(items, "") + "t" }
func list(items ...string) string  { return "](" + strings.Join(items, "") + "e" }
func dict(items ...string) string  { return "}(" + strings.Join(items, "") + "u" }

func sized(dims ...int64) string {
	var items []string
	for _, n := range dims {
		items = append(items, num(n))
	}
	return glob("torch", "Size") + tuple(tuple(items...)) + "R"
}

const (
	inMetadata   = "torch.distributed.checkpoint.metadata"
	inFilesystem = "torch.distributed.checkpoint.filesystem"
)

// object is an object of a class with attributes in turn.
func object(module, class string, attributes ...string) string {
	return glob(module, class) + ")\x81" + dict(attributes...) + "b"
}

// A box is a chunk: where it begins, and its shape.
type box struct{ at, shape []int64 }

// tensor returns the value and the places of a tensor of float32.
func tensor(name string, shape []int64, boxes ...box) (value string, places []string) {
	var chunks []string
	for i, b := range boxes {
		chunks = append(chunks, object(inMetadata, "ChunkStorageMetadata", str("offsets"), sized(b.at...), str("sizes"), sized(b.shape...)))
		places = append(places,
			object(inMetadata, "MetadataIndex", str("fqn"), str(name), str("offset"), sized(b.at...)),
			object(inFilesystem, "_StorageInfo", str("relative_path"), str("__0_0.distcp"), str("offset"), num(int64(i)), str("length"), num(100)))
	}
	properties := glob(inMetadata, "TensorProperties") + ")\x81" + tuple(glob("torch", "float32"), "N", "\x89", "N", "\x89") + "b"
	return object(inMetadata, "TensorStorageMetadata", str("properties"), properties, str("size"), sized(shape...),
		str("chunks"), list(chunks...)), places
}

// folderOf is a checkpoint whose metadata has these values and places, in turn with their keys.
func folderOf(values, places []string, size int) store.Store {
	text := "\x80\x02" + object(inMetadata, "Metadata", str("state_dict_metadata"), dict(values...), str("storage_data"),
		dict(places...)) + "."
	return store.FS(fstest.MapFS{".metadata": {Data: []byte(text)}, "__0_0.distcp": {Data: make([]byte, size)}})
}

func TestParts(t *testing.T) {
	long := make([]int64, 65)
	for _, test := range []struct {
		name  string
		shape []int64
		boxes []box
		want  string
	}{
		{"whole", []int64{4, 6}, []box{{[]int64{0, 0}, []int64{4, 6}}}, ""},
		{"a grid", []int64{4, 6}, []box{{[]int64{0, 0}, []int64{2, 6}}, {[]int64{2, 0}, []int64{2, 3}}, {[]int64{2, 3}, []int64{2, 3}}}, ""},
		{"an empty part", []int64{4, 6}, []box{{[]int64{0, 0}, []int64{4, 6}}, {[]int64{4, 0}, []int64{0, 6}}}, ""},
		{"none", []int64{4, 6}, nil, "no part has the element at [0 0]"},
		{"a gap", []int64{4, 6}, []box{{[]int64{0, 0}, []int64{2, 6}}, {[]int64{2, 3}, []int64{2, 3}}}, "no part has the element at [2 0]"},
		{"an overlap", []int64{4}, []box{{[]int64{0}, []int64{3}}, {[]int64{2}, []int64{2}}}, "2 parts have the element at [2]"},
		{"a gap and an overlap", []int64{4}, []box{{[]int64{0}, []int64{3}}, {[]int64{2}, []int64{1}}}, "2 parts have the element at [2]"},
		{"too far", []int64{4}, []box{{[]int64{0}, []int64{5}}}, "a part of shape [5] at [0] is not within the shape [4]"},
		{"another rank", []int64{4}, []box{{[]int64{0, 0}, []int64{2, 2}}}, "is not within the shape [4]"},
		{"too large", []int64{1 << 40, 1 << 40}, nil, "has too many elements"},
		{"too many dimensions", long, nil, "has no size"},
		{"negative", []int64{-4}, nil, "has no size"},
		{"more than its archive", []int64{40}, []box{{[]int64{0}, []int64{40}}}, `the part of "w" at [0] has 160 bytes, but its archive has only 100`},
	} {
		value, places := tensor("w", test.shape, test.boxes...)
		from := folderOf([]string{str("w"), value}, places, 200)
		cp, err := checkpoint.New(t.Context(), from, "", formats(dcp.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = cp.Header(t.Context(), ".metadata")
		if got := fmt.Sprint(err); err == nil && test.want != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %v, want %s", test.name, err, test.want)
		}
		if err := cp.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Many tensors, and one in many parts, are listed in a time that is linear in their number.
func TestManyTensors(t *testing.T) {
	n := 20_000
	if testing.Short() {
		n = 2_000
	}
	var values, places []string
	for i := range n {
		name := fmt.Sprint("layers.", i, ".weight")
		value, at := tensor(name, []int64{8}, box{[]int64{0}, []int64{4}}, box{[]int64{4}, []int64{4}})
		values, places = append(values, str(name), value), append(places, at...)
	}
	var boxes []box
	for i := range int64(n) {
		boxes = append(boxes, box{[]int64{i, 0}, []int64{1, 2}})
	}
	value, at := tensor("parts", []int64{int64(n), 2}, boxes...)
	from := folderOf(append(values, str("parts"), value), append(places, at...), n+100)
	start := time.Now()
	cp, err := checkpoint.New(t.Context(), from, "", formats(dcp.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	defer cp.Close()
	h, err := cp.Header(t.Context(), ".metadata")
	if err != nil || len(h.Tensors) != n+1 {
		t.Fatal(len(h.Tensors), err)
	}
	t.Log(len(h.Tensors), "tensors in", time.Since(start))
}
