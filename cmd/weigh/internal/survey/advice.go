// Advice that would not work.

package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/edit"
)

// repairs is what commands have that repair files in place.
const repairs = "edit --in-place --fix"

// adviseFirst changes the advice that commands would refuse, because something else has to be mended first. It drops
// what is no fault of its own: files without the values of their weights are alike, and cannot be converted.
func (s *Survey) adviseFirst() {
	refused, empty := make(map[string]bool), make(map[string]bool) // files and their folders
	for _, f := range s.Findings {
		ofCheck := slices.ContainsFunc(check.Rules(), func(info safetensors.RuleInfo) bool { return info.Rule == f.Rule })
		if f.Severity == safetensors.Invalid && !ofCheck && !edit.Mends(f.Rule) && !strings.Contains(f.Fix, repairs) {
			refused[f.File], refused[path.Dir(f.File)+"/"] = true, true
		}
		if f.Rule == check.RuleTensorEmpty {
			empty[f.File], empty[path.Dir(f.File)+"/"] = true, true
		}
	}
	in := func(files map[string]bool, f *finding.Finding) bool {
		ofSet := target.IsIndex(f.File) || strings.Contains(path.Base(f.File), "*")
		return files[f.File] || ofSet && files[path.Dir(f.File)+"/"]
	}
	s.Findings = slices.DeleteFunc(s.Findings, func(f finding.Finding) bool {
		return (f.Rule == checkpoint.RuleWeightsFormat || f.Rule == checkpoint.RuleTwoCopies) && in(empty, &f)
	})
	for i := range s.Findings {
		f := &s.Findings[i]
		// Edit --fix refuses files with something else that is wrong or, for an index or a folder, such shards.
		if !strings.Contains(f.Fix, repairs) || !in(refused, f) {
			continue
		}
		v := *f.Violation
		v.Fix = "First do what is advised about the findings that are invalid: until then no command repairs this one."
		s.Findings[i] = finding.Finding{Violation: &v, File: f.File, Key: f.Key, Allowed: f.Allowed}
	}
}
