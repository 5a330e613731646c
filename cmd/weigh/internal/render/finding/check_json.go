// Checks as JSON.

package finding

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/rules"
)

// checkFinding is a finding in JSON.
type checkFinding struct {
	findingJSON
	Allowed *string `json:"allowed"` // null if it is not allowed
}

// findingsJSON streams the findings.
func (c *Check) findingsJSON() encode.Elements {
	return func(yield func(any) bool) {
		for i := range c.Findings {
			j := checkFinding{findingJSON: c.Findings[i].json()}
			if why := c.Findings[i].Allowed; why != "" {
				j.Allowed = &why
			}
			if !yield(j) {
				return
			}
		}
	}
}

// severityCounts is a census in JSON.
type severityCounts struct {
	Invalid       int64 `json:"invalid"`
	Nonconforming int64 `json:"nonconforming"`
	Warning       int64 `json:"warning"`
	Note          int64 `json:"note"`
}

func (n *census) json() severityCounts {
	return severityCounts{n[safetensors.Invalid], n[safetensors.Nonconforming], n[safetensors.Warning],
		n[safetensors.Note]}
}

// A ruleCount is the number of findings of one rule.
type ruleCount struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Count    int64  `json:"count"`   // not allowed
	Allowed  int64  `json:"allowed"` // allowed
}

// rules counts the findings of each rule, the most severe first.
func (c *Check) rules() []ruleCount {
	counts := make(map[safetensors.Rule]*ruleCount)
	add := func(r safetensors.Rule, n int64, allowed string) {
		one := counts[r]
		if one == nil {
			one = &ruleCount{Rule: string(r), Severity: rules.Severity(r).String()}
			counts[r] = one
		}
		if allowed == "" {
			one.Count += n
		} else {
			one.Allowed += n
		}
	}
	for i := range c.Findings {
		add(c.Findings[i].Rule, 1, c.Findings[i].Allowed)
	}
	for _, o := range c.Omitted {
		add(o.Rule, int64(o.N), o.Allowed)
	}
	list := []ruleCount{}
	for _, r := range slices.SortedFunc(maps.Keys(counts), func(a, b safetensors.Rule) int {
		return cmp.Or(cmp.Compare(rules.Severity(b), rules.Severity(a)), cmp.Compare(a, b))
	}) {
		list = append(list, *counts[r])
	}
	return list
}

// omitted returns the number of findings that were counted but not kept.
func (c *Check) omitted() (n int) {
	for _, o := range c.Omitted {
		n += o.N
	}
	return n
}

// JSON writes weigh.check/1.
func (c *Check) JSON(w io.Writer, s typeset.Style) error {
	type unread struct {
		File    string `json:"file"`
		Message string `json:"message"`
	}
	errors := make([]unread, len(c.Unread))
	for i, u := range c.Unread {
		errors[i] = unread(u)
	}
	found, allowed := countFindings(c.Findings, c.Omitted, false), countFindings(c.Findings, c.Omitted, true)
	failOn := "never"
	if c.FailOn < Never {
		failOn = c.FailOn.String()
	}
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.check/1"),
		encode.M("targets", c.Targets),
		encode.M("ok", !c.Failed() && len(c.Unread) == 0),
		encode.M("fail_on", failOn),
		encode.M("findings", c.findingsJSON()),
		encode.M("counts", found.json()),
		encode.M("allowed", allowed.json()),
		encode.M("rules", c.rules()),
		encode.M("omitted", c.omitted()),
		encode.M("configs", append([]string{}, c.Configs...)),
		encode.M("stale", append([]Stale{}, c.Stale...)),
		encode.M("unread", errors),
	})
}
