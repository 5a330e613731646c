// A format of its own takes one value like toy and one line in target.Formats. Every verb
// then reads it, or refuses it.

package main

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// toy is a format of text: "TOY", and a line with a name and four bytes for each tensor.
var toy = checkpoint.Format{
	Name:       "toy",
	Extensions: []string{".toy"},
	Match:      func(head []byte, _ string) bool { return bytes.HasPrefix(head, []byte("TOY\n")) },
	Open: func(ctx context.Context, o store.Object) (checkpoint.Tensors, error) {
		text, err := io.ReadAll(io.NewSectionReader(o.ReaderAt(ctx), 0, o.Size()))
		if err != nil {
			return nil, err
		}
		var t toyTensors
		for line := range strings.Lines(string(text[len("TOY\n"):])) {
			name, data, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if !ok || len(data) != 4 {
				return nil, checkpoint.Damaged("the line %q is not a tensor", line)
			}
			one, err := safetensors.TensorAt(name, safetensors.U8, []int64{4}, strings.NewReader(data))
			if err != nil {
				return nil, err
			}
			t = append(t, one)
		}
		return t, nil
	},
}

type toyTensors []*safetensors.Tensor

func (t toyTensors) All() iter.Seq2[*safetensors.Tensor, error] {
	return func(yield func(*safetensors.Tensor, error) bool) {
		for _, one := range t {
			if !yield(one, nil) {
				return
			}
		}
	}
}

func (t toyTensors) Close() error { return nil }

func TestNewFormat(t *testing.T) {
	was, copied := target.Formats, target.Copied
	target.Formats, target.Copied = append(was[:len(was):len(was)], toy), append(copied[:len(copied):len(copied)], toy)
	t.Cleanup(func() { target.Formats, target.Copied = was, copied })
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"a.toy": "TOY\nx AAAA\ny BBBB\n", "damaged.toy": "TOY\nx\n", "folder/model.toy": "TOY\nx AAAA\n"} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		code int
		says string // on either output
	}{
		{"info a.toy", cli.ExitOK, "2 tensors"},
		{"info folder", cli.ExitOK, "1 tensor"},
		{"cat a.toy x", cli.ExitOK, "[65, 65, 65, 65]"},
		{"stats a.toy", cli.ExitOK, "66"},
		{"check a.toy", cli.ExitOK, "weights-format"},
		{"hash --tensors a.toy", cli.ExitOK, "tensor"},
		{"metadata a.toy", cli.ExitOK, ""},
		{"merge a.toy -o merged.safetensors", cli.ExitOK, "merged.safetensors"},
		{"diff a.toy merged.safetensors --no-metadata", cli.ExitOK, "no difference"},
		{"split a.toy -o shards", cli.ExitOK, "shards"},
		{"edit a.toy -o edited.safetensors --rename x=>z", cli.ExitOK, "edited.safetensors"},
		{"get a.toy -o got", cli.ExitOK, "a.toy"},
		{"get a.toy --include x -o part", cli.ExitOK, "model.safetensors"},
		{"header a.toy", cli.ExitUsage, "another format (toy)"},
		{"layout a.toy", cli.ExitUsage, "another format (toy)"},
		{"info damaged.toy", cli.ExitFound, "is not a tensor"},
		{"check damaged.toy", cli.ExitFound, "is not a tensor"},
		{"stats damaged.toy", cli.ExitFound, "is not a tensor"},
		{"hash damaged.toy", cli.ExitFound, "is not a tensor"},
		{"merge damaged.toy -o never.safetensors", cli.ExitFound, "is not a tensor"},
	} {
		args := strings.Fields(tt.args)
		for i, arg := range args {
			if strings.ContainsAny(arg, ".") || arg == "folder" || i > 0 && args[i-1] == "-o" {
				args[i] = at(arg)
			}
		}
		var out bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &out, noEnv)
		if code != tt.code || !strings.Contains(out.String(), tt.says) {
			t.Errorf("weigh %s: exit code %d, want %d and %q:\n%s", tt.args, code, tt.code, tt.says, out.String())
		}
	}
}
