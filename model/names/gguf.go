// GGUF: the names that llama.cpp's converter gives.

package names

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed gguf/maps.txt
var mapsOfGGUF string

// numbers replaces placeholders as the map has them.
var numbers = strings.NewReplacer("{n}", "#", "{m}", "#", "{l}", "#", "{k}", "#", "{x}", "#")

// MapsOfGGUF returns the text of the map from names of GGUF files to those of transformers, which describes itself.
func MapsOfGGUF() string { return mapsOfGGUF }

// addGGUF adds the spellings of GGUF that the map has for the architectures.
func (t *tableSet) addGGUF() {
	done := make(map[*Architecture]bool)
	for section := range strings.SplitSeq(mapsOfGGUF, "\n= ") {
		classes, lines, _ := strings.Cut(section, "\n")
		for class := range strings.FieldsSeq(classes) {
			a := t.classes[class]
			if a == nil || done[a] {
				continue
			}
			if s := a.ofGGUF(lines); s != nil {
				done[a] = true
				t.spellings[a.id] = append(t.spellings[a.id], s)
			}
		}
	}
}

// ofGGUF returns the spelling that lines of the map give an architecture, or nil if they do not name all tensors that
// each layer has: then models of the architecture are more than the language model that the lines are about.
func (a *Architecture) ofGGUF(lines string) *Spelling {
	byPattern := make(map[string]*Tensor, len(a.Tensors))
	for i := range a.Tensors {
		byPattern[numbers.Replace(a.Tensors[i].Name)] = &a.Tensors[i]
	}
	s := &Spelling{Form: GGUF, Source: "llama.cpp b11434 convert_hf_to_gguf.py"}
	has := make(map[*Tensor]bool)
	for line := range strings.Lines(lines) {
		to, rest, _ := strings.Cut(strings.TrimSpace(line), " = ")
		from, how, _ := strings.Cut(rest, " ")
		from = strings.ReplaceAll(from, "*", "#")
		of := byPattern[from]
		if of == nil {
			of = byPattern[a.Prefix+from]
		}
		to = strings.ReplaceAll(to, "#", "{n}")
		if of != nil && !(has[of] && slices.ContainsFunc(s.Renames, func(r Rename) bool { return r.To[0] == to })) {
			has[of] = true
			s.Renames = append(s.Renames, Rename{[]string{of.Name}, []string{to}, how})
		}
	}
	for i := range a.Tensors {
		of := &a.Tensors[i]
		if has[of] {
			continue
		}
		if of.Need == Required && of.Role == Layer && !strings.Contains(of.Name, ".act_fn.") {
			return nil
		}
		s.Lacks = append(s.Lacks, of.Name)
	}
	return s
}
