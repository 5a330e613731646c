// PyTorch and NumPy as formats of package checkpoint.

package torch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/store"
)

// PyTorch returns the format of PyTorch checkpoints in any container, for [checkpoint.Options]. Nil options are the
// defaults. Its tensors are a *[Checkpoint].
func PyTorch(o *Options) checkpoint.Format {
	return checkpoint.Format{
		Name:       "PyTorch",
		Extensions: []string{".bin", ".pt", ".pth", ".ckpt", ".pkl"},
		Rank:       rankOfName,
		Match: func(head []byte, _ string) bool {
			return isZip(head) || tarwalk.Has(head) || looksLikePickle(head)
		},
		Open: func(ctx context.Context, from store.Object) (checkpoint.Tensors, error) {
			return openAs(ctx, from, o, func(f Format) bool { return f != FormatNPZ })
		},
	}
}

// NPZ returns the format of NumPy archives. Its tensors are a *[Checkpoint].
func NPZ(o *Options) checkpoint.Format {
	return checkpoint.Format{
		Name:       "NumPy",
		Extensions: []string{".npz"},
		Match:      func(head []byte, _ string) bool { return isZip(head) },
		Open: func(ctx context.Context, from store.Object) (checkpoint.Tensors, error) {
			return openAs(ctx, from, o, func(f Format) bool { return f == FormatNPZ })
		},
	}
}

// isZip reports whether head is the start of a zip archive.
func isZip(head []byte) bool { return bytes.HasPrefix(head, []byte("PK\x03\x04")) }

// modelNames matches the names that libraries use for weights. It is compiled at first use.
var modelNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^((diffusion_)?pytorch_model|adapter_model|consolidated)[.-]`)
})

// otherNames matches the names that training programs use for other files. It is compiled at first use.
var otherNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^(optimizer|scheduler|scaler|training_args|rng_state|random_states|trainer_state)|optim_states\.pt$`)
})

// rankOfName implements Format.Rank; see [checkpoint.Format].
func rankOfName(name string) int {
	switch base := path.Base(name); {
	case modelNames().MatchString(base):
		return 1
	case otherNames().MatchString(base):
		return -1
	}
	return 0
}

// openAs opens an object whose format is one of those wanted.
func openAs(ctx context.Context, from store.Object, o *Options, wanted func(Format) bool) (checkpoint.Tensors, error) {
	cp, err := Open(from.ReaderAt(ctx), from.Size(), o)
	var fault *FormatError
	switch {
	case errors.Is(err, ErrNotCheckpoint):
		return nil, fmt.Errorf("%w: %w", checkpoint.ErrNotFormat, err)
	case errors.As(err, &fault) && !errors.Is(err, ErrNoRoot):
		return nil, &fileFault{fault}
	case err != nil:
		return nil, err
	case !wanted(cp.Format):
		return nil, checkpoint.ErrNotFormat
	}
	return cp, nil
}

// A fileFault is a FormatError that is also a violation.
type fileFault struct{ *FormatError }

// Unwrap returns the FormatError and the violation.
func (f *fileFault) Unwrap() []error {
	return []error{f.FormatError, f.Violation()}
}

// Violation returns the error as the violation of a rule: the file exceeds a limit, is damaged, or is valid and
// safetensors cannot represent its tensors.
func (e *FormatError) Violation() *safetensors.Violation {
	detail := strings.TrimPrefix(e.Error(), "torch: ")
	switch {
	case e.fixed, e.limit && e.budget >= 100: // the program allows at most 300
		return checkpoint.OverLimit("If you trust the file, load it in Python and save only its tensors.", "%s", detail)
	case e.limit:
		fix := fmt.Sprintf("Allow more: `weigh convert --budget %d FILE -o NEW.safetensors`.", 10*max(e.budget, 1))
		return checkpoint.OverLimit(fix, "%s", detail)
	case !e.unsupported:
		return checkpoint.Damaged("%s", detail)
	}
	fix := e.fix
	if advice := e.Form.Advice(); advice != "" {
		fix = "Convert it: " + advice + "."
	}
	return checkpoint.Unsupported(fix, "%s", detail)
}

// All yields the tensors. It implements [checkpoint.Tensors].
func (cp *Checkpoint) All() iter.Seq2[*safetensors.Tensor, error] {
	return func(yield func(*safetensors.Tensor, error) bool) {
		for _, t := range cp.Tensors {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// Close does nothing. The tensors read the file, which the caller closes.
func (cp *Checkpoint) Close() error { return nil }

// ofNumPy returns the first name of NumPy that loading imports, "" if there is none. PyTorch allows none of them with
// weights_only. (torch/_weights_only_unpickler.py, _get_allowed_globals.)
func (cp *Checkpoint) ofNumPy() string {
	if cp.Report == nil {
		return ""
	}
	for i := range cp.Report.Imports {
		if one := &cp.Report.Imports[i]; strings.HasPrefix(one.ResolvedModule, "numpy.") && one.Called {
			return one.String()
		}
	}
	return ""
}

// Describe implements [checkpoint.Describer].
func (cp *Checkpoint) Describe() checkpoint.Description {
	d := checkpoint.Description{Variant: string(cp.Format), Metadata: map[string]string{"format": "pt"}}
	if cp.Format == FormatNPZ {
		d.Metadata["format"] = "np"
	}
	if cp.Report != nil && cp.Report.Verdict == pickle.Dangerous {
		d.Notes = append(d.Notes, "dangerous to load: weigh scan says why")
		d.Dangerous = cp.Report.Worst()
	}
	if name := cp.ofNumPy(); name != "" && cp.Format != FormatNPZ {
		d.Notes = append(d.Notes, "PyTorch 2.6 and later refuse it by default (weights_only), because of "+name+
			": `weigh convert FILE -o NEW.safetensors --keep-values NEW.json` writes its tensors and values")
	}
	if cp.Root != "" {
		d.Notes = append(d.Notes, fmt.Sprintf("shows the tensors under %s", quoted(cp.Root)))
	}
	d.Notes = append(d.Notes, NotesOf(cp.Skipped)...)
	return d
}
