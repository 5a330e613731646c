// The edit: what is asked for.

package edit

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// An Edit says what is to become of a checkpoint. The zero Edit changes nothing.
// It is not changed by its methods, and may be used by any number of goroutines at
// once, each on another checkpoint.
type Edit struct {
	// Keep says which tensors stay: those that one of the patterns matches. None
	// means all. Drop says which of these go.
	Keep, Drop []Pattern

	// Rename is done in order, each to what the one before has made of a name.
	Rename []Rename

	// Cast says which tensors are converted. Those whose names one of CastKeep
	// matches are not.
	Cast     []Cast
	CastKeep []Pattern

	// Saturate is [safetensors.Converter.Saturate].
	Saturate bool

	// Set and Unset change the metadata of every file. A file without metadata gets
	// some if there is something to set.
	Set   map[string]string
	Unset []string

	// Align is [safetensors.Encoder.Align]. 0 means 8, or 4096 for a file whose data
	// begins at a multiple of that already.
	Align int

	// Canonical writes files as the reference implementation does: in its order,
	// and without room for metadata to grow.
	Canonical bool

	// Lenient accepts sources that the reference implementation accepts. What is
	// written breaks no rule.
	Lenient bool

	// Fix mends what [Mends] says, and accepts sources that break these rules. It
	// sets "format" to "pt" where there is none.
	Fix bool

	// Overwrite replaces existing files of the target.
	Overwrite bool

	// Resolve and Formats are those of checkpoint.Options.
	Resolve func(context.Context, store.Ref) (store.Store, error)
	Formats []checkpoint.Format

	// Progress, if it is not nil, is called with the number of bytes that were written
	// and verified, and with how many there are, by several goroutines at once.
	Progress func(done, total int64)
}

// A Pattern matches names. It is safe for concurrent use.
type Pattern interface {
	Match(name string) bool
	String() string // as it is to be quoted in an error
}

// A Rename replaces what From matches, wherever in a name and however often, by To,
// in which $1 or ${name} stands for a group of From, and $$ for a dollar sign.
type Rename struct {
	From *regexp.Regexp
	To   string
}

// ParseRename reads the form "RE=>TO". The first "=>" divides it.
func ParseRename(s string) (Rename, error) {
	re, to, ok := strings.Cut(s, "=>")
	if !ok || re == "" {
		return Rename{}, fmt.Errorf("edit: %q is not RE=>TO, a regular expression and what takes the place of what it matches", s)
	}
	from, err := regexp.Compile(re)
	var fault *syntax.Error
	if errors.As(err, &fault) {
		return Rename{}, fmt.Errorf("edit: %q is no regular expression: %s in %q", re, fault.Code, fault.Expr)
	} else if err != nil {
		return Rename{}, fmt.Errorf("edit: %q is no regular expression: %w", re, err)
	}
	r := Rename{from, to}
	return r, r.check()
}

// reference is a group that a template names: what follows a dollar sign.
var reference = regexp.MustCompile(`\$(?:\$|(\w+)|\{(\w+)\})`)

// check returns why To refers to a group that From does not have. Such a reference
// stands for nothing, so that "$1_x", which is a group called "1_x", would eat what
// it was to keep.
func (r *Rename) check() error {
	for _, m := range reference.FindAllStringSubmatch(r.To, -1) {
		name := m[1] + m[2]
		if name == "" {
			continue // a dollar sign
		}
		if n, err := strconv.Atoi(name); err == nil && n <= r.From.NumSubexp() || r.From.SubexpIndex(name) >= 0 {
			continue
		}
		return fmt.Errorf("edit: %q refers to the group %q, which %q does not have: to set letters apart from a number, write ${1}", r.To, name, r.From)
	}
	return nil
}

// String returns the form that ParseRename reads.
func (r *Rename) String() string { return r.From.String() + "=>" + r.To }

// A Cast converts tensors of dtype From to dtype To. From "" stands for F64, F32,
// F16 and BF16: narrower floats are quantized, and mean something with their scales
// alone, and integers are no weights.
type Cast struct {
	From, To safetensors.Dtype
}

// takes says whether the cast is for tensors of dtype d. It is for those of dtype
// To, which it leaves as they are.
func (c *Cast) takes(d safetensors.Dtype) bool {
	if c.From != "" {
		return c.From == d
	}
	return d.Class() == safetensors.ClassFloat && d.Bits() >= 16
}

// String returns what the cast is called in an error.
func (c *Cast) String() string {
	if c.From == "" {
		return string(c.To)
	}
	return string(c.From) + " to " + string(c.To)
}

// ErrRefused is wrapped by the errors of an Edit that makes no sense, or not for its
// source: a pattern that matches nothing, two tensors of one name, a target that is
// the source. Nothing was touched then.
var ErrRefused = errors.New("the edit was refused")

// A refusal is an error that wraps ErrRefused, and says why instead.
type refusal struct{ error }

func (e refusal) Unwrap() []error { return []error{ErrRefused, e.error} }

// refuse returns a refusal.
func refuse(format string, args ...any) error {
	return refusal{fmt.Errorf("edit: "+format, args...)}
}

// quote returns a name out of a file so that it can be part of a line.
func quote(name string) string { return wording.Quote(name) }

// check returns what makes no sense about e, whatever it is done to.
func (e *Edit) check() error {
	for i := range e.Rename {
		if err := e.Rename[i].check(); err != nil {
			return refusal{err}
		}
	}
	for i, c := range e.Cast {
		if c.To.Bits() == 0 {
			return refuse("there is no dtype %s to cast to", quote(string(c.To)))
		}
		for _, other := range e.Cast[:i] {
			if other.From == c.From {
				return refuse("cast %s and cast %s are of the same tensors", &other, &c)
			}
		}
	}
	for _, key := range e.Unset {
		if _, set := e.Set[key]; set {
			return refuse("the metadata key %s is to be set and unset", quote(key))
		}
	}
	_, err := (&safetensors.Encoder{Align: e.Align}).Plan()
	if err != nil {
		return refuse("Align is %d, and a power of two up to 1,048,576 is due", e.Align)
	}
	return nil
}
