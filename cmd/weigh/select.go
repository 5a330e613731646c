// The flags that say which tensors are meant, and in what order.

package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render"
)

// A selection is these flags.
type selection struct {
	include, exclude []string
	dtypes           []string
	sort             string
	reverse          bool
	limit            int
}

// register adds the flags to a verb, with what shells complete them to.
func (s *selection) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&s.include, "include", nil, "list tensors that match `GLOB`, may be repeated; * stops at dots, ** does not")
	f.StringArrayVar(&s.exclude, "exclude", nil, "leave out tensors that match `GLOB`, may be repeated")
	f.StringSliceVar(&s.dtypes, "dtype", nil, "list tensors of dtype `D`, may be repeated")
	f.StringVar(&s.sort, "sort", "", "sort by `KEY`: "+strings.Join(render.SortKeys, ", ")+"; params and bytes largest first")
	f.BoolVarP(&s.reverse, "reverse", "r", false, "turn the order round")
	f.IntVar(&s.limit, "limit", 0, "list at most `N` tensors; sums are of all that are selected")
	completeWords(cmd, "sort", render.SortKeys)
	var dtypes []string
	for d := range safetensors.Dtypes() {
		dtypes = append(dtypes, string(d))
	}
	completeWords(cmd, "dtype", dtypes)
}

// completeWords has shells complete the value of a flag.
func completeWords(cmd *cobra.Command, flag string, words []string) {
	// The error is that of a flag which does not exist.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// selection reads the flags.
func (s *selection) selection() (render.Selection, error) {
	sel := render.Selection{Sort: s.sort, Reverse: s.reverse, Limit: s.limit}
	if s.limit < 0 {
		return sel, usagef("--limit is %d, and cannot be negative", s.limit)
	}
	if s.sort != "" && !slices.Contains(render.SortKeys, s.sort) {
		if meant := suggest(s.sort, render.SortKeys); meant != "" {
			return sel, usagef("--sort cannot be %q: did you mean %q?", s.sort, meant)
		}
		return sel, usagef("--sort cannot be %q, but one of %s", s.sort, strings.Join(render.SortKeys, ", "))
	}
	for _, list := range []struct {
		flag     string
		patterns []string
		compiled *[]*glob.Pattern
	}{{"--include", s.include, &sel.Include}, {"--exclude", s.exclude, &sel.Exclude}} {
		for _, pattern := range list.patterns {
			p, err := glob.Compile(pattern)
			if err != nil {
				return sel, usagef("%s: %w", list.flag, err)
			}
			*list.compiled = append(*list.compiled, p)
		}
	}
	for _, d := range s.dtypes {
		sel.Dtypes = append(sel.Dtypes, spelled(d))
	}
	return sel, nil
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
func unknownDtype(sel *render.Selection, files []render.File) error {
	for _, d := range sel.Dtypes {
		if d.Bits() > 0 || slices.ContainsFunc(files, func(f render.File) bool { return hasDtype(f.Header, d) }) {
			continue
		}
		var known []string
		for d := range safetensors.Dtypes() {
			known = append(known, string(d))
		}
		return usagef("--dtype cannot be %q, but one of %s", d, strings.Join(known, ", "))
	}
	return nil
}

// hasDtype says whether a header, if there is one, has a tensor of dtype d.
func hasDtype(h *safetensors.Header, d safetensors.Dtype) bool {
	return h != nil && slices.ContainsFunc(h.Tensors, func(ti safetensors.TensorInfo) bool { return ti.Dtype == d })
}
