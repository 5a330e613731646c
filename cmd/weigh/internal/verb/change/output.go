// The output of the verbs that write weights.

package change

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/edit"
)

// weightsEnd is the extension of safetensors files.
const weightsEnd = ".safetensors"

// isFolder reports whether name refers to a folder.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// orInPlace is the advice of commands that can replace their input.
const orInPlace = ", or replace the input with --in-place"

// writeFault returns the error of output that cannot be written, with advice. Or is what else can be
// done if the output is the input.
func writeFault(err error, or string) error {
	switch {
	case errors.Is(err, shards.ErrIsInput):
		return cli.Usagef("%w: write elsewhere%s", err, or)
	case errors.Is(err, shards.ErrRefused), errors.Is(err, edit.ErrRefused):
		return cli.Usage(err)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%w: write elsewhere, or use --force", err)
	}
	return err
}

// newProgress returns the progress of writing.
func newProgress() *cli.Progress { return &cli.Progress{Done: " written and read again"} }
