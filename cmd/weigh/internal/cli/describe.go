// Errors as one line, for people.

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/remote"
)

// Describe returns what err says as one line: what was expected and what was
// found, as the error has it, and what to do about it where that is plain.
func Describe(err error) string {
	// Errors of packages begin with their names. This one begins with the
	// program's.
	text := err.Error()
	for _, name := range []string{"safetensors: ", "checkpoint: ", "store: ", "remote: ", "edit: ", "digest: ", "diff: ", "metadata: ", "convert: ", "torch: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, name), ": "+name, ": ")
	}
	var path *fs.PathError
	var write *writeError
	var request *remote.Error
	switch {
	case errors.As(err, &request):
		text = request.Error() // the URL says more than a path
	case errors.As(err, &path):
		switch {
		case errors.As(err, &write):
			text = fmt.Sprintf("cannot write %q: %v", write.file, path.Err)
		case errors.Is(path.Err, fs.ErrNotExist):
			text = fmt.Sprintf("%q does not exist: a target is a file, a folder, an index, a URL, or - for standard input", path.Path)
		case errors.Is(path.Err, fs.ErrInvalid):
			// A device or a pipe, which the error names itself.
			text = fmt.Sprintf("%v: to read it as a stream, say - for the target and redirect it with <", path.Err)
		case errors.Is(path.Err, fs.ErrPermission):
			text = fmt.Sprintf("no permission to %s %q", path.Op, path.Path)
		}
	}
	var none *checkpoint.NoWeightsError
	if errors.As(err, &none) && len(none.Foreign) > 0 && strings.Contains(text, "a PyTorch file") {
		text += ": weigh convert writes it as safetensors"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text += ": it took too long"
	}
	return typeset.Line(strings.TrimSpace(text))
}
