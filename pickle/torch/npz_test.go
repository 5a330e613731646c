// NumPy's archives, with headers as NumPy 2.1 writes them.

package torch

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle/internal/npy"
)

// array is a file of NumPy: magic, version 1.0, the length of the header, the header with
// spaces up to a multiple of 64, and the numbers.
func array(header, data string) string {
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	return npy.Magic + "\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(header)))) + header + data
}

func TestArrays(t *testing.T) {
	bigEndian := "\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06"
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		cp := openBytes(t, zipOf(t, method,
			member{"w.npy", array("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", counting(6))},
			member{"columns.npy", array("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", counting(6))},
			member{"big.npy", array("{'descr': '>i2', 'fortran_order': False, 'shape': (6,), }", bigEndian)},
			member{"scalar", array("{'descr': '|b1', 'fortran_order': False, 'shape': (), }", "\x01")},
			member{"old.npy", array("{'shape': (2L,), 'descr': \"<u8\", 'fortran_order': False}", strings.Repeat("\x07\x00\x00\x00\x00\x00\x00\x00", 2))},
			member{"names.npy", array("{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }", strings.Repeat("a", 12))},
			member{"objects.npy", array("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", proto+"N.")},
			member{"fields.npy", array("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")},
			member{"README", "text"},
		), nil)
		want := map[string]struct {
			dtype  safetensors.Dtype
			values []float64
		}{
			"w":       {safetensors.F32, []float64{0, 1, 2, 3, 4, 5}},
			"columns": {safetensors.F32, []float64{0, 2, 4, 1, 3, 5}},
			"big":     {safetensors.I16, []float64{1, 2, 3, 4, 5, 6}},
			"scalar":  {safetensors.BOOL, []float64{1}},
			"old":     {safetensors.U64, []float64{7, 7}},
		}
		for _, tensor := range cp.Tensors {
			got := make([]float64, tensor.NumElems())
			if _, err := safetensors.DecodeAt(tensor, got, 0); err != nil {
				t.Error(err)
			}
			if w := want[tensor.Name]; tensor.Dtype != w.dtype || !slices.Equal(got, w.values) {
				t.Errorf("%q: %s %v", tensor.Name, tensor.Dtype, got)
			}
			delete(want, tensor.Name)
		}
		var skipped []string
		for _, s := range cp.Skipped {
			skipped = append(skipped, s.Path+": "+s.What)
		}
		if len(want) > 0 || strings.Join(skipped, "; ") != `names: an array with dtype "<U3", which safetensors lacks; `+
			"objects: an array of objects, which are stored as a pickle; fields: an array with fields; README: a file that is not an array" {
			t.Errorf("without %v, %q", want, skipped)
		}
		if err := cp.CheckSums(); err != nil {
			t.Error(err)
		}
	}
}

func TestArraysRefused(t *testing.T) {
	for _, k := range []struct{ header, data, want string }{
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", counting(5), "the last element has index 5"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", counting(7), "the shape needs 24 bytes, but there are 28 bytes"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "", "no valid dtype, order or shape"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "", "no valid dtype, order or shape"},
		{"{'descr': '<f4', 'fortran_order': False}", "", "expected 3 keys, found 2"},
		{"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "", "no valid dtype, order or shape"},
		{"{'descr': __import__('os').system('ls')}", "", "expected a value at byte 10"},
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}; 1", counting(1), "expected the end at byte 55"},
		{"", "", "the header is invalid"},
	} {
		b := zipOf(t, zip.Store, member{"w.npy", array(k.header, k.data)})
		_, err := Open(bytes.NewReader(b), int64(len(b)), nil)
		if err == nil || !strings.HasPrefix(err.Error(), `torch: "w": `) || !strings.Contains(err.Error(), k.want) || errors.Is(err, ErrNotCheckpoint) {
			t.Errorf("%s: %v", k.header, err)
		}
	}
}
