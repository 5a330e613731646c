// Conversions that are refused, and leave nothing.

package convert

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle/torch"
)

// refused returns the error of a conversion, and checks that it left the folder of the
// target as it was.
func refused(t *testing.T, ctx context.Context, c *Conversion, source, target string) error {
	t.Helper()
	before := files(t, filepath.Dir(target))
	p, err := c.Plan(ctx, source, target)
	if err == nil {
		err = p.Write(ctx)
		p.Close()
	}
	if after := files(t, filepath.Dir(target)); !slices.Equal(before, after) {
		t.Errorf("there was %q, and is %q", before, after)
	}
	return err
}

func TestRefused(t *testing.T) {
	for _, k := range []struct {
		what, source string
		c            Conversion
		want         string
		usage        bool // whether what was asked for is at fault
	}{
		{"dangerous", "extra.pt", Conversion{}, `extra.pt" is dangerous to load: it imports "builtins.eval"`, false},
		{"without a form", "double.pt", Conversion{}, `double.pt": "phase" is a tensor of "complex128", a dtype that safetensors lacks`, false},
		{"tied weights", "checkpoint.pt", Conversion{Shared: Refuse}, `"module.embed.weight" and "module.head.weight" share bytes`, false},
		{"a prefix that no name has", "checkpoint.pt", Conversion{StripPrefix: []string{"module.", "model."}}, `no name begins with the prefix "model."`, true},
		{"a root that is not there", "checkpoint.pt", Conversion{Torch: torch.Options{Root: "ema"}}, `there is no "ema"; available: "epoch", "model", "optimizer"`, true},
		{"one name for two", "sharded", Conversion{StripPrefix: []string{"embed.", "norm."}}, `"norm.weight" would be called "weight", as "embed.weight" of`, false},
		{"no checkpoint", "make.py", Conversion{}, `not a checkpoint of PyTorch or NumPy`, false},
		{"several checkpoints", "", Conversion{}, `name one of them, such as "../../testdata/torch/arrays.npz"`, true},
	} {
		for _, exists := range []bool{false, true} {
			target := filepath.Join(t.TempDir(), "new")
			if exists {
				os.Mkdir(target, 0o777)
			}
			err := refused(t, t.Context(), &k.c, sample(k.source), target+string(filepath.Separator))
			asked := errors.Is(err, ErrRefused) || errors.Is(err, torch.ErrNoRoot)
			if err == nil || !strings.Contains(err.Error(), k.want) || asked != k.usage {
				t.Errorf("%s: %v", k.what, err)
			}
		}
	}
}

// TestDamaged: a byte of a tensor that is not what it was is noticed before anything has
// its name, and converted if that is asked for.
func TestDamaged(t *testing.T) {
	b, err := os.ReadFile(sample("double.pt"))
	if err != nil {
		t.Fatal(err)
	}
	b[strings.Index(string(b), "\x00\x00\x80\x3f\x00\x00\x00\x40")+1] = 1 // of the float32s 1 and 2
	dir := t.TempDir()
	source := filepath.Join(dir, "damaged.pt")
	if err := os.WriteFile(source, b, 0o666); err != nil {
		t.Fatal(err)
	}
	c := &Conversion{DropUnsupported: true}
	var at *SourceError
	var format *torch.FormatError
	err = refused(t, t.Context(), c, source, filepath.Join(dir, "out.safetensors"))
	if !errors.As(err, &at) || !errors.As(err, &format) || !strings.Contains(err.Error(), `"double/data/0" has checksum`) {
		t.Error(err)
	}
	c.Torch.NoChecksum = true
	convert(t, c, source, filepath.Join(dir, "out.safetensors"))
}

func TestTargets(t *testing.T) {
	dir := t.TempDir()
	source := filepath.Join(dir, "model.pt")
	copyTo(t, sample("checkpoint.pt"), source)
	target := filepath.Join(dir, "model.safetensors")
	if err := os.WriteFile(target, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "same.safetensors")
	if err := os.Link(source, link); err != nil {
		t.Skip(err)
	}
	c := &Conversion{}
	for _, k := range []struct {
		target string
		is     error
		want   string
	}{
		{"", ErrRefused, `the output "" is neither`},
		{"-", ErrRefused, `the output "-" is neither`},
		{filepath.Join(dir, "out.bin"), ErrRefused, `does not end in ".safetensors"`},
		{target, fs.ErrExist, "exists"},
		{dir, fs.ErrExist, "exists"},
		{link, ErrRefused, "is an input"},
	} {
		p, err := c.Plan(t.Context(), source, k.target)
		if !errors.Is(err, k.is) || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%q: %v", k.target, err)
			if err == nil {
				p.Close()
			}
		}
	}
	if _, err := c.Plan(t.Context(), sample("sharded"), target); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "name a folder") {
		t.Error(err)
	}
	c.Overwrite = true
	if _, err := c.Plan(t.Context(), source, link); !errors.Is(err, ErrRefused) {
		t.Errorf("over the source: %v", err)
	}
	convert(t, c, source, target)
	read(t, target)
}

