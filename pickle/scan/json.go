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

// isJSON says whether head may be the start of a JSON object.
func isJSON(head []byte) bool {
	head = config.UTF8(head)
	return filetype.IsText(head) && strings.HasPrefix(strings.TrimLeft(string(head), " \t\r\n"), "{")
}

// json looks at a JSON text, in case it is the configuration of a model: an object with
// a class, or one that was made for JavaScript. A text that is no JSON is one if it has
// the word.
func (p *part) json(head []byte) error {
	p.swept = true
	if p.isYAML(head) { // of which JSON is a part, nearly
		p.is("yaml")
		if err := p.yaml(); err != nil {
			return err
		}
	} else {
		p.is("json")
	}
	p.lookalike("a JSON text")
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
	ours := v.Get("class_name").Kind() == jsonscan.String || v.Get("modelTopology").Get("model_config").Kind() == jsonscan.Object
	if ours || err != nil && bytes.Contains(text, []byte(`"class_name"`)) {
		return p.kerasConfig()
	}
	return nil
}

// largeJSON looks at a JSON text that is too large to be read: that of a tokenizer, or of a
// model. The strings of the outermost object tell.
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
			p.overBudget(0, "the configuration takes %s, and fewer are read", bytesOf(p.size))
			return nil
		}
	}
	if p.left <= 0 {
		p.overWork(0)
	}
	return nil
}

// whole reads a part that is a text in JSON.
func (p *part) whole() ([]byte, error) {
	text := make([]byte, p.size)
	err := bytesio.ReadFull(p.file, text, 0)
	return config.Lenient(config.UTF8(text)), err
}
