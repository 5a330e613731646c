// A format of its own: one package and one line, as those who add one see it.

package checkpoint_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// toy is a format of lines: "TOY", and then a name and four bytes of text for each tensor.
var toy = checkpoint.Format{
	Name:       "toy",
	Extensions: []string{".toy"},
	Rank: func(base string) int {
		switch {
		case strings.HasPrefix(base, "model"):
			return 1
		case strings.HasPrefix(base, "optimizer"):
			return -1
		}
		return 0
	},
	Match: func(head []byte, _ string) bool { return bytes.HasPrefix(head, []byte("TOY\n")) },
	Open: func(ctx context.Context, o store.Object) (checkpoint.Tensors, error) {
		text, err := io.ReadAll(io.NewSectionReader(o.ReaderAt(ctx), 0, o.Size()))
		if err != nil {
			return nil, err
		}
		t := &toyFile{}
		off := int64(len("TOY\n"))
		for line := range strings.Lines(string(text[off:])) {
			name, data, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			switch {
			case name == "other":
				return nil, checkpoint.ErrNotFormat
			case !ok || len(data) != 4:
				return nil, checkpoint.Damaged("the toy is broken")
			}
			info := safetensors.TensorInfo{Name: name, Dtype: safetensors.U8, Shape: []int64{4}, Offsets: safetensors.Span{End: 4}}
			at := off + int64(len(name)) + 1
			t.list = append(t.list, &safetensors.Tensor{TensorInfo: info, ReaderAt: io.NewSectionReader(o.ReaderAt(ctx), at, 4)})
			off += int64(len(line))
		}
		return t, nil
	},
}

type toyFile struct{ list []*safetensors.Tensor }

