// Flags that select tensors.

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
	Reverse bool
	Limit   int

	// ValueKeys are further sort keys, by which the command sorts itself when it has read values. Set it before
	// Register.
	ValueKeys []string
}

// Register adds the flags to a command, with shell completion.
func (s *SelectionFlags) Register(cmd *cobra.Command) {
	see := "weigh help info"
	if cmd.Name() == "info" {
		see = "above"
	}
	s.NameFlags.Register(cmd, "list", see)
	f := cmd.Flags()
	f.StringSliceVar(&s.dtypes, "dtype", nil, "list only tensors of dtype `D`, such as BF16 or float16 (repeatable)")
	f.StringVar(&s.sort, "sort", "", "sort by `KEY`: "+strings.Join(s.keys(), ", ")+
		"; numbers sort largest first, except "+strings.Join(s.ascending(), " and "))
	f.BoolVarP(&s.Reverse, "reverse", "r", false, "reverse the order")
	f.IntVar(&s.Limit, "limit", 0, "list at most `N` tensors; totals still cover all selected ones")
	CompleteWords(cmd, "sort", s.keys())
	CompleteWords(cmd, "dtype", DtypeNames())
}

// keys returns all sort keys.
func (s *SelectionFlags) keys() []string { return slices.Concat(listing.SortKeys, s.ValueKeys) }

// ascending returns the keys of numbers that sort smallest first.
func (s *SelectionFlags) ascending() []string {
	return slices.DeleteFunc([]string{"min", "offset"}, func(key string) bool { return !slices.Contains(s.keys(), key) })
}

// ValueKey returns the sort key if it is one of ValueKeys, else "".
func (s *SelectionFlags) ValueKey() string {
	if slices.Contains(s.ValueKeys, s.sort) {
		return s.sort
	}
	return ""
}

// Read validates the flags. If they sort by a value, the selection is neither sorted nor limited.
func (s *SelectionFlags) Read() (listing.Selection, error) {
	switch s.sort {
	case "size":
		s.sort = "bytes" // the word that ls and du use
	case "params":
		s.sort = "elements" // the word for those of plain weights
	}
	sel := listing.Selection{Sort: s.sort, Reverse: s.Reverse, Limit: s.Limit}
	if s.ValueKey() != "" {
		sel = listing.Selection{}
	}
	if s.Limit < 0 {
		return sel, Usagef("--limit cannot be negative: %d", s.Limit)
	}
	if s.sort != "" && !slices.Contains(s.keys(), s.sort) {
		return sel, UnknownValue("--sort", s.sort, s.keys())
	}
	for _, d := range s.dtypes {
		sel.Dtypes = append(sel.Dtypes, Spelled(d))
	}
	var err error
	sel.Filter, err = s.Compile()
	return sel, err
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