func TestIndexes(t *testing.T) {
	const first, second = "pytorch_model-00001-of-00002.bin", "pytorch_model-00002-of-00002.bin"
	entries := func(pairs ...string) string {
		var list []string
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, `"`+pairs[i]+`":"`+pairs[i+1]+`"`)
		}
		return `{"metadata":{},"weight_map":{` + strings.Join(list, ",") + `}}`
	}
	whole := []string{"embed.weight", first, "layers.0.weight", first, "norm.weight", second, "mask", second}
	for _, k := range []struct {
		what, index, want, warning string
	}{
		{"as it is", entries(whole...), "", ""},
		{"another shard", entries("embed.weight", second, "layers.0.weight", first, "norm.weight", second, "mask", second), "", "1 tensor in another shard than the index says"},
		{"not listed", entries(whole[:6]...), "", "1 tensor missing in the index"},
		{"not there", entries(append(whole, "head.weight", first)...), `tensor "head.weight" should be in "` + first + `", and is in no shard`, ""},
		{"no JSON", "{", "rule index-json", ""},
		{"no shards", entries(), "the index names no shards", ""},
		{"a shard that is not there", entries(append(whole, "x", "pytorch_model-00003-of-00003.bin")...), "rule shard-missing", ""},
		{"a shard elsewhere", entries("x", "../secret.bin"), `shard "../secret.bin", of 1 tensor of the index, is not opened`, ""},
		{"an absolute shard", entries("x", "/etc/passwd"), `shard "/etc/passwd", of`, ""},
		{"a hidden shard", entries("x", "a/.b/c.bin"), `shard "a/.b/c.bin", of`, ""},
		{"a shard on a drive", entries("x", `C:x.bin`), `shard "C:x.bin", of`, ""},
	} {
		dir := t.TempDir()
		for _, name := range []string{first, second} {
			copyTo(t, sample("sharded/"+name), filepath.Join(dir, name))
		}
		if err := os.WriteFile(filepath.Join(dir, "pytorch_model.bin.index.json"), []byte(k.index), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := new(Conversion).Plan(t.Context(), dir, filepath.Join(t.TempDir(), "new"))
		if err != nil {
			if k.want == "" || !strings.Contains(err.Error(), k.want) {
				t.Errorf("%s: %v", k.what, err)
			}
			continue
		}
		p.Close()
		if k.want != "" || strings.Join(p.Warnings, ";") != "" != (k.warning != "") || !strings.Contains(strings.Join(p.Warnings, ";"), k.warning) {
			t.Errorf("%s: no error, warnings %q", k.what, p.Warnings)
		}
	}
}

// TestTwice: one tensor in two shards.
func TestTwice(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.bin", "b.bin"} {
		copyTo(t, sample("sharded/pytorch_model-00001-of-00002.bin"), filepath.Join(dir, name))
	}
	index := `{"weight_map":{"embed.weight":"a.bin","layers.0.weight":"b.bin"}}`
	if err := os.WriteFile(filepath.Join(dir, "m.bin.index.json"), []byte(index), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := new(Conversion).Plan(t.Context(), dir, filepath.Join(dir, "new"))
	if err == nil || !strings.Contains(err.Error(), `tensor "embed.weight" is in "`) {
		t.Error(err)
	}
}

// TestIndexOfUnsupported: an index lists a tensor that safetensors cannot represent, and one that is missing.
func TestIndexOfUnsupported(t *testing.T) {
	dir := t.TempDir()
	copyTo(t, sample("double.pt"), filepath.Join(dir, "a.bin"))
	for tensor, want := range map[string]string{"phase": "", "gone": `tensor "gone" should be in "a.bin"`} {
		index := `{"weight_map":{"weight":"a.bin","` + tensor + `":"a.bin"}}`
		if err := os.WriteFile(filepath.Join(dir, "a.bin.index.json"), []byte(index), 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := (&Conversion{DropUnsupported: true}).Plan(t.Context(), dir, filepath.Join(dir, "new"))
		if err == nil {
			p.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", tensor, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	c := &Conversion{Progress: func(done, total int64) {
		if done > total/2 {
			cancel(enough)
		}
	}}
	dir := t.TempDir()
	if err := refused(t, ctx, c, sample("checkpoint.pt"), filepath.Join(dir, "out.safetensors")); !errors.Is(err, enough) {
		t.Error(err)
	}
	if err := refused(t, ctx, c, sample("checkpoint.pt"), filepath.Join(dir, "out.safetensors")); !errors.Is(err, enough) {
		t.Error(err)
	}
}

// TestSourceThatChanges: what was written is not what the archive has a checksum of, or
// what is read again.
func TestSourceThatChanges(t *testing.T) {
	for _, noSum := range []bool{false, true} {
		const want = "byte 0 differs from the source"
		dir := t.TempDir()
		source := filepath.Join(dir, "model.pt")
		copyTo(t, sample("checkpoint.pt"), source)
		c := &Conversion{Torch: torch.Options{NoChecksum: noSum}}
		p, err := c.Plan(t.Context(), source, filepath.Join(dir, "out.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		was := p.Tensors[0].Tensor
		changed := *was
		changed.ReaderAt = &turning{r: was}
		p.Tensors[0].Tensor, p.rows[&changed] = &changed, &p.Tensors[0]
		for i, one := range p.Files.Shards[0].Tensors {
			if one == was {
				p.Files.Shards[0].Tensors[i] = &changed
			}
		}
		if err := p.Write(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
		if got := files(t, dir); !slices.Equal(got, []string{"model.pt"}) {
			t.Errorf("there is %q", got)
		}
	}
}

// A turning reader gives other bytes each time.
type turning struct {
	r *safetensors.Tensor
	n byte
}

func (r *turning) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.r.ReadAt(b, off)
	r.n++
	b[0] = r.n
	return n, err
}
