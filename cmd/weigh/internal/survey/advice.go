// Advice that would not work.

package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/edit"
)

// repairs is what commands have that repair files in place.
const repairs = "edit --in-place --fix"

// adviseFirst changes the advice of findings that edit --fix repairs in files that it refuses, because something else
// is wrong with them or, for an index or a folder, with their shards.
func (s *Survey) adviseFirst() {
	files, folders := make(map[string]bool), make(map[string]bool)
	for _, f := range s.Findings {
		ofCheck := slices.ContainsFunc(check.Rules(), func(info safetensors.RuleInfo) bool { return info.Rule == f.Rule })
		if f.Severity == safetensors.Invalid && !ofCheck && !edit.Mends(f.Rule) && !strings.Contains(f.Fix, repairs) {
			files[f.File], folders[path.Dir(f.File)] = true, true
		}
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		ofSet := target.IsIndex(f.File) || strings.Contains(path.Base(f.File), "*")
		if strings.Contains(f.Fix, repairs) && (files[f.File] || ofSet && folders[path.Dir(f.File)]) {
			v := *f.Violation
			v.Fix = "First do what is advised about the findings that are invalid: until then no command repairs this one."
			s.Findings[i] = finding.Finding{Violation: &v, File: f.File, Key: f.Key, Allowed: f.Allowed}
		}
	}
}
