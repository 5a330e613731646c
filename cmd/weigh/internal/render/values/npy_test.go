// NumPy's format, by its documentation and by NumPy itself.

package values

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os/exec"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// The header by numpy/lib/format.py: 6 bytes of magic, version 1.0, the length of
// the rest as a 16-bit number, little-endian. In all it is 128 bytes here, so the
// length is 118, 0x76; "{'descr': ... }" has 59 characters.
func TestNPYHeader(t *testing.T) {
	x, err := safetensors.NewTensor("t", []float32{1.5, -2}, 2)
	if err != nil {
		t.Fatal(err)
	}
	const dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + dict + strings.Repeat(" ", 118-len(dict)-1) + "\n" +
		"\x00\x00\xc0\x3f\x00\x00\x00\xc0" // 1.5 is 0x3fc00000, and -2 is 0xc0000000
	var b bytes.Buffer
	if err := (&Cat{Tensor: x}).NPY(&b, typeset.Style{}); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// Every dtype has a type of NumPy that holds its numbers.
func TestNPYDtypes(t *testing.T) {
	for d := range safetensors.Dtypes() {
		size, _ := d.Size(8)
		x, err := safetensors.TensorAt("t", d, []int64{8}, bytes.NewReader(make([]byte, size)))
		if err != nil {
			t.Fatal(err)
		}
		as, descr, err := numpy(x, false)
		if err != nil || descr == "" {
			t.Errorf("%s becomes %q: %v", d, descr, err)
			continue
		}
		class := d.Class()
		if want := class == safetensors.ClassFloat || class == safetensors.ClassScale; want != (descr[1] == 'f') || (class == safetensors.ClassComplex) != (descr[1] == 'c') {
			t.Errorf("%s of class %s becomes %q", d, class, descr)
		}
		if as.NumElems() != 8 || as.Dtype.Bits() < d.Bits() {
			t.Errorf("%s becomes %s, which is narrower", d, as.Dtype)
		}
	}
}

func TestNPYShapes(t *testing.T) {
	for _, tt := range []struct {
		shape []int64
		tuple string
	}{{nil, "()"}, {[]int64{7}, "(7,)"}, {[]int64{0, 3}, "(0, 3)"}, {[]int64{1, 2, 3}, "(1, 2, 3)"}} {
		h := npyHeader("|u1", tt.shape)
		if !bytes.Contains(h, []byte("'shape': "+tt.tuple+", }")) {
			t.Errorf("%q has not %s", h, tt.tuple)
		}
	}
}

// What 16 bits cannot count needs version 2.0, with 32. In either the data begins
// at a multiple of 64 bytes, and the length says where.
//
// A dictionary with r zeros as its shape has 51 characters before them, 3*r-2 for
// them, 4 behind and 20 for growth. With 10 bytes before it and a line end that is
// 3*r+84, for r = 21,817 just below 65,536, where the data then begins.
func TestNPYHeaderLengths(t *testing.T) {
	for _, tt := range []struct {
		rank    int
		version byte
	}{{0, 1}, {1, 1}, {2, 1}, {16, 1}, {17, 1}, {64, 1}, {21_000, 1}, {21_816, 1}, {21_817, 1}, {21_818, 2}, {30_000, 2}} {
		h := npyHeader("<f4", make([]int64, tt.rank))
		start, length := 10, int(binary.LittleEndian.Uint16(h[8:]))
		if tt.version == 2 {
			start, length = 12, int(binary.LittleEndian.Uint32(h[8:]))
		}
		if h[6] != tt.version || len(h)%64 != 0 || start+length != len(h) || h[len(h)-1] != '\n' {
			t.Errorf("rank %d: version %d, length %d, %d bytes", tt.rank, h[6], length, len(h))
		}
	}
}

// The data of each dtype, by hand: 0x3fc0 is 1.5 as BF16, 0x3c 1.0 as E5M2, and
// 0x21 packs 1 and 2 into four bits each, which as F4 are 0.5 and 1.
func TestNPYData(t *testing.T) {
	for _, tt := range []struct {
		d     safetensors.Dtype
		data  string // in hexadecimal
		n     int64
		bits  bool
		descr string
		want  string
	}{
		{safetensors.BF16, "c03f", 1, false, "<f4", "0000c03f"},
		{safetensors.BF16, "c03f", 1, true, "<u2", "c03f"},
		{safetensors.F8_E5M2, "3c", 1, false, "<f4", "0000803f"},
		{safetensors.F8_E5M2, "3c", 1, true, "|u1", "3c"},
		{safetensors.F4, "21", 2, false, "<f4", "0000003f0000803f"},
		{safetensors.F4, "21", 2, true, "|u1", "0102"},
		// 1, 2, 3, 63 in six bits each: 000001 + 000010<<6 + 000011<<12 + 111111<<18
		{safetensors.F6_E2M3, "8130fc", 4, true, "|u1", "0102033f"},
		{safetensors.BOOL, "000107", 3, false, "|b1", "000101"},
		{safetensors.BOOL, "000107", 3, true, "|u1", "000107"},
		{safetensors.F64, "000000000000f83f", 1, false, "<f8", "000000000000f83f"},
		{safetensors.F64, "000000000000f83f", 1, true, "<u8", "000000000000f83f"},
		{safetensors.C64, "0000803f00000040", 1, false, "<c8", "0000803f00000040"},
		{safetensors.F32, "0000803f", 1, true, "<u4", "0000803f"},
	} {
		data, err := hex.DecodeString(tt.data)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := (&Cat{Tensor: tensorOf(tt.d, data, tt.n), Bits: tt.bits}).NPY(&b, typeset.Style{}); err != nil {
			t.Fatal(err)
		}
		header, rest := b.Bytes()[:128], b.Bytes()[128:]
		if !bytes.Contains(header, []byte("'descr': '"+tt.descr+"'")) || hex.EncodeToString(rest) != tt.want {
			t.Errorf("%s: %.80q %x, want %s %s", tt.d, header, rest, tt.descr, tt.want)
		}
	}
}

// numpySaves reads arrays one after the other, and writes what it has read: NumPy
// has to understand them, and it writes the same bytes.
const numpySaves = `
import io, sys, numpy
text = sys.stdin.buffer.read()
r = io.BytesIO(text)
while r.tell() < len(text):
    a = numpy.lib.format.read_array(r, allow_pickle=False)
    numpy.lib.format.write_array(sys.stdout.buffer, a, allow_pickle=False)`

// NumPy opens every dtype and shape, and has nothing to change.
func TestNPYIsWhatNumPyWrites(t *testing.T) {
	python := "/tmp/venv/bin/python" // as testdata/README.md makes it
	if exec.Command(python, "-c", "import numpy").Run() != nil {
		if python = "python3"; exec.Command(python, "-c", "import numpy").Run() != nil {
			t.Skip("there is no NumPy")
		}
	}
	var ours, theirs, errs bytes.Buffer
	for _, path := range []string{"rust/dtypes.safetensors", "python/shapes.safetensors"} {
		f, err := safetensors.Open("../../../../../testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for x := range f.Tensors() {
			for _, bits := range []bool{false, true} {
				if err := (&Cat{Tensor: x, Bits: bits}).NPY(&ours, typeset.Style{}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	cmd := exec.Command(python, "-c", numpySaves)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(ours.Bytes()), &theirs, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	a, b := ours.Bytes(), theirs.Bytes()
	for i := range a {
		if i >= len(b) || a[i] != b[i] {
			t.Fatalf("byte %d: %.140q, and NumPy writes %.140q", i, a[max(0, i-70):], b[min(len(b), max(0, i-70)):])
		}
	}
}
