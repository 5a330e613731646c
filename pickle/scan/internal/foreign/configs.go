// Configurations of Keras and schemas of skops: JSON that names classes and functions.

package foreign

import (
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
	"github.com/weightools/safetensors/pickle/scan/internal/skops"
)

// KerasConfig analyzes a part that is a Keras configuration, or perhaps one.
func (p *Part) KerasConfig(perhaps bool) error {
	if p.Format() == "keras-config" {
		return nil // it was analyzed already
	}
	if !perhaps {
		p.Rename("keras-config")
	}
	return p.document("configuration", keras.Judge{Sink: namer{p, "config"}, Perhaps: perhaps}, !perhaps)
}

// Skops analyzes the schema of a model, or a file that is named like one. The loader of skops
// refuses names that it does not know unless its caller trusts them.
func (p *Part) Skops(sure bool) error {
	if sure {
		p.Rename("skops-schema")
	}
	return p.document("schema", skops.Judge{Sink: namer{p, "schema"}, Sure: sure}, sure)
}

// document passes the objects of a part that is a JSON text to a judge. Invalid JSON is reported if
// the part is surely a document of this kind.
func (p *Part) document(what string, judge config.Visitor, sure bool) error {
	if !p.affords(0, p.Size, what) {
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, judge)
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.Unscanned(int64(c.Pos()), "the %s is nested deeper than the maximum of %d levels", what, jsonscan.MaxDepth)
	case err != nil && sure && c.Pos() >= len(text):
		p.Find(pickle.RuleTruncated, p.Size, "the %s is truncated: %v", what, err)
	case err != nil && sure:
		p.Find(evidence.RuleBadConfig, 0, "the %s is invalid JSON: %v", what, err)
	}
	return nil
}

// affords reports whether a text at offset off can be read. It reports a text that is too large, and a
// spent budget.
func (p *Part) affords(off, size int64, what string) bool {
	if size > MostConfig {
		p.Unscanned(off, "the %s has %s; at most %s are read", what, bytesOf(size), bytesOf(MostConfig))
		return false
	}
	if !p.Spend(CostJSON * size) {
		p.OverWork(off)
		return false
	}
	return true
}

// whole reads a part that is a JSON text.
func (p *Part) whole() ([]byte, error) {
	text := make([]byte, p.Size)
	err := bytesio.ReadFull(p.File, text, 0)
	return config.Lenient(config.UTF8(text)), err
}
