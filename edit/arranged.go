// Tensors that are made of others, and the files that they go to.

package edit

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/edit/arrange"
	"github.com/weightools/safetensors/internal/bytesio"
)

// An Input is what [Edit].Arrange makes tensors of.
type Input struct {
	Tensors  []*safetensors.Tensor // of all files
	Metadata map[string]string     // of the first file
	Files    int                   // how many there are

	// Merged returns the metadata of all files: the first value of each key.
	Merged func() map[string]string

	// Beside reads a small file in the folder of the source. The error wraps [fs.ErrNotExist] if there is none.
	Beside func(name string) ([]byte, error)
}

// An Output is what [Edit].Arrange makes.
type Output struct {
	// Tensors are those that are written. Tensors of the Input that none is made of are dropped.
	Tensors []arrange.Made

	// Set and Unset change the metadata of every file, as those of Edit do. Keys to unset may be absent.
	Set   map[string]string
	Unset []string

	// Stem is as in Edit.
	Stem string

	// Texts are files to be written beside the weights, by their names: see [Plan.Texts]. A nil text removes a file
	// from those that are copied.
	Texts map[string][]byte

	// Notes say in one line each what users should know, such as which file is not written. Described says that
	// config.json beside the weights is right for the output, too.
	Notes     []string
	Described bool
}

// A spot is where a tensor of the source is.
type spot struct {
	file *file
	*Change
}

// arrange makes the tensors of all files. The edit was applied to the tensors, which only dropped some.
func (s *source) arrange(ctx context.Context, e *Edit) error {
	var kept []*safetensors.Tensor
	spots := make(map[*safetensors.Tensor]*spot)
	for _, f := range s.files {
		for i := range f.changes {
			if c := &f.changes[i]; c.Now != nil {
				kept = append(kept, c.Now)
				spots[c.Was] = &spot{file: f, Change: c}
				c.Now = nil
			}
		}
	}
	out, err := e.Arrange(s.input(ctx, kept))
	if err != nil {
		return refusal{err}
	}
	made := out.Tensors
	s.out = out
	names := make(map[string]*safetensors.Tensor, len(made)) // the first tensor that each is made of
	for i := range made {
		one := &made[i]
		c := Change{Now: one.Tensor, How: one.How}
		home := s.files[0]
		var at *spot
		for j, t := range one.From {
			from := spots[t]
			if from == nil {
				return refuse("tensor %s is made of %s, which the source does not have", quote(one.Name), quote(t.Name))
			}
			if j == 0 {
				at, home, c.Was = from, from.file, t
			}
			if from.Into == "" {
				from.Into = one.Name
			}
		}
		if len(one.From) > 1 {
			c.From = one.From
		}
		if first, taken := names[one.Name]; taken || one.Name == "__metadata__" || one.Name == "" {
			return impossible(one.Name, first, c.Was)
		}
		names[one.Name] = c.Was
		home.arranged = home.arranged || len(one.From) != 1 || one.How != ""
		if at == nil || at.Now != nil {
			home.arranged = true
			home.added = append(home.added, c)
		} else {
			at.Now, at.How, at.From = c.Now, c.How, c.From
		}
	}
	if len(made) == 0 {
		return refuse("none of %d tensors would be left", len(kept))
	}
	settle(spots)
	return nil
}

// settle notes which tensors are part of others only, and the files whose tensors are not in their place.
func settle(spots map[*safetensors.Tensor]*spot) {
	for _, at := range spots {
		if at.Now != nil {
			at.Into = ""
		}
		at.file.arranged = at.file.arranged || at.Into != ""
	}
}

// input returns what tensors are made of.
func (s *source) input(ctx context.Context, tensors []*safetensors.Tensor) *Input {
	return &Input{Tensors: tensors, Metadata: s.files[0].header.Metadata, Files: len(s.files),
		Merged: func() map[string]string {
			all := make(map[string]string)
			for _, f := range slices.Backward(s.files) {
				maps.Copy(all, f.header.Metadata)
			}
			return all
		},
		Beside: func(name string) ([]byte, error) {
			object, err := s.cp.Set().OpenBeside(ctx, name)
			if err != nil {
				return nil, err
			}
			defer object.Close()
			if object.Size() > maxBeside {
				return nil, fmt.Errorf("%s has %d bytes, at most %d are read", name, object.Size(), maxBeside)
			}
			return bytesio.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
		}}
}

// maxBeside is how large a file is at most that [Input].Beside reads.
const maxBeside = 16 << 20

// impossible returns the error that a tensor cannot have its name. First is what another of the name is made of.
func impossible(name string, first, was *safetensors.Tensor) error {
	switch {
	case name == "__metadata__" || name == "":
		return refuse("a tensor would be called %q, which is not a name of tensors", name)
	case first != nil && was != nil:
		return refuse("tensors %s and %s would both be called %s", quote(first.Name), quote(was.Name), quote(name))
	}
	return refuse("two tensors would be called %s", quote(name))
}

// restem gives the files names with another stem.
func (s *source) restem(stem string) {
	stem = cmp.Or(s.out.Stem, stem)
	if stem == "" {
		return
	}
	for _, f := range s.files {
		if n, ok := shards.ParseName(f.rename); ok {
			n.Prefix = stem + "-"
			f.rename = n.String()
		} else if len(s.files) == 1 {
			f.rename = stem + ".safetensors"
		}
	}
	if s.index != nil {
		s.indexNow = stem + ".safetensors.index.json"
	}
}
