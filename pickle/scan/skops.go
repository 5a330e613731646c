// Models that skops saved: JSON that names the classes and functions of Python to import.

package scan

import (
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/skops"
)

// skops analyzes the schema of a model, or a file that is named like one. The loader of skops
// refuses names that it does not know unless its caller trusts them.
func (p *part) skops(sure bool) error {
	if sure {
		p.format = "skops-schema"
	}
	if p.size > mostConfig || !p.spend(costJSON*p.size) {
		p.overBudget(0, "the schema has %s, more than are read", bytesOf(p.size))
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, skops.Judge{Sink: jsonSink{p, "schema"}, Sure: sure})
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.unscanned(int64(c.Pos()), "the schema is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil && sure:
		p.find(RuleBadConfig, 0, "the schema is invalid JSON: %v", err)
	}
	return nil
}
