// Containers: what they hold, and what of them is refused.

package torch

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
)

// values returns the elements of a checkpoint's only tensor.
func values(t *testing.T, cp *Checkpoint) []float64 {
	t.Helper()
	if len(cp.Tensors) != 1 {
		t.Fatalf("%d tensors", len(cp.Tensors))
	}
	got := make([]float64, cp.Tensors[0].NumElems())
	if _, err := safetensors.DecodeAt(cp.Tensors[0], got, 0); err != nil {
		t.Error(err)
	}
	return got
}

// transposed is a tensor of six elements, in the order 0 2 4 1 3 5 of its storage.
func transposed(storage string) string {
	return tensorOf(storage, 0, []int64{2, 3}, []int64{1, 2})
}

func TestContainers(t *testing.T) {
	floats6 := stored("FloatStorage", "0", 6)
	data := func(content string, more ...member) []member {
		return append([]member{{"m/data.pkl", proto + transposed(floats6) + "."}, {"m/data/0", content}}, more...)
	}
	bigEndian := func(s string) string {
		b := []byte(s)
		for element := range slices.Chunk(b, 4) {
			slices.Reverse(element)
		}
		return string(b)
	}
	loaded := call("ctorch.storage\n_load_from_bytes\n", "B"+le32(len(storageStream))+storageStream)
	for _, k := range []struct {
		what   string
		file   []byte
		format Format
	}{
		{"an archive", zipOf(t, zip.Store, data(counting(6))...), FormatZip},
		{"a deflated archive", zipOf(t, zip.Deflate, data(counting(6))...), FormatZip},
		{"little-endian", zipOf(t, zip.Store, data(counting(6), member{"m/byteorder", "little"})...), FormatZip},
		{"big-endian", zipOf(t, zip.Store, data(bigEndian(counting(6)), member{"m/byteorder", "big"})...), FormatZip},
		{"TorchScript", zipOf(t, zip.Store, data(counting(6), member{"m/constants.pkl", proto + ")."}, member{"m/code/m.py", ""})...), FormatScript},
		{"a stream", streamOf(transposed(floats6), "0", counting(6)), FormatStream},
		{"a pickle by itself", []byte(proto + transposed(loaded) + "."), FormatPickle},
	} {
		cp := openBytes(t, k.file, nil)
		if got := values(t, cp); !slices.Equal(got, []float64{0, 2, 4, 1, 3, 5}) || cp.Format != k.format {
			t.Errorf("%s: %s, %v", k.what, cp.Format, got)
		}
		if err := cp.CheckSums(); err != nil {
			t.Errorf("%s: %v", k.what, err)
		}
	}
}

// storageStream is what torch.save makes of a storage: a stream whose object is one.
var storageStream = string(streamOf(stored("FloatStorage", "0", 6), "0", counting(6)))

func TestContainersRefused(t *testing.T) {
	good := zipOf(t, zip.Store, member{"m/data.pkl", proto + vector("0", 6) + "."}, member{"m/data/0", counting(6)})
	damaged := slices.Clone(good)
	damaged[bytes.Index(good, []byte(counting(6)))+5] ^= 1
	short := streamOf(vector("0", 6), "0", counting(6))
	for _, k := range []struct {
		what string
		file []byte
		want string
		none bool // whether it is no checkpoint at all
	}{
		{"nothing", nil, `it is an empty file. Download the file again.`, true},
		{"text", []byte("<!DOCTYPE html>"), `it is an HTML page, such as an error or a login page ("<!DOCTYPE html>")`, true},
		{"a safetensors file", []byte("\x02\x00\x00\x00\x00\x00\x00\x00{}"), "it is a safetensors file", true},
		{"a safetensors file whose length begins as a pickle may", []byte("(\x00\x00\x00\x00\x00\x00\x00{}"), "it is a safetensors file", true},
		{"an array", []byte("\x93NUMPY\x01\x00"), "it is a NumPy array (.npy). Store it in an .npz archive", true},
		{"another archive", zipOf(t, zip.Store, member{"m/readme", "hello"}), `it is a zip archive with one file, "m/readme". Extract it: `, true},
		{"a number", []byte(proto + "K\x01."), "the file contains no tensors", true},
		{"a storage that is not there", archiveOf(t, vector("1", 6), "0", counting(6)), `"tensor": storage "1" of 6 elements is missing: there is no "m/data/1"`, false},
		{"a storage that is too short", archiveOf(t, vector("0", 6), "0", counting(5)), `"tensor": storage "0" has 24 bytes in the pickle, but 20 bytes in the archive`, false},
		{"a storage that is damaged", damaged, `"m/data/0" has checksum`, false},
		{"an archive that is cut off", good[:len(good)-30], "the archive is truncated", false},
		{"archives in a row", append(append([]byte{}, good...), good...), "a shard of a distributed checkpoint: 2 archives in a row", false},
		{"an archive after something", append([]byte("#!"), good...), "an archive starts in the middle of it", false},
		{"a pickle that is cut off", zipOf(t, zip.Store, member{"m/data.pkl", proto + vector("0", 6)}, member{"m/data/0", counting(6)}), "the pickle is incomplete", false},
		{"two pickles", zipOf(t, zip.Store, member{"m/data.pkl", proto + vector("0", 6) + "." + proto + "N."}, member{"m/data/0", counting(6)}), "2 pickles instead of 1", false},
		{"an unknown byte order", zipOf(t, zip.Store, member{"m/data.pkl", proto + vector("0", 6) + "."}, member{"m/data/0", counting(6)}, member{"m/byteorder", "pdp"}), `invalid byte order "pdp"`, false},
		{"a stream that is cut off", short[:len(short)-1], "needs 24 bytes, but 23 are left", false},
		{"a pickle whose numbers are elsewhere", []byte(proto + vector("0", 6) + "."), `storage "0" is in another file`, false},
		{"bytes that are no storage", []byte(proto + transposed(call("ctorch.storage\n_load_from_bytes\n", "B"+le32(3)+"abc")) + "."), "not a PyTorch stream", false},
	} {
		cp, err := Open(bytes.NewReader(k.file), int64(len(k.file)), nil)
		if err == nil {
			err = cp.CheckSums()
		}
		if err == nil || !strings.Contains(err.Error(), k.want) || errors.Is(err, ErrNotCheckpoint) != k.none {
			t.Errorf("%s: %v", k.what, err)
		}
	}
}

