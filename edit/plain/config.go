// The configuration of a plain model.

package plain

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/internal/config"
)

const configName = "config.json"

// described are the members of config.json, or of its part about the language model, that describe packed weights.
var described = []string{"quantization_config", "compression_config", "quantization", "expert_dtype"}

// torchNames are the names of dtypes in config.json.
var torchNames = map[safetensors.Dtype]string{safetensors.F64: "float64", safetensors.F32: "float32",
	safetensors.F16: "float16", safetensors.BF16: "bfloat16"}

// configure removes the settings of packed weights from the configuration files, and corrects the dtype.
func configure(out *edit.Output, in *edit.Input) error {
	out.Texts = make(map[string][]byte)
	for _, name := range append([]string{"hf_quant_config.json"}, config.QuantizeNames...) {
		if _, err := in.Beside(name); err == nil {
			out.Texts[name] = nil
		}
	}
	text, err := in.Beside(configName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	file := config.Parse(configName, text)
	if file.Root == nil {
		return fmt.Errorf("%s is not a JSON object", configName)
	}
	c := config.New(config.Files{Main: file}, new(config.Notes))
	name := torchNames[dtypeOf(out)]
	var cuts []cut
	for _, o := range []config.Object{c.Main.Root, c.Text} {
		for _, member := range described {
			if v, ok := o[member]; ok {
				begin, end := v.Span()
				cuts = append(cuts, memberOf(text, begin, end))
			}
		}
		for _, member := range []string{"torch_dtype", "dtype"} {
			v, ok := o[member]
			if was, isText := v.Str(); ok && isText && name != "" && was != name {
				_, end := v.Span()
				cuts = append(cuts, cut{end - len(v.Text()), end, `"` + name + `"`})
			}
		}
	}
	if len(cuts) > 0 {
		out.Texts[configName] = replaced(text, cuts)
	}
	return nil
}

// dtypeOf returns the dtype that most elements of weights have.
func dtypeOf(out *edit.Output) (most safetensors.Dtype) {
	elements := make(map[safetensors.Dtype]int64)
	for _, t := range out.Tensors {
		elements[t.Dtype] += t.NumElems()
	}
	for d, n := range elements {
		if best := elements[most]; n > best || n == best && d < most {
			most = d
		}
	}
	return most
}

// A cut is bytes of a text that are replaced.
type cut struct {
	begin, end int
	by         string
}

// memberOf returns the cut of a member of an object, with the comma after it.
func memberOf(text []byte, begin, end int) cut {
	begin = len(bytes.TrimRight(text[:begin], space))
	if after := bytes.TrimLeft(text[end:], space); len(after) > 0 && after[0] == ',' {
		end = len(text) - len(after) + 1
	}
	return cut{begin, end, ""}
}

const space = " \t\r\n"

// replaced returns a text with cuts. If the last member of an object is cut, the comma before it is, too.
func replaced(text []byte, cuts []cut) []byte {
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.begin, b.begin) })
	var now []byte
	at := 0
	for _, c := range slices.Compact(cuts) {
		now = append(append(now, text[at:c.begin]...), c.by...)
		at = c.end
		if bytes.HasPrefix(bytes.TrimLeft(text[at:], space), []byte("}")) && c.by == "" {
			now = bytes.TrimSuffix(now, []byte(","))
		}
	}
	return append(now, text[at:]...)
}
