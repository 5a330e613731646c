// JSON texts, which may be configurations of models.

package foreign

import (
	"bytes"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
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

// JSON analyzes a JSON text if it is the configuration of a Keras model: an object with
// a class name, or the model.json of TensorFlow.js. Invalid JSON counts if it contains the
// word class_name.
func (p *Part) JSON() error {
	p.Lookalike("a JSON file")
	if p.Size > MostConfig {
		return p.largeJSON()
	}
	if !p.Spend(CostJSON * p.Size) {
		p.OverWork(0)
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	v, err := jsonscan.Parse(text)
	ours := v.Get("class_name").Kind() == jsonscan.String ||
		v.Get("modelTopology").Get("model_config").Kind() == jsonscan.Object
	if ours || err != nil && bytes.Contains(text, []byte(`"class_name"`)) {
		return p.KerasConfig(false)
	}
	if err == nil && config.HasKey(text, "class_name") {
		return p.KerasConfig(true)
	}
	return nil
}

// largeJSON examines a JSON text that is too large to read. The strings of the outermost
// object distinguish a model from a tokenizer.
func (p *Part) largeJSON() error {
	const block = 64 << 10
	top := config.TopStrings{}
	buf := make([]byte, block)
	for at := int64(0); at < p.Size && p.Spend(block/4); at += block {
		b := buf[:min(block, p.Size-at)]
		if err := bytesio.ReadFull(p.File, b, at); err != nil {
			return err
		}
		if top.HasModelWord(b) {
			p.Unscanned(0, "the configuration has %s; at most %s are read", bytesOf(p.Size), bytesOf(MostConfig))
			return nil
		}
	}
	if !p.Spend(0) {
		p.OverWork(0)
	}
	return nil
}
