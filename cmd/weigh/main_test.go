// The program within this process: arguments, streams, interruptions.

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

// noEnv is an environment without variables.
func noEnv(name string) string {
	if name == "WEIGH_CACHE" {
		return "off" // not the user's
	}
	return ""
}

func TestWithVerb(t *testing.T) {
	for _, tt := range []struct {
		args    string
		want    string
		implied bool
	}{
		{"", "", false},
		{"--help", "--help", false},
		{"--version", "--version", false},
		{"check x", "check x", false},
		{"help", "help", false},
		{"completion bash", "completion bash", false},
		{"x", "info x", true},
		{"- --json", "info - --json", true},
		{"-- check", "info -- check", true},
		{"--json x", "info --json x", true},
		{"--sort name check", "--sort name check", false}, // cobra refuses the flag
		{"--sort=name x", "info --sort=name x", true},
		{"-o check x", "info -o check x", true},
		{"-ocheck x", "info -ocheck x", true},
		{"--color never check x", "--color never check x", false},
		{"--color never x", "info --color never x", true},
		{"-q x", "info -q x", true},
		{"--json", "info --json", true},
		{"--bogus", "--bogus", false},
		{"__complete ch", "__complete ch", false},
		{"__complete x --so", "__complete info x --so", true},
		{"__complete check --so", "__complete check --so", false},
	} {
		root := rootCmd(new(cli.Session))
		got, implied := withVerb(root, strings.Fields(tt.args))
		if strings.Join(got, " ") != tt.want || implied != tt.implied {
			t.Errorf("%q: %q, %v, want %q, %v", tt.args, got, implied, tt.want, tt.implied)
		}
	}
}

// Without arguments there is nothing to do, and what to say depends on whether
// there is something to read.
func TestNothingAsked(t *testing.T) {
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, sound(), 0o666); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	const (
		usage = `weigh: no target; usage: "weigh [COMMAND] [FLAGS] TARGET..."; see "weigh --help"` + "\n"
		hint  = `weigh: no target; use "weigh -" to read standard input, or see "weigh --help"` + "\n"
	)
	for _, tt := range []struct {
		name  string
		stdin io.Reader
		want  string
	}{{"nothing to read", strings.NewReader(""), usage}, {"a file", file, hint}, {"a pipe", r, hint}} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), nil, tt.stdin, &out, &errs, noEnv); code != cli.ExitUsage || out.Len() > 0 || errs.String() != tt.want {
			t.Errorf("%s: exit code %d, %d bytes written, %q", tt.name, code, out.Len(), errs.String())
		}
	}
}

// sound returns a file of one tensor of two F32.
func sound() []byte {
	header := `{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}  `
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, 8)...)
}

func TestStreamReadsNoMoreThanTheHeader(t *testing.T) {
	r := bytes.NewReader(sound())
	s, err := target.ReadStream(r)
	if err != nil {
		t.Fatal(err)
	}
	if r.Len() != 8 || s.Size != -1 || len(s.Head) != 64 {
		t.Errorf("%d bytes are left, size %d, %d bytes of header", r.Len(), s.Size, len(s.Head))
	}
	report, err := s.Validate(new(safetensors.Opener))
	if err != nil || report.Err() != nil || len(report.Header.Tensors) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if err := s.ReadRest(); err != nil || s.Size != 72 {
		t.Errorf("size %d, %v", s.Size, err)
	}
	if report, err := s.Validate(new(safetensors.Opener)); err != nil || report.Err() != nil {
		t.Errorf("%+v, %v", report, err)
	}
}

// Whatever N says, a stream takes the memory of what arrives.
func TestStreamsOfFewBytes(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    []byte
		rule safetensors.Rule
	}{
		{"nothing", nil, safetensors.RuleTooShort},
		{"seven bytes", make([]byte, 7), safetensors.RuleTooShort},
		{"a header that is not there", binary.LittleEndian.AppendUint64(nil, safetensors.MaxHeaderSize), safetensors.RuleHeaderSize},
		{"a header too large", binary.LittleEndian.AppendUint64(nil, 1<<63), safetensors.RuleHeaderSize},
		{"no header", binary.LittleEndian.AppendUint64(nil, 0), safetensors.RuleJSON},
		{"a short text", []byte("<html></html>"), safetensors.RuleNotSafetensors},
		{"a long text", []byte("<html>" + strings.Repeat("x", 4000)), safetensors.RuleNotSafetensors},
		{"cut off in the header", sound()[:30], safetensors.RuleHeaderSize},
		{"cut off in the data", sound()[:70], safetensors.RuleTruncated},
	} {
		s, err := target.ReadStream(bytes.NewReader(tt.b))
		if err == nil {
			err = s.ReadRest()
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		report, err := s.Validate(new(safetensors.Opener))
		if err != nil || !errors.Is(report.Err(), tt.rule) || s.Size != int64(len(tt.b)) {
			t.Errorf("%s: size %d, %v, %v, want %s", tt.name, s.Size, report.Err(), err, string(tt.rule))
		}
	}
}

