package names_test

import (
	"slices"
	"testing"

	"github.com/weightools/safetensors/model/names"
)

// llama returns the names of a llama with two layers.
func llama() []string { return instances(names.Find("llama", ""), 2) }

// instances returns the required and tied names of an architecture with some layers and as many experts.
func instances(a *names.Architecture, layers int) (list []string) {
	for i := range a.Tensors {
		if t := &a.Tensors[i]; t.Need <= names.Tied {
			list = append(list, numbered(t.Name, layers)...)
		}
	}
	return list
}

// numbered returns a name with each of so many numbers in place of each placeholder.
func numbered(name string, count int) []string {
	for i := range name {
		if name[i] != '{' {
			continue
		}
		var list []string
		for n := range count {
			list = append(list, numbered(name[:i]+string(rune('0'+n))+name[i+3:], count)...)
		}
		return list
	}
	return []string{name}
}

func prefixed(prefix string, list []string) []string {
	list = slices.Clone(list)
	for i := range list {
		list[i] = prefix + list[i]
	}
	return list
}

func TestRecognizeWrappers(t *testing.T) {
	for prefix, want := range map[string]string{
		"_orig_mod.":                 "torch.compile",
		"module.":                    "DistributedDataParallel or DeepSpeed",
		"_fsdp_wrapped_module.":      "FSDP",
		"base_model.model.":          "PEFT",
		"module._orig_mod.":          "torch.compile",
		"model.language_model.":      "",
		"_forward_module._orig_mod.": "Lightning",
	} {
		r := names.Recognize(slices.Values(prefixed(prefix, llama())))
		fit, ok := r.Best()
		if !ok || fit.Lacks != "" || len(fit.Missing) > 0 || len(fit.Unknown) > 0 {
			t.Errorf("%s: %v %+v", prefix, ok, fit)
			continue
		}
		of, _ := names.WrappersOf(fit.Extra)
		for _, w := range r.Wrappers {
			of = append(of, w.Wrapper)
		}
		if want != "" && !slices.ContainsFunc(of, func(w names.Wrapper) bool { return w.Of == want }) {
			t.Errorf("%s: got %v, want %s", prefix, of, want)
		}
	}
}

func TestRecognizeLacks(t *testing.T) {
	list := []string{}
	for _, name := range llama() {
		if rest := name[min(6, len(name)):]; name[:6] == "model." {
			list = append(list, rest)
		}
	}
	r := names.Recognize(slices.Values(list))
	fit := r.Parts[0].Fit(names.Find("llama", ""))
	if fit.Lacks != "model." || fit.Extra != "" || len(fit.Missing) != 0 {
		t.Errorf("got %+v", fit)
	}
}
