// Names that a configuration imports.

package scan

import (
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/foreign"
)

// Configures reports a name that loading a configuration imports. Repetitions are counted.
func (p *part) Configures(full, how string, off int64, verdict pickle.Verdict, rule pickle.Rule) {
	key := p.path + "\x00" + string(rule) + "\x00" + full
	if i, ok := p.configured[key]; ok {
		p.report.Imports[i].Count++
		return
	}
	if p.configured == nil {
		p.configured = make(map[string]int)
	}
	if !p.noPlace(len(p.report.Imports), verdict) {
		p.configured[key] = len(p.report.Imports)
	}
	p.imports(Import{How: how, Import: pickle.Import{Name: full, ResolvedName: full, Offset: off, Count: 1, Called: true,
		Verdict: verdict, Rule: rule}})
}

// Verdict returns the policy's verdict on importing a name, by analyzing a pickle that
// does only that.
func (p *part) Verdict(module, name string) pickle.Verdict {
	text := func(b []byte, s string) []byte {
		n := len(s)
		return append(append(b, 'X', byte(n), byte(n>>8), byte(n>>16), byte(n>>24)), s...)
	}
	program := append(text(text([]byte("\x80\x04"), module), name), "\x93."...)
	if !p.Spend(costVerdict) {
		p.OverWork(0)
		return pickle.Suspicious
	}
	opts := p.pickleOptions()
	opts.MaxOpcodes = costVerdict
	r, err := pickle.Analyze(strings.NewReader(string(program)), int64(len(program)), opts)
	if err != nil || len(r.Imports) == 0 {
		return pickle.Suspicious
	}
	return r.Imports[0].Verdict
}

// mostConfig is the maximum size of a configuration that is read, in bytes.
const mostConfig = foreign.MostConfig