// qwen returns the start of a file with the tensors of Qwen2-0.5B: 24 layers of
// width 896, 4864 in the feed-forward part, 128 for keys and values, a vocabulary
// of 151936, biases on queries, keys and values, and no head of its own.
func qwen() []byte {
	const layers, d, ff, kv, vocab = 24, 896, 4864, 128, 151936
	header, end := []byte("{"), 0
	tensor := func(name string, shape ...int) {
		size := 2
		for _, n := range shape {
			size *= n
		}
		dims := strings.ReplaceAll(fmt.Sprint(shape), " ", ",")
		header = fmt.Appendf(header, `%q:{"dtype":"BF16","shape":%s,"data_offsets":[%d,%d]},`, name, dims, end, end+size)
		end += size
	}
	tensor("model.embed_tokens.weight", vocab, d)
	for i := range layers {
		at := fmt.Sprintf("model.layers.%d.", i)
		tensor(at+"input_layernorm.weight", d)
		tensor(at+"mlp.down_proj.weight", d, ff)
		tensor(at+"mlp.gate_proj.weight", ff, d)
		tensor(at+"mlp.up_proj.weight", ff, d)
		tensor(at+"post_attention_layernorm.weight", d)
		tensor(at+"self_attn.k_proj.bias", kv)
		tensor(at+"self_attn.k_proj.weight", kv, d)
		tensor(at+"self_attn.o_proj.weight", d, d)
		tensor(at+"self_attn.q_proj.bias", d)
		tensor(at+"self_attn.q_proj.weight", d, d)
		tensor(at+"self_attn.v_proj.bias", kv)
		tensor(at+"self_attn.v_proj.weight", kv, d)
	}
	tensor("model.norm.weight", d)
	header[len(header)-1] = '}'
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
}

// The published number of parameters is 0.49 billion; this is it exactly, and so
// is the length of the compact header.
func TestQwen(t *testing.T) {
	file := qwen()
	if n := len(file) - 8; n != 32_248 {
		t.Errorf("a header of %d bytes", n)
	}
	var info struct {
		Files   []struct{ Size *int64 }
		Tensors []struct{ Name string }
		Totals  struct{ Tensors, Params, Bytes int64 }
	}
	if code := runJSON(t, bytes.NewReader(file), &info, "--json", "-"); code != cli.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if info.Totals.Tensors != 290 || info.Totals.Params != 494_032_768 || info.Totals.Bytes != 988_065_536 || len(info.Tensors) != 290 {
		t.Errorf("%+v", info.Totals)
	}
	if info.Files[0].Size != nil {
		t.Errorf("a stream has the size %d", *info.Files[0].Size)
	}
	var out bytes.Buffer
	env := func(name string) string { return map[string]string{cli.TestTerminal: "120"}[name] }
	run(t.Context(), []string{"--color", "never", "-"}, bytes.NewReader(file), &out, io.Discard, env)
	if !strings.Contains(out.String(), "\nmodel.layers.[0-23].mlp.up_proj.weight               BF16   [4864, 896]     × 24  104,595,456  199.50 MiB\n") {
		t.Errorf("its layers are not folded:\n%s", out.String())
	}
}

// broken is a reader that fails.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("the disk is gone") }

func TestStreamErrorIsNoViolation(t *testing.T) {
	var out, errs bytes.Buffer
	in := io.MultiReader(bytes.NewReader(sound()[:20]), broken{})
	if code := run(t.Context(), []string{"check", "-"}, in, &out, &errs, noEnv); code != cli.ExitIO {
		t.Errorf("exit code %d", code)
	}
	if diff := cmp.Diff("weigh: the disk is gone\n", errs.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A program that waits for input which does not come can be interrupted.
func TestInterruptedRead(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, w := io.Pipe()
	defer w.Close()
	waits := make(chan struct{})
	go func() {
		<-waits
		cancel()
	}()
	code := run(ctx, []string{"info", "-"}, readerFunc(func(b []byte) (int, error) {
		close(waits)
		return in.Read(b)
	}), io.Discard, io.Discard, noEnv)
	if code != cli.ExitInterrupt {
		t.Errorf("exit code %d", code)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// What is written after an interruption is not.
func TestInterruptedWrite(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if code := run(ctx, []string{"help"}, nil, &out, io.Discard, noEnv); code != cli.ExitInterrupt || out.Len() > 0 {
		t.Errorf("exit code %d, %d bytes written", code, out.Len())
	}
}

func TestReaderGone(t *testing.T) {
	r, w := io.Pipe()
	r.Close()
	var errs bytes.Buffer
	if code := run(t.Context(), []string{"help"}, nil, w, &errs, noEnv); code != cli.ExitBrokenPipe || errs.Len() > 0 {
		t.Errorf("exit code %d, errors %q", code, errs.String())
	}
}

// Half a file under the final name is worse than none: what fails leaves what
// was there.
func TestFailedOutputLeavesTheFile(t *testing.T) {
	dir := t.TempDir()
	out, sess := &cli.Output{File: dir + "/out", Force: true}, cli.NewSession(t.Context(), nil, nil, nil, noEnv)
	write := func(text string, err error) error {
		return sess.Write(out, func(w io.Writer, _ typeset.Style) error {
			io.WriteString(w, text)
			return err
		})
	}
	if err := write("before", nil); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("halfway")
	if err := write("after", failure); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if got := contents(t, dir); !cmp.Equal(got, map[string]string{"out": "before"}) {
		t.Errorf("the folder has %q", got)
	}
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}
