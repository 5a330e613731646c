// Error messages.

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

// Describe returns err as one line for the user. It drops the package names that prefix errors,
// and adds what to do where that is obvious.
func Describe(err error) string {
	if parts := joined(err); len(parts) > 0 {
		var texts []string
		for _, e := range parts {
			if text := Describe(e); !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, "; ")
	}
	// The program's own name replaces the names of packages.
	text := inOneLine(err)
	for _, name := range []string{"safetensors: ", "checkpoint: ", "shards: ", "store: ", "remote: ", "edit: ",
		"digest: ", "diff: ", "metadata: ", "convert: ", "torch: "} {
		text = strings.ReplaceAll(strings.TrimPrefix(text, name), ": "+name, ": ")
	}
	var path *fs.PathError
	var request *remote.Error
	switch {
	case errors.As(err, &request):
		text = request.Error() // the URL is more useful than a path
		if strings.HasSuffix(text, "does not accept the one it was sent") {
			text += ": send one with --header, WEIGH_HEADERS or .netrc"
		}
		if errors.Is(err, remote.ErrPrivate) {
			text += ": if you trust that server, set WEIGH_PRIVATE_REDIRECTS=allow"
		}
	case errors.As(err, &path):
		text = ofPath(err, path, text)
	}
	if path == nil && errors.Is(err, store.ErrNotRegular) {
		text += `: save its content in a file first, with "cat" for example, and name that file`
	}
	var none *checkpoint.NoWeightsError
	if errors.As(err, &none) && none.Listed {
		text += noWeightsAdvice(none, text)
	}
	var v *safetensors.Violation
	if errors.As(err, &v) && (v.Rule == safetensors.RuleNotSafetensors || v.Rule == checkpoint.RuleFormatUnsupported) {
		fix := v.Fix
		if path != nil {
			fix = filetype.For(fix, path.Path)
		}
		text += ". " + fix
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		text += ": timed out"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		text += `: raise the limit, for example with "ulimit -n 10000"`
	}
	return typeset.Line(strings.TrimSpace(text))
}

// ofPath describes an error of a file, and returns text if it has nothing to add.
func ofPath(err error, path *fs.PathError, text string) string {
	var write *writeError
	switch {
	case errors.As(err, &write):
		return fmt.Sprintf("cannot write %q: %v", write.file, path.Err)
	case errors.Is(path.Err, fs.ErrNotExist):
		return fmt.Sprintf("%q does not exist: a target is a file, a folder, an index, a URL, or - for standard input",
			path.Path) + hubAdvice(path.Path)
	case errors.Is(path.Err, syscall.ELOOP):
		return fmt.Sprintf("%q is a circular link, not a file or folder", path.Path)
	case errors.Is(path.Err, fs.ErrInvalid):
		// A device or a pipe; the error names it.
		return fmt.Sprintf("%v: to read it as a stream, use - as the target and redirect standard input", path.Err)
	case path.Op == "replace" && errors.Is(path.Err, fs.ErrPermission):
		return readOnly(path.Path, "-o")
	case errors.Is(path.Err, fs.ErrPermission):
		return fmt.Sprintf("permission denied: cannot %s %q", path.Op, path.Path)
	}
	return text
}

// joined returns the errors that errors.Join has joined, or nil.
func joined(err error) []error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	parts := several.Unwrap()
	texts := make([]string, len(parts))
	for i, e := range parts {
		texts[i] = e.Error()
	}
	if err.Error() != strings.Join(texts, "\n") {
		return nil // fmt.Errorf has a text of its own
	}
	return parts
}

// inOneLine returns the text of an error, in which errors.Join puts each error on a line.
func inOneLine(err error) string {
	text := err.Error()
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		if parts := joined(inner); len(parts) > 1 {
			return strings.Replace(text, inner.Error(), Describe(inner), 1)
		}
	}
	return text
}

// hubAdvice says how to name a repository of the Hub, if a path that does not exist looks like one.
func hubAdvice(path string) string {
	owner, _, ok := strings.Cut(path, "/")
	ref, err := store.Parse("hf://" + path)
	if !ok || err != nil || ref.Path != "" || strings.HasSuffix(path, "/") {
		return ""
	}
	if _, err := os.Stat(owner); err == nil {
		return "" // the path is misspelled
	}
	return fmt.Sprintf("; a repository of the Hugging Face Hub is %s", ref)
}

// ReadOnly returns err, or a better error if it is about a file that is not replaced or removed
// because the user may not write it. The flag or command is the one that writes a copy.
func ReadOnly(err error, flag string) error {
	var path *fs.PathError
	if errors.As(err, &path) && path.Op == "replace" && errors.Is(path.Err, fs.ErrPermission) {
		return errors.New(readOnly(path.Path, flag))
	}
	return err
}

// readOnly describes a read-only file.
func readOnly(file, flag string) string {
	info, err := os.Stat(file)
	if err != nil || info.Mode()&0o200 != 0 {
		return fmt.Sprintf("permission denied: cannot replace %q: write elsewhere with %s", file, flag)
	}
	return fmt.Sprintf("%q is read-only (mode %04o): run `%s` first, or write elsewhere with %s", file,
		info.Mode().Perm(), filetype.For("chmod u+w FILE", file), flag)
}

// noWeightsAdvice says what to do about a folder without weights.
func noWeightsAdvice(none *checkpoint.NoWeightsError, text string) string {
	switch {
	case len(none.Foreign) == 0:
		return "; check the path, or name a folder or file that has weights"
	case strings.Contains(text, "(PyTorch)"):
		return "; name the file itself to read or convert it"
	}
	return "; weigh info with the name of that file says what to do with it"
}

// A writeError is an error of writing the output file.
type writeError struct {
	file string
	error
}

// Unwrap returns the underlying error.
func (e *writeError) Unwrap() error { return e.error }
