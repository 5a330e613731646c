package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/store"
)

// joinedToys is a format whose head ".list" names the files that have the tensors.
func joinedToys() *checkpoint.Options {
	return &checkpoint.Options{Formats: []checkpoint.Format{{
		Name: "toys",
		Match: func(head []byte, name string) bool {
			return path.Base(name) == ".list" || strings.HasSuffix(name, ".toys")
		},
		Rank: func(name string) int { return -strings.Count(name, "optimizer/") },
		Joined: &checkpoint.Joined{
			Heads: func(base string) []string {
				if base == ".list" || strings.HasSuffix(base, ".toys") {
					return []string{".list"}
				}
				return nil
			},
			Open: func(ctx context.Context, name string, o store.Object, beside checkpoint.Beside) (checkpoint.Tensors, error) {
				if path.Base(name) != ".list" {
					return nil, checkpoint.Damaged("there is no .list")
				}
				text := make([]byte, o.Size())
				if _, err := o.ReaderAt(ctx).ReadAt(text, 0); err != nil {
					return nil, err
				}
				t := new(toyFile)
				var faults []error
				for _, name := range strings.Fields(string(text)) {
					part, err := beside(ctx, name)
					if errors.Is(err, fs.ErrInvalid) {
						return nil, err
					}
					if err != nil {
						faults = append(faults, checkpoint.Damaged("%s is missing", name))
						continue
					}
					info := safetensors.TensorInfo{Name: name, Dtype: safetensors.U8, Shape: []int64{part.Size()},
						Offsets: safetensors.Span{End: part.Size()}}
					t.list = append(t.list, &safetensors.Tensor{TensorInfo: info, ReaderAt: part.ReaderAt(ctx)})
				}
				return t, errors.Join(faults...)
			},
		},
	}}}
}

func TestJoined(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	from := store.FS(fstest.MapFS{
		"run/.list": file("a.toys sub/b.toys"), "run/a.toys": file("one"), "run/sub/b.toys": file("three"),
		"run/optimizer/.list": file("c.toys"), "run/optimizer/c.toys": file("many"),
		"lost/.list": file("gone.toys a.toys lost.toys"), "lost/a.toys": file("one"),
		"out/.list": file("../run/a.toys"), "bare/a.toys": file("one"),
	})
	for _, test := range []struct{ path, want string }{
		{"run", "run/.list: a.toys sub/b.toys"},
		{"run/a.toys", "run/.list: a.toys sub/b.toys"},
		{"run/.list", "run/.list: a.toys sub/b.toys"},
		{"run/optimizer", "run/optimizer/.list: c.toys"},
		{"lost", "gone.toys is missing; lost.toys is missing"},
		{"out", `read out/.list: "../run/a.toys" is not a path below the folder: invalid argument`},
		{"bare", "there is no .list"},
	} {
		cp, err := checkpoint.New(t.Context(), from, test.path, joinedToys())
		if err != nil {
			t.Fatal(test.path, err)
		}
		got := fmt.Sprint(strings.Join(cp.Shards(), " "), ":")
		for one, err := range cp.Tensors(t.Context()) {
			if err != nil {
				got = ""
				break
			}
			b := make([]byte, one.Size())
			if _, err := one.ReadAt(b, 0); err != nil {
				t.Error(err)
			}
			got += " " + one.Name
		}
		if got == "" {
			var words []string
			for r, err := range cp.Validate(t.Context()) {
				if err != nil {
					words = append(words, err.Error())
					continue
				}
				for _, v := range r.Violations {
					words = append(words, v.Detail)
				}
			}
			got = strings.Join(words, "; ")
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.path, got, test.want)
		}
		if err := cp.Close(); err != nil {
			t.Error(err)
		}
	}
}
