// The flags that say which tensors are meant, and in what order.

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
)

// A NameFlags is the flags that say which tensors are meant by their names.
type NameFlags struct{ Include, Exclude []string }

// Register adds the flags to a verb. What says what it does with those tensors.
func (c *NameFlags) Register(cmd *cobra.Command, what, see string) {
	f := cmd.Flags()
	f.StringArrayVar(&c.Include, "include", nil, what+" tensors whose whole name matches `GLOB`, may be repeated; see "+see)
	f.StringArrayVar(&c.Exclude, "exclude", nil, "leave out tensors whose name matches `GLOB`, may be repeated")
}

// A NameFilter is these flags, compiled.
type NameFilter struct{ Include, Exclude []*glob.Pattern }

// Compile reads the flags.
func (c *NameFlags) Compile() (ch NameFilter, err error) {
	if ch.Include, err = CompileAll("--include", c.Include); err != nil {
		return ch, err
	}
	ch.Exclude, err = CompileAll("--exclude", c.Exclude)
	return ch, err
}

// Has says whether the tensor of that name is chosen.
func (ch *NameFilter) Has(name string) bool {
	matches := func(p *glob.Pattern) bool { return p.Match(name) }
	return (len(ch.Include) == 0 || slices.ContainsFunc(ch.Include, matches)) && !slices.ContainsFunc(ch.Exclude, matches)
}

// A SelectionFlags is the flags that say which tensors are listed, and in what order.
type SelectionFlags struct {
	NameFlags
	dtypes  []string
	sort    string
	reverse bool
	Limit   int
}

// Register adds the flags to a verb, with what shells complete them to.
func (s *SelectionFlags) Register(cmd *cobra.Command) {
	s.NameFlags.Register(cmd, "list", "above")
	f := cmd.Flags()
	f.StringSliceVar(&s.dtypes, "dtype", nil, "list tensors of dtype `D`, may be repeated")
	f.StringVar(&s.sort, "sort", "", "sort by `KEY`: "+strings.Join(listing.SortKeys, ", ")+"; params and bytes largest first; size is bytes")
	f.BoolVarP(&s.reverse, "reverse", "r", false, "turn the order round")
	f.IntVar(&s.Limit, "limit", 0, "list at most `N` tensors; sums are of all that are selected")
	CompleteWords(cmd, "sort", listing.SortKeys)
	CompleteWords(cmd, "dtype", DtypeNames())
}

// Read reads the flags.
func (s *SelectionFlags) Read() (listing.Selection, error) {
	if s.sort == "size" {
		s.sort = "bytes" // as ls and du call it
	}
	sel := listing.Selection{Sort: s.sort, Reverse: s.reverse, Limit: s.Limit}
	if s.Limit < 0 {
		return sel, Usagef("--limit is %d, and cannot be negative", s.Limit)
	}
	if s.sort != "" && !slices.Contains(listing.SortKeys, s.sort) {
		meant := ""
		if word := Suggest(s.sort, listing.SortKeys); word != "" {
			meant = fmt.Sprintf("did you mean %q? ", word)
		}
		return sel, Usagef("--sort cannot be %q: %sthe keys are %s", s.sort, meant, strings.Join(listing.SortKeys, ", "))
	}
	chosen, err := s.Compile()
	if err != nil {
		return sel, err
	}
	sel.Include, sel.Exclude = chosen.Include, chosen.Exclude
	for _, d := range s.dtypes {
		sel.Dtypes = append(sel.Dtypes, Spelled(d))
	}
	return sel, nil
}

// CheckMatched returns the error of the first of patterns that matches none of names. That
// is a slip: what is said of no tensor reads like good news of those that were meant.
// Patterns match whole names, and those who know grep expect a part to do.
func CheckMatched(patterns []*glob.Pattern, names func(*glob.Pattern) bool) error {
	for _, p := range patterns {
		if names(p) {
			continue
		}
		advice := "and weigh info lists the names"
		if wider := widened(p.String(), names); wider != "" {
			advice = "try '" + wider + "'"
		}
		return Usagef("no tensor is called %q: a pattern matches the whole name, %s", p, advice)
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

// NamesOf returns what says whether one of tensors has a name that a pattern matches.
func NamesOf(tensors ...[]*safetensors.Tensor) func(*glob.Pattern) bool {
	return func(p *glob.Pattern) bool {
		return slices.ContainsFunc(slices.Concat(tensors...), func(t *safetensors.Tensor) bool { return p.Match(t.Name) })
	}
}

// NoticeNoMatch says why a selection may have nothing in it.
func (s *Session) NoticeNoMatch(f *SelectionFlags, files []listing.File) {
	for _, pattern := range f.Include {
		wider := widened(pattern, func(p *glob.Pattern) bool {
			return slices.ContainsFunc(files, func(file listing.File) bool { return hasName(file.Header, p) })
		})
		if wider != "" {
			s.Notice("no tensor matches: a pattern matches the whole name, try '%s'", wider)
			return
		}
	}
	s.Notice("no tensor matches")
}

// hasName says whether a header, if there is one, has a tensor that p matches.
func hasName(h *safetensors.Header, p *glob.Pattern) bool {
	return h != nil && slices.ContainsFunc(h.Tensors, func(ti safetensors.TensorInfo) bool { return p.Match(ti.Name) })
}

// Spelled returns the dtype that s is, in whatever case. Dtypes that the format
// does not have may be in a file all the same.
func Spelled(s string) safetensors.Dtype {
	if d := safetensors.Dtype(strings.ToUpper(s)); d.Bits() > 0 {
		return d
	}
	return safetensors.Dtype(s)
}

// CheckDtypes returns an error if a dtype is selected that is neither one of
// the format's nor in any of the files: it is a slip then.
func CheckDtypes(sel *listing.Selection, files []listing.File) error {
	for _, d := range sel.Dtypes {
		if d.Bits() > 0 || slices.ContainsFunc(files, func(f listing.File) bool { return hasDtype(f.Header, d) }) {
			continue
		}
		return UnknownDtypeError("--dtype", string(d))
	}
	return nil
}

// UnknownDtypeError returns the error of a flag that was given a dtype which is none.
func UnknownDtypeError(flag, dtype string) error {
	return Usagef("%s cannot be %q, but one of %s", flag, dtype, strings.Join(DtypeNames(), ", "))
}

// DtypeNames returns the names of all dtypes, in the format's order.
func DtypeNames() (names []string) {
	for d := range safetensors.Dtypes() {
		names = append(names, string(d))
	}
	return names
}

// CompileAll compiles the patterns of a flag.
func CompileAll(flag string, patterns []string) (compiled []*glob.Pattern, err error) {
	for _, pattern := range patterns {
		p, err := glob.Compile(pattern)
		if err != nil {
			return nil, Usagef("%s: %w", flag, err)
		}
		compiled = append(compiled, p)
	}
	return compiled, nil
}

// hasDtype says whether a header, if there is one, has a tensor of dtype d.
func hasDtype(h *safetensors.Header, d safetensors.Dtype) bool {
	return h != nil && slices.ContainsFunc(h.Tensors, func(ti safetensors.TensorInfo) bool { return ti.Dtype == d })
}
