// The options of an edit.

package edit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	elements "github.com/weightools/safetensors/internal/source"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// An Edit describes changes to a checkpoint. The zero Edit changes nothing. Its methods
// do not change it, and several goroutines may use it at once on different checkpoints.
type Edit struct {
	// Keep selects the tensors to keep; empty means all. Drop selects tensors among
	// them to drop.
	Keep, Drop []Pattern

	// Rename is applied in order, each to the result of the one before.
	Rename []Rename

	// Copy writes tensors under a second name, into the same file.
	Copy []Copy

	// Arrange, if it is not nil, makes the tensors that are written of those that Keep and Drop leave; see package
	// remap. Rename, Copy and Cast must be empty then. A tensor goes to the file of the first that it is made of, and to
	// the first file if it is made of none. Files with tensors that are not in their place are written in canonical order.
	Arrange func(*Input) (*Output, error)

	// Stem, if it is not empty, replaces what the names of files begin with: "model" in "model-00001-of-00002.safetensors".
	Stem string

	// Cast selects the tensors to convert, except those that CastKeep matches.
	Cast     []Cast
	CastKeep []Pattern

	// Saturate is [safetensors.Converter.Saturate].
	Saturate bool

	// Set and Unset change the metadata of every file.
	Set   map[string]string
	Unset []string

	// Align is [safetensors.Encoder.Align]. 0 means 8, or 4096 for a file whose data
	// already begins at a multiple of 4096.
	Align int

	// Canonical writes files as the reference implementation does, in its order and
	// without room for metadata to grow.
	Canonical bool

	// Lenient accepts every source that the reference implementation accepts. The
	// output breaks no rule.
	Lenient bool

	// Fix repairs violations of the rules that [Mends] reports, and accepts sources that
	// break them, unless two tensors of one name have different bytes. It sets "format" to "pt"
	// where it is missing.
	Fix bool

	// Overwrite replaces existing files of the target.
	Overwrite bool

	// Resolve and Formats are as in checkpoint.Options.
	Resolve func(context.Context, store.Ref) (store.Store, error)
	Formats []checkpoint.Format

	// Progress, if it is not nil, is called with the number of bytes that were written
	// and verified, and with how many there are, by several goroutines at once.
	Progress func(done, total int64)
}

// A Pattern matches names. It is safe for concurrent use.
type Pattern interface {
	// Match reports whether the pattern matches a name.
	Match(name string) bool

	// String returns the pattern for errors.
	String() string
}

// A Rename replaces every match of From in a name by To, where $1 or ${name} is a group
// of From, and $$ is a dollar sign.
type Rename struct {
	From *regexp.Regexp
	To   string
}

// A Copy writes the tensor that the source has as From also as To.
type Copy struct{ From, To string }

// ParseRename parses the form "RE=>TO". The first "=>" separates the two.
func ParseRename(s string) (Rename, error) {
	re, to, ok := strings.Cut(s, "=>")
	if !ok || re == "" {
		return Rename{}, fmt.Errorf("edit: %q is not of the form RE=>TO, a regular expression and a replacement", s)
	}
	from, err := regexp.Compile(re)
	var fault *syntax.Error
	if errors.As(err, &fault) {
		return Rename{}, fmt.Errorf("edit: %q is not a regular expression: %s in %q", re, fault.Code, fault.Expr)
	} else if err != nil {
		return Rename{}, fmt.Errorf("edit: %q is not a regular expression: %w", re, err)
	}
	r := Rename{from, to}
	return r, r.check()
}

// reference matches a reference to a group in a template. It is compiled at first use.
var reference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(?:\$|(\w+)|\{(\w+)\})`) })

// check returns an error if To refers to a group that From does not have. Such a
// reference expands to nothing: "$1_x" refers to a group called "1_x".
func (r *Rename) check() error {
	for _, m := range reference().FindAllStringSubmatch(r.To, -1) {
		name := m[1] + m[2]
		if name == "" {
			continue // a dollar sign
		}
		if n, err := strconv.Atoi(name); err == nil && n <= r.From.NumSubexp() || r.From.SubexpIndex(name) >= 0 {
			continue
		}
		return fmt.Errorf("edit: %q refers to the group %q, which %q does not have; to write letters after a number, "+
			"use ${1}", r.To, name, r.From)
	}
	return nil
}

// String returns the form that ParseRename reads.
func (r *Rename) String() string { return r.From.String() + "=>" + r.To }

// A Cast converts tensors of dtype From to dtype To. From "" means F64, F32, F16 and
// BF16: narrower floats are quantized and need their scales, and integers are not
// weights.
type Cast struct {
	From, To safetensors.Dtype
}

// takes reports whether the cast applies to tensors of dtype d. It leaves tensors of
// dtype To unchanged.
func (c *Cast) takes(d safetensors.Dtype) bool {
	if c.From != "" {
		return c.From == d
	}
	return d.Class() == safetensors.ClassFloat && d.Bits() >= 16
}

// String returns the cast as errors show it.
func (c *Cast) String() string {
	if c.From == "" {
		return string(c.To)
	}
	return string(c.From) + " to " + string(c.To)
}

// ErrRefused is wrapped by the errors of an Edit that cannot be applied to its source: a
// pattern matches nothing, two tensors would have one name, the output is the source.
// Nothing was changed.
var ErrRefused = shards.ErrRefused

// A refusal is an error that wraps ErrRefused and explains the reason.
type refusal struct{ error }

// Unwrap returns ErrRefused and the reason.
func (e refusal) Unwrap() []error { return []error{ErrRefused, e.error} }

// An UnfitError says that the dtype of a Cast cannot hold an element. The error of Write that wraps it wraps ErrRefused.
type UnfitError = elements.Unfit

// refuse returns a refusal.
func refuse(format string, args ...any) error {
	return refusal{fmt.Errorf("edit: "+format, args...)}
}

// quote returns a name from a file in a form that is safe in a message.
func quote(name string) string { return wording.Quote(name) }

// check returns an error if e contradicts itself.
func (e *Edit) check() error {
	for i := range e.Rename {
		if err := e.Rename[i].check(); err != nil {
			return refusal{err}
		}
	}
	if e.Arrange != nil && len(e.Rename)+len(e.Copy)+len(e.Cast) > 0 {
		return refuse("tensors that are rearranged cannot be renamed, copied or cast by the same edit: edit the result")
	}
	for i, c := range e.Cast {
		if c.To.Bits() == 0 {
			return refuse("unknown dtype %s", quote(string(c.To)))
		}
		for _, other := range e.Cast[:i] {
			if other.From == c.From {
				return refuse("cast %s and cast %s apply to the same tensors", &other, &c)
			}
		}
	}
	for _, key := range e.Unset {
		if _, set := e.Set[key]; set {
			return refuse("metadata key %s is both set and unset", quote(key))
		}
	}
	_, err := (&safetensors.Encoder{Align: e.Align}).Plan()
	if err != nil {
		return refuse("Align is %d; it must be a power of two up to 1,048,576", e.Align)
	}
	return nil
}
