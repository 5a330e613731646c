// The options of a conversion, and its errors.

package convert

import (
	"context"
	"fmt"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// A Conversion describes how files are converted. The zero Conversion is the default. Several
// goroutines may use it at once.
type Conversion struct {
	// Torch selects the tensors, and has the limits.
	Torch torch.Options

	// Scanner analyzes the files.
	Scanner scan.Scanner

	// Anyway converts files that are dangerous to load. Dangerous objects are left out, and
	// nothing is executed.
	Anyway bool

	// StripPrefix lists prefixes to remove from names, one after the other, such as "module."
	// of torch.nn.DataParallel. Each must match some name.
	StripPrefix []string

	// Shared says how to write tensors that share bytes.
	Shared Shared

	// DropUnsupported leaves out tensors that safetensors cannot represent.
	DropUnsupported bool

	// WithOptimizer also takes the tensors of the optimizer's state from the checkpoint of a distributed training.
	WithOptimizer bool

	// MaxShard is the maximum size in bytes of the data of each file, if the source is one model in the files of several
	// processes and the output is a folder. 0 means 5 GB. Other sources are written as the shards that they have.
	MaxShard int64

	// Overwrite replaces existing files, and removes those that would pass for a part of
	// the new model. A source is never replaced.
	Overwrite bool

	// Resolve is as in checkpoint.Options.
	Resolve func(context.Context, store.Ref) (store.Store, error)

	// Digests computes the SHA-256 of sources and of tensors.
	Digests bool

	// Progress, if it is not nil, is called with how many bytes were read to be digested,
	// written and verified, and with how many there are to be, by several goroutines at
	// once.
	Progress func(done, total int64)
}

// Shared says how to write tensors that share bytes. "" is Duplicate.
type Shared string

// The ways to write them.
const (
	// Duplicate writes each with a copy of the bytes.
	Duplicate Shared = "duplicate"

	// Drop writes only the first of several tensors that are the same view of the same bytes,
	// such as tied weights. The metadata maps the names of the others to the name of the
	// first, as in files that the Hugging Face Hub converts. Tensors that merely overlap are
	// written as with Duplicate.
	Drop Shared = "drop"

	// Refuse makes them an error.
	Refuse Shared = "error"
)

// ErrRefused is wrapped by the errors of a conversion that cannot be applied to its source: no
// name has the prefix, or the output is the source.
var ErrRefused = shards.ErrRefused

// A refusal is an error that wraps ErrRefused.
type refusal struct{ text string }

// Error returns the reason in one line.
func (r refusal) Error() string { return "convert: " + r.text }

// Unwrap returns ErrRefused.
func (r refusal) Unwrap() error { return ErrRefused }

func refuse(format string, args ...any) error { return refusal{fmt.Sprintf(format, args...)} }

// A SourceError says why a source cannot be converted. It wraps a *[torch.FormatError] if the
// file is damaged or unsupported.
type SourceError struct {
	Path string // of the file
	Err  error
}

// Error returns the path and the reason in one line.
func (e *SourceError) Error() string {
	return fmt.Sprintf("convert: %s: %v", wording.Quote(e.Path), e.Err)
}

// Unwrap returns the reason.
func (e *SourceError) Unwrap() error { return e.Err }

// A DangerousError says that a file is dangerous to load. The files were not converted.
type DangerousError struct {
	Files []Judged // at least one is dangerous
}

// A Judged is a file and its analysis.
type Judged struct {
	Path   string
	Report *scan.Report
}

// Error returns the first dangerous file and the reason in one line.
func (e *DangerousError) Error() string {
	for _, f := range e.Files {
		if f.Report.Verdict == pickle.Dangerous {
			return fmt.Sprintf("convert: %s is dangerous to load: %s", wording.Quote(f.Path), Worst(f.Report))
		}
	}
	return "convert: a file is dangerous to load"
}

// Worst describes the finding that determines the verdict of a report, such as an import, in a
// few words.
func Worst(r *scan.Report) string {
	all := pickle.Report{Verdict: r.Verdict}
	for i := range r.Imports {
		all.Imports = append(all.Imports, r.Imports[i].Import)
	}
	for i := range r.Findings {
		all.Findings = append(all.Findings, r.Findings[i].Finding)
	}
	for i := range r.Calls {
		all.Calls = append(all.Calls, r.Calls[i].Call)
	}
	return all.Worst()
}
