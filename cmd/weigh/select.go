// The flags that say which tensors are meant, and in what order.

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
)

// A choice is the flags that say which tensors are meant by their names.
type choice struct{ include, exclude []string }

// register adds the flags to a verb. What says what it does with those tensors.
func (c *choice) register(cmd *cobra.Command, what, see string) {
	f := cmd.Flags()
	f.StringArrayVar(&c.include, "include", nil, what+" tensors whose whole name matches `GLOB`, may be repeated; see "+see)
	f.StringArrayVar(&c.exclude, "exclude", nil, "leave out tensors whose name matches `GLOB`, may be repeated")
}

// A chooser is these flags, compiled.
type chooser struct{ include, exclude []*glob.Pattern }

// compile reads the flags.
func (c *choice) compile() (ch chooser, err error) {
	if ch.include, err = compileAll("--include", c.include); err != nil {
		return ch, err
	}
	ch.exclude, err = compileAll("--exclude", c.exclude)
	return ch, err
}

// has says whether the tensor of that name is chosen.
func (ch *chooser) has(name string) bool {
	matches := func(p *glob.Pattern) bool { return p.Match(name) }
	return (len(ch.include) == 0 || slices.ContainsFunc(ch.include, matches)) && !slices.ContainsFunc(ch.exclude, matches)
}

// A selection is the flags that say which tensors are listed, and in what order.
type selection struct {
	choice
	dtypes  []string
	sort    string
	reverse bool
	limit   int
}

// register adds the flags to a verb, with what shells complete them to.
func (s *selection) register(cmd *cobra.Command) {
	s.choice.register(cmd, "list", "above")
	f := cmd.Flags()
	f.StringSliceVar(&s.dtypes, "dtype", nil, "list tensors of dtype `D`, may be repeated")
	f.StringVar(&s.sort, "sort", "", "sort by `KEY`: "+strings.Join(listing.SortKeys, ", ")+"; params and bytes largest first; size is bytes")
	f.BoolVarP(&s.reverse, "reverse", "r", false, "turn the order round")
	f.IntVar(&s.limit, "limit", 0, "list at most `N` tensors; sums are of all that are selected")
	completeWords(cmd, "sort", listing.SortKeys)
	completeWords(cmd, "dtype", dtypeNames())
}

// read reads the flags.
func (s *selection) read() (listing.Selection, error) {
	if s.sort == "size" {
		s.sort = "bytes" // as ls and du call it
	}
	sel := listing.Selection{Sort: s.sort, Reverse: s.reverse, Limit: s.limit}
	if s.limit < 0 {
		return sel, usagef("--limit is %d, and cannot be negative", s.limit)
	}
	if s.sort != "" && !slices.Contains(listing.SortKeys, s.sort) {
		meant := ""
		if word := suggest(s.sort, listing.SortKeys); word != "" {
			meant = fmt.Sprintf("did you mean %q? ", word)
		}
		return sel, usagef("--sort cannot be %q: %sthe keys are %s", s.sort, meant, strings.Join(listing.SortKeys, ", "))
	}
	chosen, err := s.compile()
	if err != nil {
		return sel, err
	}
	sel.Include, sel.Exclude = chosen.include, chosen.exclude
	for _, d := range s.dtypes {
		sel.Dtypes = append(sel.Dtypes, spelled(d))
	}
	return sel, nil
}

// unmatched returns the error of the first of patterns that matches none of names. That
// is a slip: what is said of no tensor reads like good news of those that were meant.
// Patterns match whole names, and those who know grep expect a part to do.
func unmatched(patterns []*glob.Pattern, names func(*glob.Pattern) bool) error {
	for _, p := range patterns {
		if names(p) {
			continue
		}
		advice := "and weigh info lists the names"
		if wider := widened(p.String(), names); wider != "" {
			advice = "try '" + wider + "'"
		}
		return usagef("no tensor is called %q: a pattern matches the whole name, %s", p, advice)
	}
	return nil
}

// widened returns a pattern that matches more than the given one and something at all,
// or "".
func widened(pattern string, names func(*glob.Pattern) bool) string {
	wider := "**" + strings.Trim(pattern, "*") + "**"
	if p, err := glob.Compile(wider); err != nil || !names(p) {
		return ""
	}
	return wider
}

// named returns what says whether one of tensors has a name that a pattern matches.
func named(tensors ...[]*safetensors.Tensor) func(*glob.Pattern) bool {
	return func(p *glob.Pattern) bool {
		return slices.ContainsFunc(slices.Concat(tensors...), func(t *safetensors.Tensor) bool { return p.Match(t.Name) })
	}
}

// remarkOnNothing says why a selection may have nothing in it.
func (a *app) remarkOnNothing(s *selection, files []listing.File) {
	for _, pattern := range s.include {
		wider := widened(pattern, func(p *glob.Pattern) bool {
			return slices.ContainsFunc(files, func(f listing.File) bool { return hasName(f.Header, p) })
		})
		if wider != "" {
			a.remark("no tensor matches: a pattern matches the whole name, try '%s'", wider)
			return
		}
	}
	a.remark("no tensor matches")
}

// hasName says whether a header, if there is one, has a tensor that p matches.
func hasName(h *safetensors.Header, p *glob.Pattern) bool {
	return h != nil && slices.ContainsFunc(h.Tensors, func(ti safetensors.TensorInfo) bool { return p.Match(ti.Name) })
}

// spelled returns the dtype that s is, in whatever case. Dtypes that the format
// does not have may be in a file all the same.
func spelled(s string) safetensors.Dtype {
	if d := safetensors.Dtype(strings.ToUpper(s)); d.Bits() > 0 {
		return d
	}
	return safetensors.Dtype(s)
}

// unknownDtype returns an error if a dtype is selected that is neither one of
// the format's nor in any of the files: it is a slip then.
func unknownDtype(sel *listing.Selection, files []listing.File) error {
	for _, d := range sel.Dtypes {
		if d.Bits() > 0 || slices.ContainsFunc(files, func(f listing.File) bool { return hasDtype(f.Header, d) }) {
			continue
		}
		return wrongDtype("--dtype", string(d))
	}
	return nil
}

// wrongDtype returns the error of a flag that was given a dtype which is none.
func wrongDtype(flag, dtype string) error {
	return usagef("%s cannot be %q, but one of %s", flag, dtype, strings.Join(dtypeNames(), ", "))
}

// dtypeNames returns the names of all dtypes, in the format's order.
func dtypeNames() (names []string) {
	for d := range safetensors.Dtypes() {
		names = append(names, string(d))
	}
	return names
}

// compileAll compiles the patterns of a flag.
func compileAll(flag string, patterns []string) (compiled []*glob.Pattern, err error) {
	for _, pattern := range patterns {
		p, err := glob.Compile(pattern)
		if err != nil {
			return nil, usagef("%s: %w", flag, err)
		}
		compiled = append(compiled, p)
	}
	return compiled, nil
}

// hasDtype says whether a header, if there is one, has a tensor of dtype d.
func hasDtype(h *safetensors.Header, d safetensors.Dtype) bool {
	return h != nil && slices.ContainsFunc(h.Tensors, func(ti safetensors.TensorInfo) bool { return ti.Dtype == d })
}
