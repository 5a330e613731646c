// JSON texts, which may be configurations of models.

package scan

import (
	"bytes"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// isJSON reports whether head may be the start of a JSON object, or of an array of objects.
func isJSON(head []byte) bool {
	const spaces = " \t\r\n"
	head = config.UTF8(head)
	text := strings.TrimLeft(string(head), spaces)
	return filetype.IsText(head) && (strings.HasPrefix(text, "{") ||
		strings.HasPrefix(text, "[") && strings.HasPrefix(strings.TrimLeft(text, "["+spaces), "{"))
}

// json analyzes a JSON text if it is the configuration of a Keras model: an object with
// a class name, or the model.json of TensorFlow.js. Invalid JSON counts if it contains the
// word class_name.
func (p *part) json(head []byte) error {
	p.swept = true
	if p.isYAML(head) { // nearly all JSON is also YAML
		p.is("yaml")
		if err := p.yaml(); err != nil {
			return err
		}
	} else {
		p.is("json")
	}
	p.lookalike("a JSON file")
	if p.size > mostConfig {
		return p.largeJSON()
	}
	if !p.spend(costJSON * p.size) {
		p.overWork(0)
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
		return p.kerasConfig(false)
	}
	if err == nil && config.HasKey(text, "class_name") {
		return p.kerasConfig(true)
	}
	return nil
}

// largeJSON examines a JSON text that is too large to read. The strings of the outermost
// object distinguish a model from a tokenizer.
func (p *part) largeJSON() error {
	const block = 64 << 10
	top := config.TopStrings{}
	buf := make([]byte, block)
	for at := int64(0); at < p.size && p.spend(block/4); at += block {
		b := buf[:min(block, p.size-at)]
		if err := bytesio.ReadFull(p.file, b, at); err != nil {
			return err
		}
		if top.HasModelWord(b) {
			p.overBudget(0, "the configuration has %s, more than are read", bytesOf(p.size))
			return nil
		}
	}
	if p.left <= 0 {
		p.overWork(0)
	}
	return nil
}

// whole reads a part that is a JSON text.
func (p *part) whole() ([]byte, error) {
	text := make([]byte, p.size)
	err := bytesio.ReadFull(p.file, text, 0)
	return config.Lenient(config.UTF8(text)), err
}
