// Archives of version 0.1, put together by hand.

package torch

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"
)

// tarOf is a tar archive.
func tarOf(t *testing.T, members ...member) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		if err := w.WriteHeader(&tar.Header{Name: m.name, Size: int64(len(m.content)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(m.content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func le64s(list ...int64) string {
	var b []byte
	for _, n := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return string(b)
}

// oldStorages is the member "storages": one storage of six floats, with the key 7, and
// views (key, root, offset, elements).
func oldStorages(views ...string) string {
	return proto + num(1) + "." + proto + tuple(num(7), str("cpu"), glob("torch", "FloatStorage")) + "." + le64s(6) + counting(6) +
		proto + list(views...) + "."
}

// oldTensors is the member "tensors": one tensor, with the key 9.
func oldTensors(storage, offset int64, shape, stride []int64) string {
	return proto + num(1) + "." + proto + tuple(num(9), num(storage), glob("torch", "FloatTensor")) + "." +
		le32(len(shape)) + le32(0) + le64s(shape...) + le64s(stride...) + le64s(offset)
}

// byID is the persistent object that a tensor is.
func byID(id string) string { return str(id) + "Q" }

func TestTar(t *testing.T) {
	view := tuple(num(8), num(7), num(2), num(4))
	for _, k := range []struct {
		what, storages, tensors, value string
		want                           []float64 // nil if it is refused
		refusal                        string
	}{
		{"a tensor", oldStorages(), oldTensors(7, 0, []int64{2, 3}, []int64{1, 2}), dict(str("w"), byID("9")), []float64{0, 2, 4, 1, 3, 5}, ""},
		{"a tensor in a view", oldStorages(view), oldTensors(8, 1, []int64{3}, []int64{1}), dict(str("w"), byID("9")), []float64{3, 4, 5}, ""},
		{"a parameter", oldStorages(), oldTensors(7, 5, []int64{1}, []int64{1}), dict(str("w"), call(glob("torch._utils", "_rebuild_parameter"), byID("9"), "\x89", hooks)), []float64{5}, ""},
		{"beyond the view", oldStorages(view), oldTensors(8, 2, []int64{3}, []int64{1}), dict(str("w"), byID("9")), nil, `the last element has index 4 in storage "7", which has 4`},
		{"a view beyond its storage", oldStorages(tuple(num(8), num(7), num(3), num(4))), oldTensors(7, 0, nil, nil), dict(str("w"), byID("9")), nil, `view "8" has the elements 3 to 7`},
		{"a view of nothing", oldStorages(tuple(num(8), num(6), num(0), num(0))), oldTensors(7, 0, nil, nil), dict(str("w"), byID("9")), nil, `storage "8" is a view of "6", which is missing`},
		{"no such storage", oldStorages(), oldTensors(6, 0, nil, nil), dict(str("w"), byID("9")), nil, `"w": storage "6" is missing`},
		{"negative sizes", oldStorages(), oldTensors(7, 0, []int64{-1}, []int64{1}), dict(str("w"), byID("9")), nil, "is negative"},
		{"no such tensor", oldStorages(), oldTensors(7, 0, nil, nil), dict(str("w"), byID("10")), nil, "the checkpoint contains no tensors"},
		{"storages that are cut off", oldStorages()[:40], oldTensors(7, 0, nil, nil), dict(str("w"), byID("9")), nil, `member "storages"`},
		{"more than tensors", oldStorages(), oldTensors(7, 0, nil, nil) + "x", dict(str("w"), byID("9")), nil, `member "tensors" has 1 byte after its end`},
	} {
		b := tarOf(t, member{"sys_info", proto + "}."}, member{"storages", k.storages}, member{"tensors", k.tensors}, member{"pickle", proto + k.value + "."})
		cp, err := Open(bytes.NewReader(b), int64(len(b)), nil)
		if k.want == nil {
			if err == nil || !strings.Contains(err.Error(), k.refusal) {
				t.Errorf("%s: %v, want %s", k.what, err, k.refusal)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", k.what, err)
			continue
		}
		if got := values(t, cp); !slices.Equal(got, k.want) || cp.Format != FormatTar || cp.Tensors[0].Name != "w" {
			t.Errorf("%s: %v", k.what, got)
		}
	}
}