func (t *toyFile) All() iter.Seq2[*safetensors.Tensor, error] {
	return func(yield func(*safetensors.Tensor, error) bool) {
		for _, one := range t.list {
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (t *toyFile) Close() error { return nil }

func (t *toyFile) Describe() checkpoint.Description {
	return checkpoint.Description{Variant: "toy-1", Notes: []string{"it is a toy"}}
}

// toys are the options of a program that links the format in.
var toys = &checkpoint.Options{Formats: []checkpoint.Format{toy}}

// contentsOf returns the tensors of a checkpoint, as in "file:name=data".
func contentsOf(t *testing.T, cp *checkpoint.Checkpoint) string {
	t.Helper()
	var list []string
	for one, err := range cp.Tensors(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, one.Size())
		if _, err := one.ReadAt(data, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		list = append(list, one.File+":"+one.Name+"="+string(data))
	}
	return strings.Join(list, " ")
}

func TestFormat(t *testing.T) {
	index := []byte(`{"metadata": {"total_size": 8}, "weight_map": {"a": "x-00001-of-00002.toy", "b": "x-00002-of-00002.toy"}}`)
	one, two := []byte("TOY\na AAAA\n"), []byte("TOY\nb BBBB\nc CCCC\n")
	for _, test := range []struct {
		name, path string
		files      folder
		want, sets string
	}{
		{"a file of any name", "m.dat", folder{"m.dat": two}, "m.dat:b=BBBB m.dat:c=CCCC", "m.dat"},
		{"one file of a folder", "", folder{"m.toy": two, "README.md": []byte("x")}, "m.toy:b=BBBB m.toy:c=CCCC", "m.toy"},
		{"the usual name", "", folder{"model.toy": one, "ema.toy": two, "optimizer.toy": two}, "model.toy:a=AAAA", "model.toy"},
		{"not the optimizer", "", folder{"best.toy": one, "optimizer.toy": two}, "best.toy:a=AAAA", "best.toy"},
		{"what is of the format", "", folder{"best.toy": one, "fake.toy": []byte("GGUF")}, "best.toy:a=AAAA", "best.toy"},
		{"shards by their index", "", folder{"x.toy.index.json": index, "x-00001-of-00002.toy": one, "x-00002-of-00002.toy": two},
			"x-00001-of-00002.toy:a=AAAA x-00002-of-00002.toy:b=BBBB x-00002-of-00002.toy:c=CCCC", "x.toy.index.json"},
		{"shards by their numbers", "", folder{"x-00001-of-00002.toy": one, "x-00002-of-00002.toy": two},
			"x-00001-of-00002.toy:a=AAAA x-00002-of-00002.toy:b=BBBB x-00002-of-00002.toy:c=CCCC", "x-*-of-00002.toy"},
		{"an index by its name", "x.toy.index.json", folder{"x.toy.index.json": index, "x-00001-of-00002.toy": one, "x-00002-of-00002.toy": two},
			"x-00001-of-00002.toy:a=AAAA x-00002-of-00002.toy:b=BBBB x-00002-of-00002.toy:c=CCCC", "x.toy.index.json"},
		{"safetensors first", "", folder{"model.safetensors": file(t, f32("w", 1)), "model.toy": one}, "", "model.safetensors"},
		{"in a folder below", "", folder{"unet/model.toy": one}, "unet/model.toy:a=AAAA", "unet/model.toy"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cp := open(t, test.files.store(), test.path, toys)
			if cp.Set().Name != test.sets {
				t.Errorf("the set is %q, want %q", cp.Set().Name, test.sets)
			}
			if test.want == "" {
				if got := cp.Set().Unread(); !slices.Equal(got, []string{"model.toy"}) {
					t.Errorf("unread: %q", got)
				}
				return
			}
			if got := contentsOf(t, cp); got != test.want {
				t.Errorf("has %s, want %s", got, test.want)
			}
			for r, err := range cp.Validate(t.Context()) {
				if err != nil {
					t.Error(err)
				} else if r.File != "" && (r.Format != "toy-1" || len(r.Notes) != 1) {
					t.Errorf("%s: format %q, notes %q", r.File, r.Format, r.Notes)
				} else if v := r.First(safetensors.Nonconforming); v != nil {
					t.Error(v)
				}
			}
		})
	}
}

// TestSeveralModels: files of another format are models of their own, also if no tensor is
// in two of them.
func TestSeveralModels(t *testing.T) {
	f := folder{"a.toy": []byte("TOY\na AAAA\n"), "b.toy": []byte("TOY\nb BBBB\n")}
	sets, err := checkpoint.Discover(t.Context(), f.store(), "", toys)
	if err != nil || len(sets) != 2 || !sets[0].Counted() || !sets[1].Counted() {
		t.Errorf("sets %v, %v", sets, err)
	}
}

func TestFormatFaults(t *testing.T) {
	f := folder{"broken.toy": []byte("TOY\nx\n"), "other.toy": []byte("TOY\nother \n"), "text.toy": []byte("not one of ours")}
	for name, says := range map[string]string{"broken.toy": "the toy is broken", "other.toy": "not a safetensors file", "text.toy": ""} {
		cp := open(t, f.store(), name, toys)
		_, err := cp.Header(t.Context(), name)
		var v *safetensors.Violation
		if !errors.As(err, &v) || !strings.Contains(v.Detail, says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := checkpoint.New(t.Context(), folder{"fake.toy": []byte("GGUF")}.store(), "", toys); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder with nothing of the format: %v", err)
	}
}

// TestFormatImage: the file that a header describes can be read, whole and in part, and is
// a safetensors file.
func TestFormatImage(t *testing.T) {
	f := folder{"m.toy": []byte("TOY\nb BBBB\nc CCCC\n")}
	cp := open(t, f.store(), "m.toy", toys)
	r, err := cp.ReaderAt(t.Context(), "m.toy")
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(io.NewSectionReader(r, 0, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	read, err := safetensors.NewFile(bytes.NewReader(all), int64(len(all)))
	if err != nil || len(read.Header.Tensors) != 2 {
		t.Fatalf("decoded: %v", err)
	}
	for off := range all {
		part := make([]byte, 5)
		n, err := r.ReadAt(part, int64(off))
		if want := all[off:min(off+5, len(all))]; string(part[:n]) != string(want) || (err != nil) != (n < 5) {
			t.Fatalf("at %d: %q, %v", off, part[:n], err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	if r, err = cp.ReaderAt(ctx, "m.toy"); err != nil {
		t.Fatal(err)
	}
	why := errors.New("enough")
	cancel(why)
	if _, err := r.ReadAt(make([]byte, len(all)), 0); !errors.Is(err, why) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestFormatOutlivesOpening: what was read for one task serves others after its end.
func TestFormatOutlivesOpening(t *testing.T) {
	f := folder{"m.toy": []byte("TOY\nb BBBB\n")}
	cp := open(t, f.store(), "m.toy", toys)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := cp.Tensor(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := contentsOf(t, cp); got != "m.toy:b=BBBB" {
		t.Errorf("has %s", got)
	}
	if opened, err := cp.Opened(t.Context(), "m.toy"); err != nil || opened == nil {
		t.Errorf("opened %v, %v", opened, err)
	}
}
