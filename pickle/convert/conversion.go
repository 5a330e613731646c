// Conversions: what is asked for.

package convert

import (
	"context"
	"errors"
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// A Conversion says how files are converted. The zero Conversion is the default. It is
// for any number of goroutines at once.
type Conversion struct {
	// Torch says which tensors are taken, and has the limits.
	Torch torch.Options

	// Scanner judges the files.
	Scanner scan.Scanner

	// Anyway converts files that are dangerous to load. What is dangerous in them is not
	// converted, and nothing is run.
	Anyway bool

	// StripPrefix are taken from the names that begin with them, one after the other, as
	// "module." of torch.nn.DataParallel. Each has to begin some name.
	StripPrefix []string

	// Shared says what becomes of tensors that have bytes in common.
	Shared Shared

	// DropUnsupported leaves tensors out for which the format has no form.
	DropUnsupported bool

	// Overwrite replaces existing files, and removes those that would pass for a part of
	// the new model. A source is never replaced.
	Overwrite bool

	// Resolve is that of checkpoint.Options.
	Resolve func(context.Context, store.Ref) (store.Store, error)

	// Digests has the SHA-256 made of sources and of tensors.
	Digests bool

	// Progress, if it is not nil, is called with how many bytes were read to be digested,
	// written and verified, and with how many there are to be, by several goroutines at
	// once.
	Progress func(done, total int64)
}

// Shared says what becomes of tensors that have bytes in common. "" is Duplicate.
type Shared string

// What can become of them.
const (
	// Duplicate writes each with its own bytes.
	Duplicate Shared = "duplicate"

	// Drop writes, of tensors that are the same view of the same bytes, as tied weights
	// are, the first alone. The metadata of the file has the name of each of the others
	// with that of the first as its value, as those that the Hugging Face Hub converts
	// do. Tensors that merely overlap are written as with Duplicate.
	Drop Shared = "drop"

	// Refuse makes them an error.
	Refuse Shared = "error"
)

// ErrRefused is wrapped by the errors of a conversion that makes no sense, or not for
// its source: a prefix that no name has, a target that is the source.
var ErrRefused = errors.New("the conversion was refused")

// A refusal is such an error.
type refusal struct{ text string }

func (r refusal) Error() string { return "convert: " + r.text }
func (r refusal) Unwrap() error { return ErrRefused }

// A fileError is that of a file which is there, or is not, in words that say so already:
// kind is for [errors.Is] and not for reading.
type fileError struct {
	text string
	kind error // [fs.ErrExist] or [fs.ErrNotExist]
}

func (e *fileError) Error() string { return "convert: " + e.text }
func (e *fileError) Unwrap() error { return e.kind }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// A SourceError says what of a source keeps it from being converted. It wraps a
// *[torch.FormatError] if the file is at fault.
type SourceError struct {
	Path string // of the file
	Err  error
}

// Error returns the source and what is wrong with it, in one line.
func (e *SourceError) Error() string {
	return fmt.Sprintf("convert: %s: %v", wording.Quote(e.Path), e.Err)
}

// Unwrap returns what is wrong with the source.
func (e *SourceError) Unwrap() error { return e.Err }

// A DangerousError says that files are dangerous to load, and were not looked into.
type DangerousError struct {
	Files []Judged // of which one at least is dangerous
}

// A Judged is a file and the judgement of it.
type Judged struct {
	Path   string
	Report *scan.Report
}

// Error returns the first dangerous file and what is worst in it, in one line.
func (e *DangerousError) Error() string {
	for _, f := range e.Files {
		if f.Report.Verdict == pickle.Dangerous {
			return fmt.Sprintf("convert: %s is dangerous to load: %s", wording.Quote(f.Path), Worst(f.Report))
		}
	}
	return "convert: a file is dangerous to load"
}

// Worst says in a few words what is worst in a report: what would be imported, or found.
func Worst(r *scan.Report) string {
	for i := range r.Imports {
		if im := &r.Imports[i]; im.Verdict == r.Verdict {
			return "it imports " + wording.Quote(im.Resolved())
		}
	}
	for _, f := range r.Findings {
		if f.Severity.Verdict() == r.Verdict {
			return fmt.Sprintf("%s (rule %s)", f.Message, f.Rule)
		}
	}
	for i := range r.Calls {
		if c := &r.Calls[i]; c.Verdict == r.Verdict {
			return "it calls " + wording.Quote(c.Callee)
		}
	}
	return "something in it is " + r.Verdict.String()
}
