// Keras configurations: JSON that names classes and functions.

package scan

import (
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
	"github.com/weightools/safetensors/pickle/scan/internal/keras"
)

// kerasConfig analyzes a part that is a Keras configuration, or perhaps one.
func (p *part) kerasConfig(perhaps bool) error {
	if p.format == "keras-config" {
		return nil // it was analyzed already
	}
	if !perhaps {
		p.format = "keras-config"
	}
	if p.size > mostConfig || !p.spend(costJSON*p.size) {
		p.overBudget(0, "the configuration has %s, more than are read", bytesOf(p.size))
		return nil
	}
	text, err := p.whole()
	if err != nil {
		return err
	}
	c := config.NewReader(text, 0, keras.Judge{Sink: jsonSink{p, "config"}, Perhaps: perhaps})
	err = c.Value()
	if err == nil {
		err = c.End()
	}
	switch {
	case c.TooDeep:
		p.unscanned(int64(c.Pos()), "the configuration is nested deeper than the maximum of %d levels", jsonscan.MaxDepth)
	case err != nil && !perhaps:
		p.find(RuleBadConfig, 0, "the configuration is invalid JSON: %v", err)
	}
	return nil
}

// A jsonSink reports what is found in a configuration, or other JSON, as evidence on a part.
type jsonSink struct {
	*part
	how string // what the JSON is
}

// Find implements keras.Sink and skops.Sink.
func (s jsonSink) Find(rule pickle.Rule, off int64, format string, args ...any) {
	s.find(rule, off, format, args...)
}

// Name implements keras.Sink and skops.Sink.
func (s jsonSink) Name(full string, off int64, verdict pickle.Verdict, rule pickle.Rule) {
	s.configures(full, s.how, off, verdict, rule)
}

// Verdict implements keras.Sink and skops.Sink.
func (s jsonSink) Verdict(module, name string) pickle.Verdict { return s.judgeName(module, name) }
