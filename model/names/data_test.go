package names_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/model/names"
)

// TestData shows that each table has a source, and that no two tensors get the same name.
func TestData(t *testing.T) {
	for _, a := range names.All() {
		if a.Source == "" || len(a.Tensors) == 0 || a.Form == "" {
			t.Errorf("%s has no source or no tensors", a.Type)
		}
		for _, tensor := range a.Tensors {
			if strings.ContainsAny(tensor.Name, " ,+*#") || strings.Contains(tensor.Name, "..") {
				t.Errorf("%s has a tensor %q", a.Type, tensor.Name)
			}
		}
		forms := map[names.Form]bool{a.Form: true}
		for _, s := range a.Spellings() {
			if forms[s.Form] {
				t.Errorf("%s has two spellings %s", a.Type, s.Form)
			}
			forms[s.Form] = true
			checkSpelling(t, a, s)
		}
	}
}

func checkSpelling(t *testing.T, a *names.Architecture, s *names.Spelling) {
	t.Helper()
	if s.Source == "" || len(s.Renames) < 3 {
		t.Errorf("%s as %s: source %q, %d names", a.Type, s.Form, s.Source, len(s.Renames))
	}
	seen := map[string]string{}
	for _, r := range s.Renames {
		for _, name := range r.To {
			of, _ := a.Tensor(r.From[0])
			if before, ok := seen[name]; ok && of.Need != names.Some {
				t.Errorf("%s as %s: %s and %v are both %s", a.Type, s.Form, before, r.From, name)
			}
			seen[name] = strings.Join(r.From, " + ")
		}
	}
}

// notInGGUF are words in names of tensors that llama.cpp reads from metadata or from another file.
var notInGGUF = []string{"vision_tower.", "multi_modal_projector.", ".act_fn.alpha_", ".pooler."}

// TestSpellingsAreWhole shows that spellings lack no tensor that each model has, but for the heads of encoders.
func TestSpellingsAreWhole(t *testing.T) {
	for _, a := range names.All() {
		for _, s := range a.Spellings() {
			for _, name := range s.Lacks {
				if tensor, _ := a.Tensor(name); tensor.Need != names.Required || !strings.HasPrefix(name, a.Prefix) ||
					s.Form == names.GGUF && slices.ContainsFunc(notInGGUF, func(w string) bool { return strings.Contains(name, w) }) {
					continue
				}
				t.Errorf("%s as %s lacks %s", a.Type, s.Form, name)
			}
		}
	}
}

// TestRecognizeEach shows that each architecture is recognized by its own names, in each form.
func TestRecognizeEach(t *testing.T) {
	for _, a := range names.All() {
		list := instances(a, 2)
		parts := names.Recognize(slices.Values(list)).Parts
		if len(parts) != 1 || parts[0].Container != "" {
			continue // nothing that each model has, or as in a file with several models
		}
		fit := parts[0].Fit(a)
		switch {
		case fit == nil:
			t.Errorf("%s is not recognized", a.Type)
		case fit.Form == a.Form && (len(fit.Missing) > 0 || len(fit.Unknown) > 0 || fit.Extra != "" || fit.Lacks != ""):
			t.Errorf("%s: extra %q, lacks %q, class %s, missing %v, unknown %v", a.Type, fit.Extra, fit.Lacks, fit.Class,
				fit.Missing, fit.Unknown)
		}
		for _, s := range a.Spellings() {
			list = nil
			for _, r := range s.Renames {
				for _, name := range r.To {
					list = append(list, numbered(name, 2)...)
				}
			}
			fits := names.Recognize(slices.Values(list)).Parts[0]
			if fit := fits.Fit(a); fit == nil || len(fit.Unknown) > 0 && fits.Container == "" {
				t.Errorf("%s as %s is not recognized: %+v", a.Type, s.Form, fit)
			}
		}
	}
}
