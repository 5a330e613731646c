// JSON texts, which may be configurations of models.

package scan

import (
	"bytes"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/texts"
)

// json analyzes a JSON text, which may be the configuration of a model.
func (p *part) json([]byte) error {
	judge := p.texts()
	if ok, err := p.settings(judge); err != nil || !ok {
		return err
	}
	return p.foreign().JSON(judge.Model)
}

// settings examines the part for names of code, and reports whether it is JSON. Invalid
// JSON is also read like other texts: nearly all JSON is YAML, too.
func (p *part) settings(judge *texts.Reader) (bool, error) {
	r, size := p.file, p.size
	head, err := p.At(0, headSize)
	if err != nil {
		return false, err
	}
	object := bytes.HasPrefix(bytes.TrimLeft(config.UTF8(head), " \t\r\n"), []byte("{"))
	if encoded := !bytes.Equal(config.UTF8(head), bytes.TrimPrefix(head, []byte("\ufeff"))); encoded && size > mostConfig {
		p.Unscanned(0, "the text has %s, more than are read in its encoding", bytesOf(size))
	} else if encoded {
		text := make([]byte, size)
		if err := bytesio.ReadFull(p.file, text, 0); err != nil {
			return false, err
		}
		text = config.UTF8(text)
		r, size = bytes.NewReader(text), int64(len(text))
	}
	valid, err := judge.JSON(r, size)
	if err != nil || !valid && !object {
		return false, err // a text that begins with a bracket
	}
	p.swept = true
	p.Is("json")
	if valid {
		return true, nil
	}
	return true, p.text()
}
