// Checks as SARIF.

package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/sarif"
)

// levels maps severities to SARIF levels (3.27.10). Nonconforming files fail a check, so the level
// is error.
var levels = [...]string{
	safetensors.Invalid:       "error",
	safetensors.Error:         "error",
	safetensors.Nonconforming: "error",
	safetensors.Warning:       "warning",
	safetensors.Note:          "note",
}

// problems maps severities to GitHub's property "problem.severity".
var problems = [...]string{
	safetensors.Invalid:       "error",
	safetensors.Error:         "error",
	safetensors.Nonconforming: "error",
	safetensors.Warning:       "warning",
	safetensors.Note:          "recommendation",
}

// mostResults is the number of results that GitHub accepts in one run, by its documentation "SARIF
// support for code scanning". It shows 5,000 of them.
const mostResults = 25_000

// SARIF writes the findings as a SARIF log of one run, with the program's version. Allowed
// findings are left out unless Verbose is set, since GitHub raises alerts even for suppressed
// results.
func (c *Check) SARIF(w io.Writer, s typeset.Style) error {
	verbose, log := c.Form.Verbose, sarif.Log{Version: c.Form.Version}
	var names []safetensors.Rule
	for _, info := range Rules {
		names = append(names, info.Rule)
		log.Rules = append(log.Rules, sarifRuleOf(info))
	}
	written, left := c.sarifResults(verbose)
	log.Invocation = sarif.Invocation{Successful: len(c.Unread) == 0, Notifications: c.sarifNotifications(verbose, left)}
	log.Results = func(yield func(any) bool) {
		seen := make(map[string]int)
		for _, f := range written {
			if !yield(c.sarifResult(f, names, seen)) {
				return
			}
		}
	}
	return log.Write(w, s)
}

// sarifResults returns the findings that become results, in order, and the number of those that
// exceed the limit; these are the least severe.
func (c *Check) sarifResults(verbose bool) (written []*Finding, left int) {
	var room [len(severities)]int // remaining room by severity
	total := mostResults
	wanted := func(f *Finding) bool { return verbose || f.Allowed == "" }
	for _, s := range severities {
		n := 0
		for i := range c.Findings {
			if f := &c.Findings[i]; f.Severity == s && wanted(f) {
				n++
			}
		}
		room[s] = min(n, total)
		total -= room[s]
		left += n - room[s]
	}
	for i := range c.Findings {
		if f := &c.Findings[i]; wanted(f) && room[f.Severity] > 0 {
			room[f.Severity]--
			written = append(written, f)
		}
	}
	return written, left
}

// sarifNotifications reports unreadable files and findings that are left out.
func (c *Check) sarifNotifications(verbose bool, left int) []sarif.Notification {
	var list []sarif.Notification
	for _, u := range c.Unread {
		list = append(list, sarif.Unread(c.Root, u.File, u.Message))
	}
	note := func(format string, n int64) {
		if n > 0 {
			list = append(list, sarif.Notification{Level: "note",
				Message: sarif.Message(fmt.Sprintf(format, typeset.Plural(n, "finding")))})
		}
	}
	note("%s not listed: more than 1,000 of one rule in one file", int64(c.omitted()))
	note("%s left out, the least severe: a log can have 25,000 results; weigh check --json lists all", int64(left))
	if allowed := countFindings(c.Findings, c.Omitted, true); !verbose {
		var n int64
		for _, k := range allowed {
			n += k
		}
		note("%s allowed and left out; --verbose includes them as suppressed", n)
	}
	return list
}

// sarifRuleOf returns a rule for the log. Every log contains all rules, so their indices are
// stable.
func sarifRuleOf(info safetensors.RuleInfo) sarif.Rule {
	e := Explain(info.Rule)
	return sarif.Rule{
		ID:               e.Rule,
		ShortDescription: sarif.Text{Text: e.Law},
		FullDescription:  sarif.Text{Text: e.Law + " From: " + e.Clause + ". Reference implementation: " + e.Reference + "."},
		Help: sarif.Help{
			Text: e.Fix + " For example, this breaks the rule: " + e.Example + ".",
			Markdown: e.Fix + "\n\nFor example, this breaks the rule: " + encode.Markdown(e.Example) +
				".\n\n[More about it](" + e.Help + ")",
		},
		HelpURI:       e.Help,
		Configuration: sarif.Default{Level: levels[info.Severity]},
		Properties: sarif.Properties{Tags: []string{"safetensors", e.Severity}, Precision: "very-high",
			Problem: problems[info.Severity]},
	}
}

// sarifResult returns a finding as a result. The tensor is a logical location, which viewers can
// group by. Seen counts equal fingerprints.
func (c *Check) sarifResult(f *Finding, rules []safetensors.Rule, seen map[string]int) sarif.Result {
	at := sarif.Location{Physical: sarif.Physical{Artifact: sarif.At(c.Root, f.File), Region: sarif.WholeFile}}
	if f.Span != (safetensors.Span{}) {
		length := max(f.Span.Len(), 0)
		at.Physical.Region.ByteOffset, at.Physical.Region.ByteLength = &f.Span.Begin, &length
	}
	if f.Tensor != "" {
		at.Logical = []sarif.Logical{{Name: typeset.Shortened(f.Tensor), Kind: "object"}}
	}
	print := f.fingerprint()
	r := sarif.Result{
		RuleID: string(f.Rule), RuleIndex: slices.Index(rules, f.Rule), Level: levels[f.Severity],
		Message: sarif.Message(f.Detail), Locations: []sarif.Location{at},
		Fingerprints: sarif.Fingerprints(print, seen),
	}
	if f.Allowed != "" {
		r.Suppressions = []sarif.Suppression{{Kind: "external", Status: "accepted", Justification: f.Allowed}}
	}
	return r
}

// fingerprint identifies the finding across runs, by rule, file and tensor. It does not depend on
// offsets or messages, which change.
func (f *Finding) fingerprint() string {
	sum := sha256.Sum256([]byte(string(f.Rule) + "\x00" + cmp.Or(f.Key, f.File) + "\x00" + f.Tensor))
	return hex.EncodeToString(sum[:16])
}
