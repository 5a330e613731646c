// The NPY format of NumPy.

package values

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
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
	if c.Bits && c.dtype() != c.Tensor.Dtype { // a part of narrow elements that does not fill whole bytes
		t, descr, err = c.Tensor, "|u1", nil
	}
	if err != nil {
		return err
	}
	if _, err := w.Write(npyHeader(descr, t.Shape)); err != nil {
		return err
	}
	if c.Bits && c.dtype() != t.Dtype {
		return errors.Join(typeset.Buffered(w, func(b *bufio.Writer) { err = c.writeCodes(b) }), err)
	}
	if width := t.Dtype.Bits(); width < 8 {
		return errors.Join(typeset.Buffered(w, func(b *bufio.Writer) { err = unpack(b, t, width) }), err)
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

// writeCodes writes the bits of each element as a byte. The tensor has the values of elements of 4 or 6 bits as F32,
// and no two of their patterns have the same value.
func (c *Cat) writeCodes(w *bufio.Writer) error {
	width := c.Dtype.Bits()
	patterns := make([]byte, 0, 1<<width)
	for code := range 1 << width { // packed from the least significant bit on
		bit := code * width
		for len(patterns) <= (bit+width-1)/8 {
			patterns = append(patterns, 0)
		}
		patterns[bit/8] |= byte(code << (bit % 8))
		if spill := bit%8 + width - 8; spill > 0 {
			patterns[bit/8+1] |= byte(code >> (width - spill))
		}
	}
	all := &safetensors.Tensor{ReaderAt: bytes.NewReader(patterns), TensorInfo: safetensors.TensorInfo{Dtype: c.Dtype,
		Shape: []int64{1 << width}, Offsets: safetensors.Span{End: int64(len(patterns))}}}
	numbers := make([]float32, 1<<width)
	if _, err := safetensors.DecodeAt(all, numbers, 0); err != nil {
		return err
	}
	codes := make(map[uint32]byte, len(numbers))
	for code, x := range numbers {
		codes[math.Float32bits(x)] = byte(code)
	}
	buf := make([]float32, partSize)
	for first, n := int64(0), c.Tensor.NumElems(); first < n; first += partSize {
		part := buf[:min(partSize, n-first)]
		if got, err := safetensors.DecodeAt(c.Tensor, part, first); got < len(part) {
			return err
		}
		for _, x := range part {
			w.WriteByte(codes[math.Float32bits(x)])
		}
	}
	return nil
}
