// Explanations of rules.

package finding

import (
	"bufio"
	"cmp"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// An Explanation documents a rule.
type Explanation struct {
	Schema    string `json:"schema"`
	Rule      string `json:"rule"`
	Severity  string `json:"severity"`
	Means     string `json:"means"` // of the severity
	Law       string `json:"law"`
	Clause    string `json:"clause"`
	Reference string `json:"reference"`
	Fix       string `json:"fix"`
	Example   string `json:"example"`
	Help      string `json:"help"`
}

// meanings explains severities.
var meanings = [...]string{
	safetensors.Invalid:       "no conforming reader accepts it",
	safetensors.Error:         "the file is valid, but its weights are damaged or cannot be used",
	safetensors.Nonconforming: "violates the specification, but the reference implementation reads it",
	safetensors.Warning:       "some readers disagree about it, or load it slowly",
	safetensors.Note:          "harmless, but could be cleaner",
}

// Explain returns the documentation of a rule.
func Explain(r safetensors.Rule) *Explanation {
	info, _ := Lookup(r)
	return &Explanation{
		Schema: "weigh.rule/1", Rule: string(r), Severity: info.Severity.String(), Means: meanings[info.Severity],
		Law: info.Summary, Clause: info.Source, Reference: info.Reference, Fix: info.Fix, Example: cmp.Or(examples[r], ggufExamples[r]),
		Help: helpURI(r),
	}
}

// helpURI returns the address of the rule's documentation.
func helpURI(r safetensors.Rule) string {
	return "https://github.com/weightools/safetensors/blob/main/docs/rules.md#" + string(r)
}

// JSON writes weigh.rule/1.
func (e *Explanation) JSON(w io.Writer, s typeset.Style) error { return encode.Write(w, s, e) }

// Text writes the explanation as a short page.
func (e *Explanation) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		severity := SeverityOf(safetensors.Rule(e.Rule))
		w.WriteString(s.Paint(typeset.Bold, e.Rule) + ": " + s.Paint(severityColors[severity], e.Severity) + " (" +
			e.Means + ")\n\n")
		typeset.Spaces(w, 2)
		typeset.Wrap(w, s, 2, "", e.Law)
		w.WriteByte('\n')
		for _, line := range [...]struct{ title, text string }{
			{"from", e.Clause},
			{"reference", e.Reference},
			{"to do", e.Fix},
			{"example", e.Example},
			{"more", e.Help},
		} {
			typeset.Entry(w, s, 2, 12, typeset.Dim, line.title, strings.TrimPrefix(line.text, "none: "))
		}
	})
}
