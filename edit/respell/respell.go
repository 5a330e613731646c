// Package respell changes the names of a model from one form to another: those of transformers, of the authors, of MLX
// and others, with the layouts that go with them.
//
//	arrange, err := respell.To("meta")
//	receipt, err := (&edit.Edit{Arrange: arrange}).Write(ctx, "llama", "llama-meta")
//
// It recognizes the form of the source by package names, and refuses models of which a name has no spelling in either
// form: a model is never renamed in part.
package respell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/edit/remap"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model/names"
)

// To returns an [edit.Edit].Arrange that gives tensors the names of a form; see [Forms].
func To(form string) (func(*edit.Input) (*edit.Output, error), error) {
	i := slices.IndexFunc(forms, func(f Form) bool { return f.Name == form })
	if i < 0 {
		return nil, fmt.Errorf("%q is no form of names; the forms are %s", form, strings.Join(Names(), ", "))
	}
	return forms[i].arrange, nil
}

// arrange is an [edit.Edit].Arrange.
func (f *Form) arrange(in *edit.Input) (*edit.Output, error) {
	out, refused, err := f.builtin(in)
	if out != nil || err != nil {
		return out, err
	}
	if out, err = f.tabled(in); err != nil && refused != nil {
		return nil, refused
	}
	return out, err
}

// tabled changes names by the tables.
func (f *Form) tabled(in *edit.Input) (*edit.Output, error) {
	r := &respelling{Form: f, in: in, origin: make(map[*safetensors.Tensor]origin)}
	if err := r.recognize(); err != nil {
		return nil, err
	}
	tensors, err := r.spell()
	if err != nil {
		return nil, err
	}
	params, err := in.Params()
	if err != nil {
		return nil, err
	}
	from := r.from()
	if from == r.to { // for names of their own with the same layout
		return r.output(tensors)
	}
	if own := r.fit.Architecture.Form; from != own {
		if tensors, err = r.apply(from, true, tensors, params); err != nil {
			return nil, err
		}
	}
	if !slices.Contains(f.forms, r.fit.Architecture.Form) {
		if tensors, err = r.apply(r.to, false, tensors, params); err != nil {
			return nil, err
		}
	}
	return r.output(tensors)
}

// from returns the form of the input. Of some architectures, MLX has the names of transformers, and other layouts: then
// its metadata decides.
func (r *respelling) from() names.Form {
	a := r.fit.Architecture
	if r.in.Metadata["format"] == "mlx" && a.Spelling(names.MLX) != nil {
		return names.MLX
	}
	return r.fit.Form
}

// A respelling is a change of names while it is made.
type respelling struct {
	*Form
	in     *edit.Input
	fit    *names.Fit
	to     names.Form
	origin map[*safetensors.Tensor]origin
}

// An origin is the tensors of the input that a tensor is made of, and the steps.
type origin struct {
	from []*safetensors.Tensor
	how  string
}

// recognize finds the architecture and the form of the names.
func (r *respelling) recognize() error {
	found := names.Recognize(func(yield func(string) bool) {
		for _, t := range r.in.Tensors {
			if !yield(t.Name) {
				return
			}
		}
	})
	if len(found.Parts) > 1 {
		return r.several(found)
	}
	fits := found.Parts[0].Best()
	if a := r.configured(); a != nil {
		if fit := found.Parts[0].Fit(a); fit != nil && (len(fits) == 0 || fit.Known >= fits[0].Known) {
			fits = []*names.Fit{fit}
		}
	}
	if len(fits) == 0 {
		return fmt.Errorf("the names are not those of an architecture in the tables; the first is %s: --map renames by rules "+
			"of your own", wording.Quote(r.in.Tensors[0].Name))
	}
	if err := r.choose(fits); err != nil {
		return err
	}
	if r.from() == names.MLX {
		for _, fit := range found.Parts[0].Fits {
			if fit.Architecture == r.fit.Architecture && fit.Form == names.MLX && fit.Known >= r.fit.Known {
				r.fit = fit
			}
		}
	}
	return nil
}

// choose chooses among architectures that fit equally well. They must agree about the names that the models have.
func (r *respelling) choose(fits []*names.Fit) error {
	for _, fit := range fits {
		to, ok := r.targetFor(fit.Architecture)
		if !ok {
			continue
		}
		if r.fit == nil {
			r.fit, r.to = fit, to
			continue
		}
		if fit.Architecture.Form != r.fit.Architecture.Form || rulesText(fit.Architecture, to) != rulesText(r.fit.Architecture, r.to) {
			return fmt.Errorf("the names fit %s and %s, which differ in the form %q: model_type of config.json decides, and "+
				"is missing", r.fit.Architecture.Type, fit.Architecture.Type, r.Name)
		}
	}
	if r.fit == nil {
		return fmt.Errorf("the tables have no names of %s in the form %q", fits[0].Architecture.Type, r.Name)
	}
	return nil
}

// rulesText returns the rules of a form, to compare them.
func rulesText(a *names.Architecture, form names.Form) string {
	if s := a.Spelling(form); s != nil {
		return fmt.Sprint(s.Renames)
	}
	return ""
}

// targetFor returns the form of names that an architecture has for the user's word.
func (f *Form) targetFor(a *names.Architecture) (names.Form, bool) {
	for _, form := range f.forms {
		if form == a.Form || a.Spelling(form) != nil {
			return form, true
		}
	}
	return "", false
}

