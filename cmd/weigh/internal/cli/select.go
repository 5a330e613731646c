// Flags that select tensors.

package cli

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
)

// A NameFlags holds the flags --include and --exclude.
type NameFlags struct{ Include, Exclude []string }

// Register adds the flags to a command. What is the verb in their description, and see is where
// globs are explained.
func (c *NameFlags) Register(cmd *cobra.Command, what, see string) {
	f := cmd.Flags()
	f.StringArrayVar(&c.Include, "include", nil,
		what+" only tensors whose whole name matches `GLOB` (repeatable); see "+see)
	f.StringArrayVar(&c.Exclude, "exclude", nil, "skip tensors whose name matches `GLOB` (repeatable)")
}

// Compile parses the patterns.
func (c *NameFlags) Compile() (f glob.Filter, err error) {
	if f.Include, err = CompileAll("--include", c.Include); err != nil {
		return f, err
	}
	f.Exclude, err = CompileAll("--exclude", c.Exclude)
	return f, err
}

// A SelectionFlags holds the flags that select, sort and limit tensors.
type SelectionFlags struct {
	NameFlags
	dtypes  []string
	sort    string
	reverse bool
	Limit   int
}

// Register adds the flags to a command, with shell completion.
func (s *SelectionFlags) Register(cmd *cobra.Command) {
	see := "weigh help info"
	if cmd.Name() == "info" {
		see = "above"
	}
	s.NameFlags.Register(cmd, "list", see)
	f := cmd.Flags()
	f.StringSliceVar(&s.dtypes, "dtype", nil, "list only tensors of dtype `D` (repeatable)")
	f.StringVar(&s.sort, "sort", "", "sort by `KEY`: "+strings.Join(listing.SortKeys, ", ")+
		"; params and bytes sort largest first")
	f.BoolVarP(&s.reverse, "reverse", "r", false, "reverse the order")
	f.IntVar(&s.Limit, "limit", 0, "list at most `N` tensors; totals still cover all selected ones")
	CompleteWords(cmd, "sort", listing.SortKeys)
	CompleteWords(cmd, "dtype", DtypeNames())
}

// Read validates the flags.
func (s *SelectionFlags) Read() (listing.Selection, error) {
	if s.sort == "size" {
		s.sort = "bytes" // the word that ls and du use
	}
	sel := listing.Selection{Sort: s.sort, Reverse: s.reverse, Limit: s.Limit}
	if s.Limit < 0 {
		return sel, Usagef("--limit cannot be negative: %d", s.Limit)
	}
	if s.sort != "" && !slices.Contains(listing.SortKeys, s.sort) {
		return sel, UnknownValue("--sort", s.sort, listing.SortKeys)
	}
	for _, d := range s.dtypes {
		sel.Dtypes = append(sel.Dtypes, Spelled(d))
	}
	var err error
	sel.Filter, err = s.Compile()
	return sel, err
}

// CheckMatched returns an error for the first pattern that matches no name: a report on no tensors
// looks like good news. Patterns match whole names, which surprises users of grep, so the error
// suggests a wider pattern, or names that are similar.
func CheckMatched(patterns []*glob.Pattern, names iter.Seq[string]) error {
	for _, p := range patterns {
		if matchesAny(p, names) {
			continue
		}
		advice := Nearest(p.String(), names)
		if wider := widened(p.String(), names); wider != "" {
			advice = "try '" + wider + "'"
		}
		return Usagef("no tensor matches %q: patterns match the whole name; %s", p, cmp.Or(advice, namesAdvice))
	}
	return nil
}

// namesAdvice is the advice for a selection that matches nothing.
const namesAdvice = "weigh info lists the names"

// CheckSelected returns the error of CheckMatched, or an error if none of the tensors is selected.
func CheckSelected(patterns []*glob.Pattern, names iter.Seq[string], tensors, selected int) error {
	if err := CheckMatched(patterns, names); err != nil || selected > 0 || tensors == 0 {
		return err
	}
	return Usagef("no tensor matches; %s", namesAdvice)
}

// matchesAny reports whether the pattern matches a name.
func matchesAny(p *glob.Pattern, names iter.Seq[string]) bool {
	for name := range names {
		if p.Match(name) {
			return true
		}
	}
	return false
}

// widened returns a wider pattern that matches something, or "".
func widened(pattern string, names iter.Seq[string]) string {
	wider := "**" + strings.Trim(pattern, "*") + "**"
	if p, err := glob.Compile(wider); err != nil || !matchesAny(p, names) {
		return ""
	}
	return wider
}

// NamesOf yields the names of tensors.
func NamesOf(tensors ...[]*safetensors.Tensor) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, list := range tensors {
			for _, t := range list {
				if !yield(t.Name) {
					return
				}
			}
		}
	}
}

// NamesIn yields the names of the tensors in files.
func NamesIn(files []listing.File) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, file := range files {
			for i := 0; file.Header != nil && i < len(file.Header.Tensors); i++ {
				if !yield(file.Header.Tensors[i].Name) {
					return
				}
			}
		}
	}
}

// Spelled returns a dtype by its name in any case. Unknown names are kept, since files can contain
// them.
func Spelled(s string) safetensors.Dtype {
	if d := safetensors.Dtype(strings.ToUpper(s)); d.Bits() > 0 {
		return d
	}
	return safetensors.Dtype(s)
}

// CheckDtypes returns an error if a selected dtype is unknown and in none of the files.
func CheckDtypes(sel *listing.Selection, files []listing.File) error {
	for _, d := range sel.Dtypes {
		if d.Bits() > 0 || slices.ContainsFunc(files, func(f listing.File) bool { return hasDtype(f.Header, d) }) {
			continue
		}
		return UnknownDtypeError("--dtype", string(d))
	}
	return nil
}

// UnknownDtypeError returns the error for a flag value that is not a dtype.
func UnknownDtypeError(flag, dtype string) error {
	return UnknownValue(flag, dtype, DtypeNames())
}

// DtypeNames returns the names of all dtypes.
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

// hasDtype reports whether h, which may be nil, has a tensor of dtype d.
func hasDtype(h *safetensors.Header, d safetensors.Dtype) bool {
	return h != nil && slices.ContainsFunc(h.Tensors, func(ti safetensors.TensorInfo) bool { return ti.Dtype == d })
}
