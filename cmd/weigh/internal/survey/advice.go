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

// adviseFirst changes the advice that commands would refuse, because something else has to be mended first.
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
	for i := range s.Findings {
		f := &s.Findings[i]
		ofSet := target.IsIndex(f.File) || strings.Contains(path.Base(f.File), "*")
		in := func(files map[string]bool) bool { return files[f.File] || ofSet && files[path.Dir(f.File)+"/"] }
		fix := ""
		switch {
		// Edit --fix refuses files with something else that is wrong or, for an index or a folder, such shards.
		case strings.Contains(f.Fix, repairs) && in(refused):
			fix = "First do what is advised about the findings that are invalid: until then no command repairs this one."
		case f.Rule == checkpoint.RuleWeightsFormat && in(empty):
			fix = "First save the model again, as is advised about tensor-empty: until then no command converts it."
		default:
			continue
		}
		v := *f.Violation
		v.Fix = fix
		s.Findings[i] = finding.Finding{Violation: &v, File: f.File, Key: f.Key, Allowed: f.Allowed}
	}
}
