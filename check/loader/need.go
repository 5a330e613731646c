// Needs: what programs do with repositories that violate a rule.

package loader

import (
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// A Need says what a program does with a repository that violates a rule.
type Need struct {
	Rule   safetensors.Rule
	Loader Name
	File   string // the name of the only file that the need is about, or "" for every one

	// Severity is the severity of a violation for this program: Error if the program stops, or computes with wrong
	// weights; Warning if it depends on options or versions.
	Severity safetensors.Severity

	// Does is what the program does, as a clause that follows its name: "finds no weights, and stops with OSError".
	Does string

	// Source is the file and the function of the program that do it.
	Source string
}

// indexName is the index that programs look for.
const indexName = "model.safetensors.index.json"

// needs has the tables of all programs.
var needs = slices.Concat(transformersNeeds, vllmNeeds, sglangNeeds, llamaCPPNeeds, mlxNeeds, ollamaNeeds,
	diffusersNeeds, comfyUINeeds)

// Needs returns the needs of all programs.
func Needs() []Need { return slices.Clone(needs) }

// Needing returns those of the given programs that have a need about the rule.
func Needing(rule safetensors.Rule, names []Name) []Name {
	var list []Name
	for i := range needs {
		if needs[i].Rule == rule && slices.Contains(names, needs[i].Loader) {
			list = append(list, needs[i].Loader)
		}
	}
	return list
}

// Apply returns the report on a file with the severities that its violations have for the given programs. Severities are
// raised, and never lowered. The detail of a violation says what the programs do that have a need about its rule. The
// report itself is not changed.
func Apply(file string, report *safetensors.Report, names []Name) *safetensors.Report {
	if report == nil || len(names) == 0 {
		return report
	}
	changed := *report
	changed.Violations = slices.Clone(report.Violations)
	for i, v := range changed.Violations {
		changed.Violations[i] = apply(path.Base(file), v, names)
	}
	return &changed
}

// apply returns a violation as it matters to the given programs.
func apply(base string, v *safetensors.Violation, names []Name) *safetensors.Violation {
	var does, list []string
	severity := v.Severity
	if v.For != nil {
		severity = safetensors.Note
	}
	for i := range needs {
		n := &needs[i]
		if n.Rule != v.Rule || n.File != "" && n.File != base || !slices.Contains(names, n.Loader) ||
			v.For != nil && !slices.Contains(v.For, string(n.Loader)) {
			continue
		}
		severity, list = max(severity, n.Severity), append(list, string(n.Loader))
		does = append(does, string(n.Loader)+" "+n.Does)
	}
	if list == nil {
		return v
	}
	one := *v
	one.Severity, one.For = severity, list
	one.Detail += "; " + strings.Join(does, "; ")
	return &one
}

// Severity returns the severity that a rule has for the given programs: its own one, or a higher one.
func Severity(rule safetensors.Rule, own safetensors.Severity, names []Name) safetensors.Severity {
	for i := range needs {
		if needs[i].Rule == rule && needs[i].File == "" && slices.Contains(names, needs[i].Loader) {
			own = max(own, needs[i].Severity)
		}
	}
	return own
}
