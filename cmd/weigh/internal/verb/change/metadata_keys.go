// The flags that change metadata.

package change

import (
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/edit"
)

// keyFlags are the flags that change metadata.
type keyFlags struct {
	set, unset []string
}

// register adds the flags to a verb.
func (f *keyFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.set, "set", nil, "set metadata `KEY=VALUE` (repeatable)")
	cmd.Flags().StringArrayVar(&f.unset, "unset", nil, "remove metadata `KEY` (repeatable)")
}

// read reads the flags into an edit.
func (f *keyFlags) read(e *edit.Edit) error {
	e.Unset = f.unset
	for _, s := range f.set {
		key, value, ok := strings.Cut(s, "=")
		if !ok || key == "" {
			return cli.Usagef("invalid value %q for --set: use KEY=VALUE", s)
		}
		if !utf8.ValidString(s) {
			return cli.Usagef("invalid value %q for --set: metadata must be UTF-8", s)
		}
		if _, twice := e.Set[key]; twice {
			return cli.Usagef("--set contains the key %q twice", key)
		}
		if e.Set == nil {
			e.Set = make(map[string]string)
		}
		e.Set[key] = value
	}
	return nil
}
