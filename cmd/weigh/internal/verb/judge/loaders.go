// Flags of check about the programs that load weights.

package judge

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
)

// loaderFlags are these flags.
type loaderFlags struct {
	loaders []string
	ranks   int
}

// register adds the flags to check.
func (f *loaderFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.loaders, "for", nil, "also check what `LOADER` needs: "+words()+
		"; repeatable, or separated by commas")
	fl.IntVar(&f.ranks, "tp", 1, "number `N` of devices that share each tensor, for vllm and sglang")
	cli.CompleteWords(cmd, "for", names())
}

// names returns the names of the programs.
func names() (list []string) {
	for _, one := range loader.All() {
		list = append(list, string(one.Name))
	}
	return list
}

// words lists the names of the programs.
func words() (text string) {
	list := names()
	for i, name := range list {
		switch {
		case i > 0 && i == len(list)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}

// programs parses the flags.
func (f *loaderFlags) programs() ([]loader.Name, error) {
	list, err := loader.Parse(f.loaders)
	var unknown *loader.UnknownError
	switch {
	case errors.As(err, &unknown):
		return nil, cli.UnknownValue("--for", unknown.Name, names())
	case f.ranks < 1:
		return nil, cli.Usagef("--tp %d is not a number of devices: at least 1 is", f.ranks)
	case f.ranks > 1 && !slices.ContainsFunc(list, loader.Name.SplitsTensors):
		return nil, cli.Usagef("--tp needs --for vllm or --for sglang")
	}
	return list, nil
}
