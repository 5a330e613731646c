// The glossary: the modules of models whose names are known, from data/modules.txt and the maps of package respell.

package adapter

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/weightools/safetensors/edit/respell"
)

//go:embed data/modules.txt
var data embed.FS

// A language is whose names of modules a path is made of.
type language uint8

// The languages.
const (
	own      language = iota // of transformers or diffusers
	original                 // of the code that the authors of a model published
	xlabs                    // of XLabs' trainer for Flux
)

// An arch is a model whose modules are known.
type arch struct {
	name   string
	hints  []string       // words in metadata
	limits map[string]int // the most layers of a stack
	inner  []string       // the modules, if it is what other models have several of
}

// A rule is one or several modules that are one or several others in another language.
type rule struct {
	arch       *arch
	own, other []string // paths with placeholders; no others if no other name is known
	lang       language // of the others
	transform  string
}

// paths returns the paths in a language.
func (r *rule) paths(l language) []string {
	switch l {
	case own:
		return r.own
	case r.lang:
		return r.other
	}
	return nil
}

// A template is a path in a language, and the rule that has it.
type template struct {
	path string
	at   int // among the paths of the rule
	lang language
	rule *rule
}

// A glossary finds templates by paths whose numbers are replaced, with dots or with underscores for them.
type glossary struct{ dotted, flat map[string][]*template }

// attention is the arch of what a map has as a whole for each attention of a UNet.
const attention = "Transformer2DModel"

// glossaryOf is read when it is needed first. A test shows that the data has no errors.
var glossaryOf = sync.OnceValue(func() *glossary {
	text, err := data.ReadFile("data/modules.txt")
	if err != nil {
		panic(err)
	}
	g, err := readGlossary(string(text))
	if err != nil {
		panic(err)
	}
	return g
})

// readGlossary reads the data.
func readGlossary(text string) (*glossary, error) {
	g := &glossary{make(map[string][]*template), make(map[string][]*template)}
	inner := &arch{}
	var a *arch
	for i, line := range strings.Split(text, "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		var err error
		switch {
		case word == "" || word[0] == '#':
		case word == "arch":
			if a = (&arch{name: rest, limits: make(map[string]int)}); rest == attention {
				inner = a
			}
		case a == nil:
			err = fmt.Errorf("%q is about no model", line)
		case word == "hint":
			a.hints = strings.Fields(rest)
		case word == "limit":
			stack, n, _ := strings.Cut(rest, " ")
			a.limits[stack], err = strconv.Atoi(n)
		case word == "map":
			err = g.addMap(a, rest, inner.inner)
		case a == inner:
			a.inner = append(a.inner, line)
		case word == "xlabs":
			g.addLine(a, xlabs, rest)
		default:
			g.addLine(a, original, line)
		}
		if err != nil {
			return nil, fmt.Errorf("data/modules.txt:%d: %w", i+1, err)
		}
	}
	return g, nil
}

// addLine adds a rule: "OWN + OWN => OTHER : TRANSFORM", "OWN => -", or a name that is the same in both.
func (g *glossary) addLine(a *arch, lang language, line string) {
	from, to, differs := strings.Cut(line, " => ")
	to, transform, _ := strings.Cut(to, " : ")
	r := &rule{arch: a, own: strings.Split(from, " + "), lang: lang, transform: transform}
	switch {
	case !differs:
		r.other = r.own
	case to != "-":
		r.other = strings.Split(to, " + ")
	}
	g.add(r)
}

// addMap adds the weights of a map of package respell.
func (g *glossary) addMap(a *arch, name string, inner []string) error {
	rules := respell.Layout(name)
	if rules == nil {
		return fmt.Errorf("there is no map %q", name)
	}
	for _, one := range rules {
		from, ok := weights(one.From)
		to, ok2 := weights(one.To)
		if !ok || !ok2 || len(from) == 0 || len(to) == 0 {
			continue
		}
		if len(from) == 1 && strings.Contains(from[0], "attentions.") && strings.HasSuffix(one.From[0], ".{*}") {
			for _, module := range inner {
				g.add(&rule{arch: a, own: []string{from[0] + "." + module}, other: []string{to[0] + "." + module}, lang: original})
			}
		}
		g.add(&rule{arch: a, own: from, other: to, lang: original, transform: one.Steps})
	}
	return nil
}

// weights returns the modules of weights.
func weights(tensors []string) (paths []string, ok bool) {
	for _, name := range tensors {
		path, ok := strings.CutSuffix(name, ".weight")
		if !ok {
			path, ok = strings.CutSuffix(name, ".{*}")
		}
		if !ok {
			return nil, false
		}
		paths = append(paths, path)
	}
	return paths, true
}

// add adds a rule in both languages. XLabs' names are only read.
func (g *glossary) add(r *rule) {
	if r.lang != xlabs {
		for i, path := range r.own {
			g.addTemplate(&template{path, i, own, r})
		}
	}
	for i, path := range r.other {
		g.addTemplate(&template{path, i, r.lang, r})
	}
}

func (g *glossary) addTemplate(t *template) {
	dotted, flat := keyOf(t.path, "."), keyOf(strings.ReplaceAll(t.path, ".", "_"), "_")
	g.dotted[dotted] = append(g.dotted[dotted], t)
	g.flat[flat] = append(g.flat[flat], t)
}

// has reports whether a model has as many layers as a path says.
func (a *arch) has(path []string) bool {
	for i, word := range path[:max(len(path)-1, 0)] {
		if most, ok := a.limits[word]; ok {
			if n, err := strconv.Atoi(path[i+1]); err == nil && n >= most {
				return false
			}
		}
	}
	return true
}

// hint returns a word by which metadata names the model.
func (a *arch) hint() string {
	if len(a.hints) == 0 {
		return a.name
	}
	return a.hints[0]
}

// isMeant reports whether metadata names the model.
func (a *arch) isMeant(metadata map[string]string) bool {
	for _, key := range []string{"ss_base_model_version", "modelspec.architecture"} {
		value := strings.ToLower(metadata[key])
		if slices.ContainsFunc(a.hints, func(hint string) bool { return strings.Contains(value, hint) }) {
			return true
		}
	}
	return false
}
