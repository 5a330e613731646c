// Formats other than safetensors, as callers link them in.

package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/store"
)

// A Format reads the tensors of files that are not safetensors files. List the formats
// that a program supports in [Options].Formats.
type Format struct {
	// Name is the name of the format for people, such as "PyTorch".
	Name string

	// Extensions are the file name extensions, such as ".bin", that [Discover] considers in
	// a folder. A file that is named by the caller may have any extension but
	// ".safetensors": its content decides.
	Extensions []string

	// Rank reports how likely a file of a folder is a model, by its path below the folder: 1 for a
	// name that libraries give to models, -1 for one that they give to something else, such
	// as the state of an optimizer, and 0 for any other. Nil means 0 for every name.
	Rank func(path string) int

	// Match reports whether a file may be of the format. The head is the first 512 bytes,
	// or all of a shorter file. The name is the path of the file in its store; no file
	// should match only by its name.
	Match func(head []byte, name string) bool

	// Open reads what lists and locates the tensors of a file. The object and ctx stay
	// valid until the Tensors are closed, so readers that are bound to ctx can be kept.
	// Open does not close the object.
	//
	// The error is or wraps [ErrNotFormat] if the file turns out to be of another format,
	// and wraps a *[safetensors.Violation], such as [Damaged] returns, if the file is
	// damaged or unsupported. Any other error is one of reading.
	Open func(ctx context.Context, o store.Object) (Tensors, error)

	// Judge judges a file by the rules of the format, for [Checkpoint].Validate. The report has no header. Unless
	// headersOnly is set, it may read between the tensors. Nil means that the format has no rules beside what Open
	// finds. The error is one of reading.
	Judge func(ctx context.Context, o store.Object, headersOnly bool) (*safetensors.Report, error)

	// Parts judges the parts of a model, given in order. If it is set, the name of one numbered file, as in
	// model-00001-of-00003.gguf, stands for all of them.
	Parts func(parts []Part) []*safetensors.Violation

	// Joined, if it is set, reads models that several files of a folder make together, in place of Open and Judge.
	Joined *Joined
}

// Joined reads a model that several files of a folder make together, such as the parts that the processes of a training
// have saved. One of the files is the head: it is the one shard of its set, and the others are read through it.
type Joined struct {
	// Heads returns the base names of the files that may be the head of the model that a file belongs to, by its base
	// name, the likeliest first; a head is among its own. Nil means that files of that name belong to no such model.
	Heads func(base string) []string

	// Open is as Open of [Format]. The path is that of the head in its store. An error may join several violations.
	Open func(ctx context.Context, path string, o store.Object, beside Beside) (Tensors, error)

	// Judge is as Judge of [Format]. It may be nil.
	Judge func(ctx context.Context, path string, o store.Object, beside Beside, headersOnly bool) (*safetensors.Report,
		error)
}

// Beside opens a file by its path below the folder of another file, with which it is closed. It returns the same object
// for the same path. Several goroutines may call it at once.
type Beside = shard.Beside

// A Part is a file of a model, with what its [Description] has as Stored.
type Part = shard.Part

// ErrNotFormat says that a file which matched a [Format] is not of that format.
var ErrNotFormat = shard.ErrNotFormat

// Damaged returns the violation of [RuleFormatDamaged]. The detail says what is wrong with the
// file.
func Damaged(format string, args ...any) *safetensors.Violation {
	return finding.New(RuleFormatDamaged, "", safetensors.Span{}, format, args...)
}

// Unsupported returns the violation of [RuleFormatUnsupported], for a valid file without a tensor that
// safetensors can represent. The fix is one sentence; "" means the fix of the rule.
func Unsupported(fix, format string, args ...any) *safetensors.Violation {
	v := finding.New(RuleFormatUnsupported, "", safetensors.Span{}, format, args...)
	v.Fix = cmp.Or(fix, v.Fix)
	return v
}

// OverLimit returns the violation of [safetensors.RuleLimit], for a file that may be valid, but exceeds a limit of its
// Format. The fix is one sentence; "" means the fix of the rule.
func OverLimit(fix, format string, args ...any) *safetensors.Violation {
	v := finding.New(safetensors.RuleLimit, "", safetensors.Span{}, format, args...)
	v.Fix = cmp.Or(fix, v.Fix)
	return v
}

// Tensors are the tensors of one file, as a [Format] reads them. Their methods may be
// called by several goroutines at once, except Close.
type Tensors interface {
	// All yields the tensors in the order of the file. No two have the same name.
	All() iter.Seq2[*safetensors.Tensor, error]

	// Close releases what Open took, except the object.
	Close() error
}

// A Describer is [Tensors] that can say more about their file. It is optional.
type Describer interface {
	Tensors

	// Describe returns the description of the file. It reads nothing.
	Describe() Description
}

// A Description is what a file of another format is, apart from its tensors.
type Description struct {
	// Variant is the form of the file for reports, such as "pytorch-zip". "" means the
	// name of the format.
	Variant string

	// Metadata has key and value pairs that belong to the tensors, as the "__metadata__"
	// of a safetensors file has. It may be nil.
	Metadata map[string]string

	// Notes are sentences for people about what is not among the tensors, or needs
	// attention. They do not name the file: FILE stands for it in commands, as in
	// [github.com/weightools/safetensors/filetype.For].
	Notes []string

	// Stored describes the file as it is, if it stores tensors otherwise than their dtypes say, or has tensors that
	// cannot be read. A Dtype is a type of the format, such as "Q4_K", and the Size is such that DataStart is
	// where offsets are counted from. The Metadata may be a summary.
	Stored *safetensors.Header

	// Dangerous says in a few words why loading the file is dangerous, such as "it imports os.system".
	// "" means that no reason is known.
	Dangerous string
}

// A Located tensor is a tensor and the file that has it.
type Located struct {
	*safetensors.Tensor
	File string // the path of the shard in its store
}

// content opens an object and lists its tensors.
func (f *Format) content(ctx context.Context, path string, object store.Object, beside Beside) (*shard.Content, error) {
	var tensors Tensors
	var err error
	if f.Joined != nil {
		tensors, err = f.Joined.Open(ctx, path, object, beside)
	} else {
		tensors, err = f.Open(ctx, object)
	}
	if err != nil {
		return nil, err
	}
	c := &shard.Content{Value: tensors, Variant: f.Name, Close: tensors.Close}
	if d, ok := tensors.(Describer); ok {
		about := d.Describe()
		c.Variant, c.Metadata, c.Notes = cmp.Or(about.Variant, f.Name), about.Metadata, about.Notes
		c.Dangerous, c.Stored = about.Dangerous, about.Stored
	}
	for t, err := range tensors.All() {
		if err != nil {
			return nil, errors.Join(err, tensors.Close())
		}
		c.List = append(c.List, t)
	}
	return c, nil
}

// judge returns what judges a file of the format, or nil.
func (f *Format) judge() func(context.Context, string, store.Object, Beside, bool) (*safetensors.Report, error) {
	switch {
	case f.Joined != nil:
		return f.Joined.Judge
	case f.Judge == nil:
		return nil
	}
	return func(ctx context.Context, _ string, o store.Object, _ Beside, headersOnly bool) (*safetensors.Report, error) {
		return f.Judge(ctx, o, headersOnly)
	}
}

// rank returns how likely a file of the format is a model, by its name.
func (f *Format) rank(name string) int {
	if f.Rank == nil {
		return 0
	}
	return f.Rank(name)
}
