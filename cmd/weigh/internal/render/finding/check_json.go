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
)

// checkFinding is a finding in JSON.
type checkFinding struct {
	findingJSON
	Allowed *string `json:"allowed"` // null if it is not allowed
}

// json returns the counts for JSON, by severity.
func (n *census) json() (members []encode.Member) {
	for _, s := range severities {
		members = append(members, encode.M(s.String(), n[s]))
	}
	return members
}

// A ruleCount is the number of findings of one rule.
type ruleCount struct {
	Rule     safetensors.Rule `json:"rule"`
	Severity string           `json:"severity"`
	Count    int64            `json:"count"`   // not allowed
	Allowed  int64            `json:"allowed"` // allowed

	severity safetensors.Severity // the highest of its findings
}

// rules counts the findings of each rule, the most severe first.
func (c *Check) rules() []*ruleCount {
	counts := make(map[safetensors.Rule]*ruleCount)
	add := func(r safetensors.Rule, severity safetensors.Severity, n int64, allowed string) {
		one := counts[r]
		if one == nil {
			one = &ruleCount{Rule: r}
			counts[r] = one
		}
		one.severity = max(one.severity, severity)
		one.Severity = one.severity.String()
		if allowed == "" {
			one.Count += n
		} else {
			one.Allowed += n
		}
	}
	for i := range c.Findings {
		add(c.Findings[i].Rule, c.Findings[i].Severity, 1, c.Findings[i].Allowed)
	}
	for i := range c.Omitted {
		o := &c.Omitted[i]
		add(o.Rule, o.severity(), int64(o.N), o.Allowed)
	}
	return slices.SortedFunc(maps.Values(counts), func(a, b *ruleCount) int {
		return cmp.Or(cmp.Compare(b.severity, a.severity), cmp.Compare(a.Rule, b.Rule))
	})
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
	found, allowed := countFindings(c.Findings, c.Omitted, false), countFindings(c.Findings, c.Omitted, true)
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.check/1"),
		encode.M("targets", c.Targets),
		encode.M("ok", !c.Failed() && len(c.Unread) == 0 && found.worst() < safetensors.Error),
		encode.M("fail_on", c.FailOn.String()),
		encode.M("findings", encode.List(c.Findings, func(f *Finding) any {
			return checkFinding{f.json(), encode.OrNull(f.Allowed)}
		})),
		encode.M("counts", found.json()),
		encode.M("allowed", allowed.json()),
		encode.M("rules", c.rules()),
		encode.M("omitted", c.omitted()),
		encode.M("configs", c.Configs),
		encode.M("stale", c.Stale),
		encode.M("unread", c.Unread),
	})
}
