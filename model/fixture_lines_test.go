// Lines: headers as text that a fuzzer can change without breaking it.

package model_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
)

// Lines returns the tensors of a header as lines of a name, a dtype, a shape and
// offsets.
func Lines(h *safetensors.Header) []byte {
	var b bytes.Buffer
	for i := range h.Tensors {
		ti := &h.Tensors[i]
		fmt.Fprintf(&b, "%s %s %s %d %d\n", ti.Name, ti.Dtype, strings.ReplaceAll(ti.ShapeString(), " ", ""), ti.Offsets.Begin, ti.Offsets.End)
	}
	return b.Bytes()
}

// FromLines returns the header of lines, whatever they are: dimensions and offsets may
// be anything that a header can have. A tensor without a shape is one whose shape
// could not be read.
func FromLines(text []byte) *safetensors.Header {
	h := new(safetensors.Header)
	for line := range strings.Lines(string(text)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		fields = append(fields, make([]string, 5)...)
		ti := safetensors.TensorInfo{Name: fields[0], Dtype: safetensors.Dtype(fields[1]), Offsets: safetensors.Span{Begin: -1, End: -1}}
		if dims, ok := strings.CutPrefix(fields[2], "["); ok {
			ti.Shape = []int64{}
			for d := range strings.SplitSeq(strings.TrimSuffix(dims, "]"), ",") {
				if n, err := strconv.ParseUint(d, 10, 64); err == nil {
					ti.Shape = append(ti.Shape, int64(n))
				}
			}
		}
		begin, _ := strconv.ParseInt(fields[3], 10, 64)
		if end, err := strconv.ParseInt(fields[4], 10, 64); err == nil && 0 <= begin && begin <= end {
			ti.Offsets = safetensors.Span{Begin: begin, End: end}
		}
		h.Tensors = append(h.Tensors, ti)
	}
	return h
}
