// The NPY format of NumPy.

package values

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// NPY writes the tensor in NumPy's format. Dtypes that NumPy lacks, BF16 and all below 16 bits,
// become float32, which is exact. With Bits, all dtypes become the unsigned integers of their bit
// patterns.
func (c *Cat) NPY(w io.Writer, _ typeset.Style) error {
	t, descr, err := numpy(c.Tensor, c.Bits)
	if err != nil {
		return err
	}
	if _, err := w.Write(npyHeader(descr, t.Shape)); err != nil {
		return err
	}
	if width := t.Dtype.Bits(); width < 8 {
		return typeset.Buffered(w, func(b *bufio.Writer) { err = unpack(b, t, width) })
	}
	_, err = t.WriteTo(w)
	return err
}

// descrs are NumPy's names of dtypes.
var descrs = map[safetensors.Dtype]string{
	safetensors.I8: "|i1", safetensors.U8: "|u1",
	safetensors.I16: "<i2", safetensors.U16: "<u2", safetensors.F16: "<f2",
	safetensors.I32: "<i4", safetensors.U32: "<u4", safetensors.F32: "<f4",
	safetensors.I64: "<i8", safetensors.U64: "<u8", safetensors.F64: "<f8", safetensors.C64: "<c8",
}

// numpy converts t to a dtype that NumPy has, and returns its NumPy name.
func numpy(t *safetensors.Tensor, bits bool) (*safetensors.Tensor, string, error) {
	if bits {
		switch width := t.Dtype.Bits(); width {
		case 4, 6, 8:
			return t, "|u1", nil
		case 16, 32, 64:
			return t, fmt.Sprintf("<u%d", width/8), nil
		}
	}
	if t.Dtype == safetensors.BOOL {
		// NumPy's bool is undefined for bytes other than 0 and 1.
		truth, err := t.Convert(safetensors.U8)
		return truth, "|b1", err
	}
	if descr, ok := descrs[t.Dtype]; ok {
		return t, descr, nil
	}
	t, err := t.Convert(safetensors.F32)
	return t, descrs[safetensors.F32], err
}

// npyHeader returns the header that numpy/lib/format.py documents: magic, version, length (2
// bytes, or 4 from version 2.0), and a Python dictionary, padded with spaces and a newline to a
// multiple of 64 bytes.
//
// Like numpy.save it leaves room for the first dimension to grow to 21 digits, which makes the
// output identical.
func npyHeader(descr string, shape []int64) []byte {
	const mostDigits = 21
	var dict strings.Builder
	fmt.Fprintf(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr)
	for i, n := range shape {
		if i > 0 {
			dict.WriteString(", ")
		}
		dict.WriteString(strconv.FormatUint(uint64(n), 10))
	}
	if len(shape) == 1 {
		dict.WriteByte(',') // a tuple with one element
	}
	dict.WriteString("), }")
	if len(shape) > 0 {
		dict.WriteString(strings.Repeat(" ", mostDigits-len(strconv.FormatUint(uint64(shape[0]), 10))))
	}
	const magic = "\x93NUMPY"
	start, version := len(magic)+2+2, byte(1)
	length := padded(start, dict.Len()) - start
	if length > math.MaxUint16 {
		start, version = start+2, 2
		length = padded(start, dict.Len()) - start
	}
	b := append([]byte(magic), version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(length))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(length))
	}
	b = append(b, dict.String()...)
	return append(append(b, strings.Repeat(" ", length-dict.Len()-1)...), '\n')
}

// padded returns where the data begins. Like numpy.save it adds 1 to 64 spaces.
func padded(start, dict int) int {
	const alignment = 64
	end := start + dict + 1
	return end + alignment - end%alignment
}

// unpack writes each element as a byte. Elements are packed from the least significant bit of each
// byte.
func unpack(w *bufio.Writer, t *safetensors.Tensor, width int) error {
	r := bufio.NewReaderSize(t.Open(), fullPart)
	var held uint32 // bits that were read but not written
	var n int       // number of these bits
	for range t.NumElems() {
		for n < width {
			c, err := r.ReadByte()
			if err != nil {
				return err
			}
			held |= uint32(c) << n
			n += 8
		}
		if err := w.WriteByte(byte(held & (1<<width - 1))); err != nil {
			return err
		}
		held >>= width
		n -= width
	}
	return nil
}