func TestTensorsRefused(t *testing.T) {
	st := stored("FloatStorage", "0", 6)
	v2 := glob("torch._utils", "_rebuild_tensor_v2")
	for _, k := range []struct{ what, value, want string }{
		{"too few arguments", call(v2, st, num(0)), "_rebuild_tensor_v2 needs at least 4 arguments, but has 2"},
		{"arguments that are no tuple", v2 + list(st) + "R", "_rebuild_tensor_v2 needs at least 4 arguments"},
		{"a storage that is none", call(v2, num(1), num(0), ints64(6), ints64(1)), "the storage is an int"},
		{"an offset that is a bool", call(v2, st, "\x88", ints64(5), ints64(1)), "the offset is a bool"},
		{"a negative offset", tensorOf(st, -1, []int64{6}, []int64{1}), "the offset is a negative int"},
		{"a negative size", tensorOf(st, 0, []int64{-1}, []int64{1}), "the sizes contain a negative int"},
		{"a negative stride", tensorOf(st, 5, []int64{6}, []int64{-1}), "the strides contain"},
		{"strides of another rank", tensorOf(st, 0, []int64{2, 3}, []int64{1}), "the tensor has 2 dimensions but 1 strides"},
		{"one element too many", tensorOf(st, 1, []int64{6}, []int64{1}), "the last element has index 6 in storage \"0\", which has 6"},
		{"strides that lead out", tensorOf(st, 0, []int64{2, 2}, []int64{4, 2}), "the last element has index 6"},
		{"elements beyond counting", tensorOf(st, 0, []int64{1 << 62, 4}, []int64{0, 0}), "number of elements overflows 63 bits"},
		{"strides beyond counting", tensorOf(st, 0, []int64{3, 2}, []int64{1 << 62, 1}), "the strides exceed any storage"},
		{"bytes beyond counting", tensorOf(st, 0, []int64{1 << 62}, []int64{0}), "number of bytes overflows 63 bits"},
		{"four bytes made many", tensorOf(st, 0, []int64{1 << 30}, []int64{0}), "exceed the limit of 268,435,456 bytes for a file of"},
		{"65 dimensions", tensorOf(st, 0, make([]int64, 65), make([]int64, 65)), "the tensor has 65 dimensions"},
		{"a parameter of no tensor", call(glob("torch._utils", "_rebuild_parameter"), num(1), "\x89", hooks), "_rebuild_parameter is called with an int instead of a tensor"},
		{"complex128", tensorOf(stored("ComplexDoubleStorage", "0", 1), 0, []int64{1}, []int64{1}), `a tensor of "complex128", a dtype that safetensors lacks`},
		{"a conjugate", call(v2, st, num(0), ints64(6), ints64(1), "\x89", hooks, dict(str("conj"), "\x88")), `a tensor with the lazy operation "conj"`},
		{"a sparse tensor", call(glob("torch._utils", "_rebuild_sparse_tensor"), num(0), ints64()), "a sparse tensor"},
		{"a batch of CSR matrices", call(glob("torch._utils", "_rebuild_sparse_tensor"), glob("torch", "sparse_csr"), tuple(num(0), num(0), num(0), call(glob("torch", "Size"), ints64(2, 3, 3)))), "a CSR tensor that is a batch"},
	} {
		b := archiveOf(t, k.value, "0", counting(6))
		_, err := Open(bytes.NewReader(b), int64(len(b)), nil)
		if err == nil || !strings.HasPrefix(err.Error(), `torch: "tensor": `) || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v", k.what, err)
		}
	}
}

