// JSON texts, which may be configurations of models.

package foreign

import (
	"bytes"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/onnx"
)

// IsJSON reports whether head may be the start of a JSON object or array.
func IsJSON(head []byte) bool {
	head = bytes.TrimLeft(config.UTF8(head), " \t\r\n")
	if len(head) < 2 || !filetype.IsText(head) {
		return false
	}
	next := bytes.TrimLeft(head[1:], " \t\r\n")
	if head[0] == '{' {
		return config.Begins(head) || len(next) > 0 && next[0] == '}'
	}
	return head[0] == '[' && len(next) > 0 && bytes.IndexByte([]byte("{[]\"-0123456789tfn"), next[0]) >= 0
}

// JSON analyzes a JSON text if it is a model of ONNX, or the configuration of a Keras model: an object with
// a class name, or the model.json of TensorFlow.js. Invalid JSON counts if it contains the
// word class_name. If model is false, the text has no key of a model.
func (p *Part) JSON(model bool) error {
	p.Lookalike("a JSON file")
	switch {
	case !model:
		return nil
	case p.Size > MostConfig:
		p.Unscanned(0, "the configuration has %s; at most %s are read", bytesOf(p.Size), bytesOf(MostConfig))
		return nil
	case !p.Spend(CostJSON * p.Size):
		p.OverWork(0)
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	v, err := jsonscan.Parse(text)
	switch {
	case v.Get("class_name").Kind() == jsonscan.String,
		v.Get("modelTopology").Get("model_config").Kind() == jsonscan.Object,
		err != nil && bytes.Contains(text, []byte(`"class_name"`)):
		return p.KerasConfig(false)
	case onnx.IsJSON(v):
		return p.onnxJSON(v)
	case err == nil:
		return p.KerasConfig(true)
	}
	return nil
}
