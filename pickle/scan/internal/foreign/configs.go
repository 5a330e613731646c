// Configurations of Keras and schemas of skops: JSON that names classes and functions.

package foreign

import (
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
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
	if p.Size > MostConfig || !p.Spend(CostJSON*p.Size) {
		p.OverBudget(0, "the configuration has %s, more than are read", bytesOf(p.Size))
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, keras.Judge{Sink: namer{p, "config"}, Perhaps: perhaps})
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.Unscanned(int64(c.Pos()), "the configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil && !perhaps:
		p.Find(keras.RuleBadConfig, 0, "the configuration is invalid JSON: %v", err)
	}
	return nil
}

// Skops analyzes the schema of a model, or a file that is named like one. The loader of skops
// refuses names that it does not know unless its caller trusts them.
func (p *Part) Skops(sure bool) error {
	if sure {
		p.Rename("skops-schema")
	}
	if p.Size > MostConfig || !p.Spend(CostJSON*p.Size) {
		p.OverBudget(0, "the schema has %s, more than are read", bytesOf(p.Size))
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, skops.Judge{Sink: namer{p, "schema"}, Sure: sure})
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.Unscanned(int64(c.Pos()), "the schema is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil && sure:
		p.Find(keras.RuleBadConfig, 0, "the schema is invalid JSON: %v", err)
	}
	return nil
}

// whole reads a part that is a JSON text.
func (p *Part) whole() ([]byte, error) {
	text := make([]byte, p.Size)
	err := bytesio.ReadFull(p.File, text, 0)
	return config.Lenient(config.UTF8(text)), err
}