func TestRebuilders(t *testing.T) {
	st := stored("FloatStorage", "0", 6)
	v := vector("0", 6)
	utils := func(name string) string { return glob("torch._utils", name) }
	args := tuple(st, num(0), ints64(6), ints64(1))
	dtype := glob("numpy", "dtype") + tuple(str("f4"), "\x89", "\x88") + "R" + tuple(num(3), str("<"), "N", "N", "N", num(-1), num(-1), num(0)) + "b"
	array := func(content string) string {
		return call(glob("numpy.core.multiarray", "_reconstruct"), glob("numpy", "ndarray"), tuple(num(0)), "B"+le32(1)+"b") +
			tuple(num(1), ints64(3, 2), dtype, "\x88", content) + "b"
	}
	latin1 := func(s string) string {
		var text []rune
		for _, c := range []byte(s) {
			text = append(text, rune(c))
		}
		return call(glob("_codecs", "encode"), str(string(text)), str("latin1"))
	}
	for _, k := range []struct {
		what, value string
		want        []float64
	}{
		{"_rebuild_tensor", utils("_rebuild_tensor") + args + "R", []float64{0, 1, 2, 3, 4, 5}},
		{"torch.Size as the shape", call(utils("_rebuild_tensor"), st, num(1), call(glob("torch", "Size"), ints64(2)), ints64(3)), []float64{1, 4}},
		{"_rebuild_tensor_v3", call(utils("_rebuild_tensor_v3"), stored("UntypedStorage", "0", 24), num(2), ints64(2), ints64(1), "\x89", hooks, glob("torch", "int32")), []float64{0x40000000, 0x40400000}},
		{"_rebuild_parameter", call(utils("_rebuild_parameter"), v, "\x88", hooks), []float64{0, 1, 2, 3, 4, 5}},
		{"_rebuild_parameter_with_state", call(utils("_rebuild_parameter_with_state"), v, "\x88", hooks, dict()), []float64{0, 1, 2, 3, 4, 5}},
		{"_rebuild_from_type_v2", call(glob("torch._tensor", "_rebuild_from_type_v2"), utils("_rebuild_tensor"), glob("torch", "Tensor"), args, dict()), []float64{0, 1, 2, 3, 4, 5}},
		{"the former module", call(glob("torch.tensor", "_rebuild_from_type"), utils("_rebuild_tensor"), glob("torch", "Tensor"), args, dict()), []float64{0, 1, 2, 3, 4, 5}},
		{"of another device", call(utils("_rebuild_device_tensor_from_cpu_tensor"), v, num(0), str("xla:0"), "\x89"), []float64{0, 1, 2, 3, 4, 5}},
		// In Fortran's order the first index is the fastest: columns 0 1 2 and 3 4 5.
		{"an array", array("B" + le32(24) + counting(6)), []float64{0, 3, 1, 4, 2, 5}},
		{"an array as text", array(latin1(counting(6))), []float64{0, 3, 1, 4, 2, 5}},
		{"_rebuild_xla_tensor", call(utils("_rebuild_xla_tensor"), array("B"+le32(24)+counting(6)), num(0), str("xla"), "\x89"), []float64{0, 3, 1, 4, 2, 5}},
		{"a storage of a GPU", tensorOf(tuple(str("storage"), glob("torch.cuda", "FloatStorage"), str("0"), str("cuda:0"), num(6))+"Q", 0, []int64{6}, []int64{1}), []float64{0, 1, 2, 3, 4, 5}},
		{"no elements, and no storage", tensorOf(st, 0, []int64{0, 5}, []int64{5, 1}), []float64{}},
	} {
		cp := openBytes(t, archiveOf(t, k.value, "0", counting(6)), nil)
		if got := values(t, cp); !slices.Equal(got, k.want) {
			t.Errorf("%s: %v, want %v", k.what, got, k.want)
		}
	}
}

// A stream from before PyTorch 1.6 may be cut off where one of its pickles ends, and then
// each that is there is whole.
func TestCutBetweenPickles(t *testing.T) {
	b, err := os.ReadFile("../../testdata/scan/old.bin")
	if err != nil {
		t.Fatal(err)
	}
	r, err := pickle.Analyze(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil || len(r.Streams) < 5 {
		t.Fatalf("%d pickles, %v", len(r.Streams), err)
	}
	b = b[:r.Streams[3].End]
	if _, err := Open(bytes.NewReader(b), int64(len(b)), nil); err == nil || !strings.Contains(err.Error(), "truncated: it contains only 4 of 5 pickles") {
		t.Error(err)
	}
}
