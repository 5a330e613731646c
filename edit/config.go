// The configuration beside the weights, which names their dtype.

package edit

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/weightools/safetensors"
)

// torchNames are the dtypes in which PyTorch loads models.
var torchNames = map[safetensors.Dtype]string{
	safetensors.F64: "float64", safetensors.F32: "float32", safetensors.F16: "float16", safetensors.BF16: "bfloat16",
}

// CorrectConfig corrects the dtypes in the text of a config.json, "torch_dtype" and "dtype", that are no longer those
// of the weights after casts. All other bytes stay as they are. It returns nil if nothing is to be corrected, and what
// it has changed. What it cannot correct, because PyTorch loads no model in the new dtype, is in wrong.
func (p *Plan) CorrectConfig(text []byte) (corrected []byte, changes, wrong []string) {
	now := p.newDtypes()
	if len(now) == 0 {
		return nil, nil, nil
	}
	last := 0
	for key, value := range configDtypes(text) {
		was, _ := safetensors.ParseDtype(string(text[value.Begin:value.End]))
		to, ok := now[was]
		if !ok || to == was {
			continue
		}
		name := torchNames[to]
		if name == "" {
			wrong = append(wrong, fmt.Sprintf("%s is %s, but most weights are %s", key, was, to))
			continue
		}
		changes = append(changes, fmt.Sprintf("%s %s → %s", key, text[value.Begin:value.End], name))
		corrected = append(append(corrected, text[last:value.Begin]...), name...)
		last = int(value.End)
	}
	if changes != nil {
		corrected = append(corrected, text[last:]...)
	}
	return corrected, changes, wrong
}

// newDtypes returns the dtype that most of the elements of each dtype of models have after the edit.
func (p *Plan) newDtypes() map[safetensors.Dtype]safetensors.Dtype {
	elements := make(map[[2]safetensors.Dtype]int64)
	for i := range p.Receipt.Tensors {
		if row := &p.Receipt.Tensors[i]; row.Now != nil && row.Was != nil && torchNames[row.Was.Dtype] != "" {
			elements[[2]safetensors.Dtype{row.Was.Dtype, row.Now.Dtype}] += row.Now.NumElems()
		}
	}
	now := make(map[safetensors.Dtype]safetensors.Dtype)
	for pair, n := range elements {
		best, ok := now[pair[0]]
		most := elements[[2]safetensors.Dtype{pair[0], best}]
		if !ok || n > most || n == most && pair[1] < best {
			now[pair[0]] = pair[1]
		}
	}
	return now
}

// configDtypes yields the values of the members "torch_dtype" and "dtype" of the object in text, and of the objects in
// it, as spans without the quotes. It ends at invalid JSON.
func configDtypes(text []byte) func(yield func(string, safetensors.Span) bool) {
	return func(yield func(string, safetensors.Span) bool) {
		d := json.NewDecoder(bytes.NewReader(text))
		var inObject []bool // of the open objects and arrays
		key, isKey := "", false
		for {
			token, err := d.Token()
			if err != nil {
				return
			}
			word, isText := token.(string)
			switch delim, _ := token.(json.Delim); {
			case delim == '{' || delim == '[':
				inObject = append(inObject, delim == '{')
				isKey = delim == '{'
				continue
			case delim == '}' || delim == ']':
				inObject = inObject[:len(inObject)-1]
			case isKey:
				key, isKey = word, false
				continue
			case isText && (key == "torch_dtype" || key == "dtype"):
				end := d.InputOffset() - 1
				span := safetensors.Span{Begin: end - int64(len(word)), End: end}
				if span.Begin > 0 && string(text[span.Begin:end]) == word && !yield(key, span) {
					return
				}
			}
			isKey = len(inObject) > 0 && inObject[len(inObject)-1]
		}
	}
}