// several returns the error of a file with several models in it.
func (r *respelling) several(found *names.Recognition) error {
	var list []string
	for _, p := range found.Parts {
		name := "--drop '" + strings.Join(containers(found), "**' --drop '") + "**'"
		if p.Container != "" {
			name = "--keep '" + p.Container + "**'"
		}
		list = append(list, name)
	}
	return fmt.Errorf("the file has %d models, which are renamed one by one: add %s", len(list), strings.Join(list, ", or "))
}

// containers returns the containers of all parts.
func containers(found *names.Recognition) (list []string) {
	for _, p := range found.Parts {
		if p.Container != "" {
			list = append(list, p.Container)
		}
	}
	return list
}

// spell returns the tensors with the names of the tables, without wrappers.
func (r *respelling) spell() ([]*safetensors.Tensor, error) {
	speller := r.fit.Speller()
	list := make([]*safetensors.Tensor, 0, len(r.in.Tensors))
	var unknown []string
	for _, t := range r.in.Tensors {
		name, known := speller(t.Name)
		if !known {
			unknown = append(unknown, t.Name)
			continue
		}
		spelled := t.Rename(name)
		r.origin[spelled] = origin{from: []*safetensors.Tensor{t}}
		list = append(list, spelled)
	}
	return list, r.refuse(unknown, r.fit.Form)
}

// refuse returns the error of names that have no spelling in a form.
func (r *respelling) refuse(unknown []string, form names.Form) error {
	if len(unknown) == 0 {
		return nil
	}
	return fmt.Errorf("the tables have no %s names of %s for %s: drop them with --drop, or use --map", form,
		r.fit.Architecture.Type, firstOf(unknown))
}

// firstOf returns the first of some names, and how many more there are.
func firstOf(unknown []string) string {
	const most = 3
	shown := make([]string, 0, most)
	for _, name := range unknown[:min(most, len(unknown))] {
		shown = append(shown, wording.Quote(name))
	}
	text := strings.Join(shown, ", ")
	if n := len(unknown) - len(shown); n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// apply changes names from those of the architecture to a form, or back.
func (r *respelling) apply(form names.Form, back bool, tensors []*safetensors.Tensor, params remap.Params) (
	[]*safetensors.Tensor, error) {
	s := r.fit.Architecture.Spelling(form)
	m, err := mapOf(r.fit.Architecture, s)
	if err == nil && back {
		m, err = m.Reverse()
	}
	if err != nil {
		return nil, fmt.Errorf("the names of %s in the form %s cannot be used: %w", r.fit.Architecture.Type, form, err)
	}
	result, err := m.Apply(tensors, params)
	if err != nil {
		return nil, err
	}
	var unknown []string
	for _, t := range result.Rest {
		if !r.isSpare(t.Name, s, back) {
			unknown = append(unknown, t.Name)
		}
	}
	made := make([]*safetensors.Tensor, len(result.Made))
	for i, one := range result.Made {
		var o origin
		for _, t := range one.From {
			was := r.origin[t]
			o.from = append(o.from, was.from...)
			if o.how == "" {
				o.how = was.how
			}
		}
		o.how = strings.TrimSpace(o.how + " " + one.How)
		if one.Tensor == one.From[0] {
			one.Tensor = one.Tensor.Rename(one.Tensor.Name) // its origin may differ
		}
		made[i], r.origin[one.Tensor] = one.Tensor, o
	}
	return made, r.refuse(unknown, form)
}

// isSpare reports whether a tensor may be dropped, because the form does not have it and computes it, or reads another
// instead.
func (r *respelling) isSpare(name string, s *names.Spelling, back bool) bool {
	if back {
		return false
	}
	t, ok := r.fit.Architecture.Tensor(name)
	return ok && t.Need == names.Buffer && slices.ContainsFunc(s.Lacks, func(l string) bool { return l == t.Name })
}

// mapOf returns the map of a spelling.
func mapOf(a *names.Architecture, s *names.Spelling) (*remap.Map, error) {
	rules := make([]remap.Rule, 0, len(s.Renames))
	for i := range s.Renames {
		if one := &s.Renames[i]; len(one.From) > 0 {
			rules = append(rules, remap.Rule{From: one.From, To: one.To, Steps: one.Transform,
				Where: fmt.Sprintf("%s to %s", a.Type, s.Form)})
		}
	}
	m, err := remap.New(rules, nil)
	if err == nil {
		m.Companions = true
	}
	return m, err
}

// output returns the tensors with the prefix of the form.
func (r *respelling) output(tensors []*safetensors.Tensor) (*edit.Output, error) {
	out := &edit.Output{Stem: r.stem(), Set: r.metadata}
	out.Described = r.bare || slices.Contains(r.forms, r.fit.Architecture.Form) || r.to == names.MLX
	for _, t := range tensors {
		name := t.Name
		if r.bare {
			name = strings.TrimPrefix(name, r.fit.Architecture.Prefix)
		}
		if r.contained && r.fit.Architecture.Form == names.Diffusers {
			name = unetContainer + name
		}
		o := r.origin[t]
		one := arrange.Made{Tensor: t, From: o.from, How: o.how}
		if name != t.Name {
			one.Tensor = t.Rename(name)
		}
		if o.how == "" && len(o.from) == 1 && o.from[0].Name == name {
			one.Tensor = o.from[0]
		}
		out.Tensors = append(out.Tensors, one)
	}
	return out, nil
}
