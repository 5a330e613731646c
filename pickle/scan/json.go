// JSON texts, which may be configurations of models.

package scan

import (
	"bytes"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// isJSON reports whether head may be the start of a JSON object or array.
func isJSON(head []byte) bool {
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

// json analyzes a JSON text if it is the configuration of a Keras model: an object with
// a class name, or the model.json of TensorFlow.js. Invalid JSON counts if it contains the
// word class_name.
func (p *part) json(head []byte) error {
	if ok, err := p.settings(); err != nil || !ok {
		return err
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

// settings examines the part for names of code, and reports whether it is JSON. What is no
// valid JSON is read as other texts are, too: nearly all JSON is also YAML.
func (p *part) settings() (bool, error) {
	r, size := p.file, p.size
	head, err := p.at(0, headSize)
	if err != nil {
		return false, err
	}
	object := bytes.HasPrefix(bytes.TrimLeft(config.UTF8(head), " \t\r\n"), []byte("{"))
	if encoded := !bytes.Equal(config.UTF8(head), bytes.TrimPrefix(head, []byte("\ufeff"))); encoded && size > mostConfig {
		p.overBudget(0, "the text has %s, more than are read in its encoding", bytesOf(size))
	} else if encoded {
		text := make([]byte, size)
		if err := bytesio.ReadFull(p.file, text, 0); err != nil {
			return false, err
		}
		text = config.UTF8(text)
		r, size = bytes.NewReader(text), int64(len(text))
	}
	valid, err := p.texts().JSON(r, size)
	if err != nil || !valid && !object {
		return false, err // a text that begins with a bracket
	}
	p.swept = true
	p.is("json")
	if valid {
		return true, nil
	}
	return true, p.text()
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
