// GGUF as a format of checkpoints.

package gguf

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// Format returns the format of GGUF files, for [checkpoint.Options]. Tensors that cannot be decoded are listed only in
// what the description has as stored, and in a note. A file whose name ends in .gguf is of the format, too, if its
// content is of no format that is known: then its first bytes are damaged.
func Format(opts *Options) checkpoint.Format {
	return checkpoint.Format{
		Name:       "GGUF",
		Extensions: []string{".gguf"},
		Match: func(head []byte, name string) bool {
			return Is(head) || strings.EqualFold(path.Ext(name), ".gguf") && filetype.DetectHead(head).Kind == filetype.Unknown
		},
		Open: func(ctx context.Context, o store.Object) (checkpoint.Tensors, error) {
			f, err := Open(o.ReaderAt(ctx), o.Size())
			var v *safetensors.Violation
			switch {
			case errors.As(err, &v):
				damaged := checkpoint.Damaged("%s", v.Detail)
				damaged.Tensor, damaged.Span = v.Tensor, v.Span
				return nil, damaged
			case err != nil:
				return nil, err
			}
			return newTensors(f)
		},
		Judge: func(ctx context.Context, o store.Object, headersOnly bool) (*safetensors.Report, error) {
			r, err := validate(o.ReaderAt(ctx), o.Size(), !headersOnly, opts)
			if err != nil {
				return nil, err
			}
			return &safetensors.Report{Violations: r.Violations, Omitted: r.Omitted}, nil
		},
		Parts: judgeParts,
	}
}

// tensors are the tensors of a file as those of a checkpoint.
type tensors struct {
	file *File
	list []*safetensors.Tensor
	left []string // notes about tensors that are not listed
}

func newTensors(f *File) (*tensors, error) {
	t := &tensors{file: f}
	unknown := make(map[Type]int)
	var order []Type
	for i := range f.Tensors {
		info := &f.Tensors[i]
		tensor, err := f.Tensor(info)
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			if unknown[info.Type]++; unknown[info.Type] == 1 {
				order = append(order, info.Type)
			}
		case err != nil:
			return nil, checkpoint.Damaged("%v", err)
		default:
			t.list = append(t.list, tensor)
		}
	}
	for _, kind := range order {
		t.left = append(t.left, fmt.Sprintf("%s of %v cannot be decoded", wording.Count(unknown[kind], "tensor"), kind))
	}
	return t, nil
}

// All implements [checkpoint.Tensors].
func (t *tensors) All() iter.Seq2[*safetensors.Tensor, error] {
	return func(yield func(*safetensors.Tensor, error) bool) {
		for _, tensor := range t.list {
			if !yield(tensor, nil) {
				return
			}
		}
	}
}

// Close implements [io.Closer].
func (t *tensors) Close() error { return nil }

// Describe implements [checkpoint.Describer]. The metadata are the keys with numbers, bools and short strings.
func (t *tensors) Describe() checkpoint.Description {
	metadata := make(map[string]string)
	for i := range t.file.Keys {
		k := &t.file.Keys[i]
		if text, ok := k.Value.describe(); ok && utf8.ValidString(k.Name) {
			metadata[k.Name] = text
		}
	}
	return checkpoint.Description{Variant: fmt.Sprintf("gguf-v%d", t.file.Version), Metadata: metadata, Notes: t.left,
		Stored: t.file.Listing()}
}

// Listing describes the file as it is: each Dtype is the name of a type of GGUF, such as "Q4_K". The metadata says
// how long arrays and long strings are.
func (f *File) Listing() *safetensors.Header {
	h := &safetensors.Header{Size: f.DataStart - 8, Metadata: make(map[string]string)}
	for i := range f.Tensors {
		t := &f.Tensors[i]
		h.Tensors = append(h.Tensors, safetensors.TensorInfo{Name: t.Name, Dtype: safetensors.Dtype(t.Type.String()),
			Shape: t.Shape(), Offsets: span(t.Span.Begin-f.DataStart, t.Span.End-f.DataStart)})
	}
	for i := range f.Keys {
		k := &f.Keys[i]
		text, ok := k.Value.describe()
		switch {
		case !utf8.ValidString(k.Name) || h.Metadata[k.Name] != "":
			continue
		case k.Value.Kind == Array:
			text = fmt.Sprintf("[%d %v]", k.Value.Len, k.Value.Elem)
		case !ok:
			text = fmt.Sprintf("[%d bytes]", k.Value.Len)
		}
		h.Metadata[k.Name] = text
	}
	if t, ok := f.FileType(); ok && t.String() != "" {
		h.Metadata["general.file_type"] = t.String()
	}
	return h
}

// describe returns a value as text, unless it is an array or a long string.
func (v Value) describe() (string, bool) {
	if text, ok := v.Short(); ok {
		return text, utf8.ValidString(text)
	}
	if n, ok := v.Int(); ok {
		return strconv.FormatInt(n, 10), true
	}
	if n, ok := v.Uint(); ok {
		return strconv.FormatUint(n, 10), true
	}
	if b, ok := v.Bool(); ok {
		return strconv.FormatBool(b), true
	}
	if x, ok := v.Float(); ok {
		bits := 64
		if v.Kind == Float32 {
			bits = 32
		}
		return strconv.FormatFloat(x, 'g', -1, bits), true
	}
	return "", false
}
