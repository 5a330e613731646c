// The list of rules.

package finding

import (
	"bufio"
	"io"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A RuleList lists all rules.
type RuleList struct{}

// JSON writes weigh.rules/1.
func (RuleList) JSON(w io.Writer, s typeset.Style) error {
	type rule struct {
		Rule     string `json:"rule"`
		Severity string `json:"severity"`
		Law      string `json:"law"`
	}
	list := make([]rule, 0, len(Rules))
	for _, info := range Rules {
		list = append(list, rule{string(info.Rule), info.Severity.String(), info.Summary})
	}
	return encode.Write(w, s, struct {
		Schema string `json:"schema"`
		Rules  []rule `json:"rules"`
	}{"weigh.rules/1", list})
}

// Text writes one line for each rule: its name, its severity, and what it demands.
func (RuleList) Text(w io.Writer, s typeset.Style) error {
	name, severity := 0, 0
	for _, info := range Rules {
		name, severity = max(name, len(info.Rule)), max(severity, len(info.Severity.String()))
	}
	return typeset.Buffered(w, func(w *bufio.Writer) {
		for _, info := range Rules {
			w.WriteString(s.Paint(typeset.Bold, string(info.Rule)))
			typeset.Spaces(w, name+2-len(info.Rule))
			w.WriteString(s.Paint(severityColors[info.Severity], info.Severity.String()))
			typeset.Spaces(w, severity+2-len(info.Severity.String()))
			typeset.Wrap(w, s, name+severity+4, "", info.Summary)
		}
	})
}
