// What a Writer says before it writes, while it does, and when it has.

package shards_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/store"
)

// TestPlanIsWhatIsWritten holds a plan against the files that are there afterwards.
func TestPlanIsWhatIsWritten(t *testing.T) {
	for _, limit := range []int64{0, 10, 31} {
		dir := t.TempDir()
		w, tensors := formatted(limit), bytesOf(0, 6, 10, 30, 2, 2)
		p, err := w.Plan(dir, tensors...)
		if err != nil {
			t.Fatal(err)
		}
		has(t, dir) // it was planned, and nothing done
		write(t, w, dir, tensors...)
		want := make(map[string]int64)
		for _, shard := range p.Shards {
			want[shard.Name] = shard.Size
			f, err := safetensors.Open(filepath.Join(dir, shard.Name))
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Header.Tensors) != len(shard.Tensors) {
				t.Errorf("%s has %d tensors, want %d", shard.Name, len(f.Header.Tensors), len(shard.Tensors))
			}
			f.Close()
		}
		if p.Index != "" {
			want[p.Index] = p.IndexSize
		}
		got := make(map[string]int64)
		for name, text := range contents(t, dir) {
			got[name] = int64(len(text))
		}
		if !maps.Equal(got, want) {
			t.Errorf("with a limit of %d the files are %v, planned were %v", limit, got, want)
		}
	}
}

func TestPlanSaysWhatIsInItsWay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"model.safetensors", "model-00001-of-00002.safetensors", "model-00001-of-00009.safetensors",
		"model.safetensors.index.json", "README.md", "model.fp16.safetensors",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		limit          int64
		replaced, left []string
	}{
		{10, []string{"model-00001-of-00002.safetensors", "model.safetensors.index.json"}, []string{"model-00001-of-00009.safetensors", "model.safetensors"}},
		{0, []string{"model.safetensors"}, []string{"model.safetensors.index.json", "model-00001-of-00002.safetensors", "model-00001-of-00009.safetensors"}},
	} {
		w := shards.Writer{MaxShard: test.limit, Overwrite: true}
		p, err := w.Plan(dir, bytesOf(0, 10, 10)...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(p.Replaced, test.replaced) || !slices.Equal(p.Stale, test.left) {
			t.Errorf("replaced are %q, stale %q; want %q and %q", p.Replaced, p.Stale, test.replaced, test.left)
		}
	}
}

// TestExisting: a name that is in use stays what it was, whether it was so at first or
// came to be meanwhile.
func TestExisting(t *testing.T) {
	late := func(dir string) []*safetensors.Tensor {
		return append(bytesOf(0, 10), trap(10, func() error {
			return os.WriteFile(filepath.Join(dir, "model-00002-of-00002.safetensors"), []byte("old"), 0o666)
		}))
	}
	for _, name := range []string{"model-00002-of-00002.safetensors", "model.safetensors.index.json"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		w := shards.Writer{MaxShard: 10}
		if _, err := w.Write(t.Context(), dir, bytesOf(0, 10, 10)...); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is there: %v", name, err)
		}
		has(t, dir, name)
	}
	dir := t.TempDir()
	w := shards.Writer{MaxShard: 10}
	if _, err := w.Write(t.Context(), dir, late(dir)...); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that came up meanwhile: %v", err)
	}
	if got := contents(t, dir); len(got) != 1 || got["model-00002-of-00002.safetensors"] != "old" {
		t.Errorf("the folder has %q", got)
	}
	write(t, shards.Writer{MaxShard: 10}, t.TempDir(), bytesOf(0, 10, 10)...)
}

// TestVerify inspects the receipt of tensors that were verified.
func TestVerify(t *testing.T) {
	w := formatted(1000)
	w.Digests = true
	sizes := []int{600, 10, 3000, 500, 0, 400}
	tensors := bytesOf(0, sizes...)
	r, err := w.Write(t.Context(), t.TempDir(), tensors...)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for row := range r.Tensors() {
		b, err := row.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if row.SHA256 != sha256.Sum256(b) || row.Proof != shards.ByBytes || r.Files[row.File].Tensors == 0 {
			t.Errorf("tensor %s: %+v", row.Name, row)
		}
		n++
	}
	if n != len(sizes) || !r.Verified || !r.Written || r.Index != len(r.Files)-1 {
		t.Errorf("%d tensors were verified, want %d: %+v", n, len(sizes), r)
	}
}

// A liar gives other bytes from the second read on.
type liar struct {
	io.ReaderAt
	reads int
}

func (l *liar) ReadAt(b []byte, off int64) (int, error) {
	n, err := l.ReaderAt.ReadAt(b, off)
	if l.reads++; l.reads > 1 {
		b[0]++
	}
	return n, err
}

// TestVerifyFindsAChangedSource: nothing is renamed into place.
func TestVerifyFindsAChangedSource(t *testing.T) {
	unchanged(t, func(dir string) {
		tensors := bytesOf(0, 9, 9, 9, 9)
		tensors[2].ReaderAt = &liar{ReaderAt: tensors[2].ReaderAt}
		w := formatted(10)
		w.Verify = true
		_, err := w.Write(t.Context(), dir, tensors...)
		if err == nil || !strings.Contains(err.Error(), "byte 0 differs from the source") || !strings.Contains(err.Error(), `"t2"`) || !strings.Contains(err.Error(), "model-00003-of-00004") {
			t.Errorf("error %v; want one that names the tensor and the shard", err)
		}
	})
}

// TestVerifyByCRC32: a stored checksum replaces the second read of the source, and finds
// a source that is damaged.
func TestVerifyByCRC32(t *testing.T) {
	tensors := bytesOf(0, 1000)
	b, err := tensors[0].Bytes()
	if err != nil {
		t.Fatal(err)
	}
	sum := crc32.ChecksumIEEE(b)
	w := formatted(0)
	w.Verify = true
	w.CRC32 = func(*safetensors.Tensor) (uint32, bool) { return sum, true }
	tensors[0].ReaderAt = &liar{ReaderAt: tensors[0].ReaderAt}
	r, err := w.Write(t.Context(), t.TempDir(), tensors...)
	if err != nil {
		t.Fatal(err)
	}
	for row := range r.Tensors() {
		if row.Proof != shards.ByCRC32 {
			t.Errorf("verified by %q", row.Proof)
		}
	}
	sum++
	unchanged(t, func(dir string) {
		var damaged *shards.ChecksumError
		if _, err := w.Write(t.Context(), dir, bytesOf(0, 1000)...); !errors.As(err, &damaged) || damaged.Want != sum {
			t.Errorf("error %v, want that of a damaged source", err)
		}
	})
}

// A gated reader gives nothing until its gate is open.
type gated struct {
	io.ReaderAt
	gate chan struct{}
}

func (g gated) ReadAt(b []byte, off int64) (int, error) {
	<-g.gate
	return g.ReaderAt.ReadAt(b, off)
}

// TestVerifyWhileOthersAreWritten: the last tensor cannot be read before the first was
// verified. The one between pushes the first out of the buffer.
func TestVerifyWhileOthersAreWritten(t *testing.T) {
	tensors := bytesOf(0, 1000, 3<<20, 1000)
	gate := make(chan struct{})
	tensors[2].ReaderAt = gated{tensors[2].ReaderAt, gate}
	w := formatted(0)
	w.Encoder.KeepOrder = true
	w.Inspect = func(_ context.Context, was, is *safetensors.Tensor) error {
		if was == tensors[0] {
			defer close(gate)
		}
		a, err := was.Bytes()
		b, err2 := is.Bytes()
		if err := errors.Join(err, err2); err != nil || !bytes.Equal(a, b) {
			return fmt.Errorf("other bytes, %v", err)
		}
		return nil
	}
	write(t, w, t.TempDir(), tensors...)
}

// Ready is asked when all is written, and what it says against giving names holds.
func TestReadyIsAskedLast(t *testing.T) {
	changed := errors.New("the source has changed")
	unchanged(t, func(dir string) {
		verified := 0
		w := formatted(1000)
		w.Inspect = func(context.Context, *safetensors.Tensor, *safetensors.Tensor) error { verified++; return nil }
		w.Ready = func() error {
			if verified != 1 {
				t.Errorf("%d tensors were verified, want 1", verified)
			}
			return changed
		}
		if _, err := w.Write(t.Context(), dir, bytesOf(0, 9)...); !errors.Is(err, changed) {
			t.Errorf("error %v, want %v", err, changed)
		}
	})
}

func TestWhatIsFoundWrongLeavesNothing(t *testing.T) {
	wrong := errors.New("other bytes")
	unchanged(t, func(dir string) {
		w := formatted(10)
		w.Inspect = func(_ context.Context, was, _ *safetensors.Tensor) error {
			if was.Name == "t2" {
				return wrong
			}
			return nil
		}
		_, err := w.Write(t.Context(), dir, bytesOf(0, 9, 9, 9, 9)...)
		if !errors.Is(err, wrong) || !strings.Contains(err.Error(), `"t2"`) || !strings.Contains(err.Error(), "model-00003-of-00004") {
			t.Errorf("error %v; want one that names the tensor and the shard", err)
		}
	})
	enough := errors.New("enough")
	unchanged(t, func(dir string) {
		ctx, cancel := context.WithCancelCause(t.Context())
		w := formatted(10)
		w.Inspect = func(context.Context, *safetensors.Tensor, *safetensors.Tensor) error { cancel(enough); return nil }
		if _, err := w.Write(ctx, dir, bytesOf(0, 9, 9, 9, 9)...); !errors.Is(err, enough) {
			t.Errorf("error %v; want the cause", err)
		}
	})
}

// TestProgress: all bytes are reported that are written and verified, whoever copies them.
func TestProgress(t *testing.T) {
	src := t.TempDir()
	write(t, formatted(0), src, bytesOf(0, 3<<20, 100, 2<<20, 0)...)
	for _, limit := range []int64{0, 2 << 20} {
		for _, verify := range []bool{false, true} {
			var mu sync.Mutex
			var most, total int64
			w := formatted(limit)
			w.Verify = verify
			w.Progress = func(done, of int64) { mu.Lock(); most, total = max(most, done), of; mu.Unlock() }
			p, err := w.Plan(t.TempDir(), read(t, openDir(t, src))...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Write(t.Context()); err != nil {
				t.Fatal(err)
			}
			if most != total || total < p.Size() || verify != (total > p.Size()) {
				t.Errorf("%d of %d bytes were reported, and %d are there", most, total, p.Size())
			}
		}
	}
}

// TestCancelledWhileTheSystemCopies: the tensors come from files by way of a store,
// whose context is done.
func TestCancelledWhileTheSystemCopies(t *testing.T) {
	src := t.TempDir()
	write(t, formatted(0), src, bytesOf(0, 3<<20)...)
	enough := errors.New("enough")
	for _, ends := range []string{"reading", "writing"} {
		unchanged(t, func(dir string) {
			reading, endReading := context.WithCancelCause(t.Context())
			writing, endWriting := context.WithCancelCause(t.Context())
			defer endReading(nil)
			defer endWriting(nil)
			cp, err := checkpoint.Open(t.Context(), src, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer cp.Close()
			one, err := cp.Tensor(reading, "t0")
			if err != nil {
				t.Fatal(err)
			}
			map[string]context.CancelCauseFunc{"reading": endReading, "writing": endWriting}[ends](enough)
			w := shards.Writer{Overwrite: true}
			if _, err := w.Write(writing, dir, one); !errors.Is(err, enough) {
				t.Errorf("%s ends: %v", ends, err)
			}
		})
	}
}

func TestIndexMetadata(t *testing.T) {
	dir := t.TempDir()
	w := formatted(10)
	w.IndexMetadata = map[string]string{"total_parameters": "16", "mtp": `{"layers": 1}`}
	write(t, w, dir, bytesOf(0, 6, 10)...)
	x := openDir(t, dir).Index()
	if x.TotalParameters != 16 || x.TotalSize != 16 || len(x.Metadata) != 1 || !strings.Contains(x.Metadata["mtp"], "layers") {
		t.Errorf("the index is %+v", x)
	}
	w.IndexMetadata = map[string]string{"mtp": "{"}
	if _, err := w.Write(t.Context(), t.TempDir(), bytesOf(0, 6, 10)...); err == nil {
		t.Error("what is no JSON is in the index")
	}
}

func TestTensorsOf(t *testing.T) {
	dir := t.TempDir()
	write(t, formatted(10), dir, bytesOf(0, 6, 10, 30, 2, 2)...)
	cp := openDir(t, dir)
	var got []string
	for _, shard := range cp.Shards() {
		for one, err := range cp.TensorsOf(t.Context(), shard) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, one.Name)
		}
	}
	if want := []string{"t0", "t2", "t1", "t3", "t4"}; !slices.Equal(got, want) { // see TestShardsAndIndex
		t.Errorf("the tensors are %q, want %q", got, want)
	}
	for range cp.TensorsOf(t.Context(), cp.Shards()[0]) {
		break
	}
	for _, err := range cp.TensorsOf(t.Context(), "nothing") {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a shard that there is not: %v", err)
		}
	}
}

func TestStem(t *testing.T) {
	for _, test := range []struct {
		files []string
		want  string
	}{
		{[]string{"model.safetensors"}, "model"},
		{[]string{"unet/diffusion_pytorch_model.fp16.safetensors"}, "diffusion_pytorch_model.fp16"},
		{[]string{"a-00001-of-00002.safetensors", "a-00002-of-00002.safetensors"}, "a"},
		{[]string{"a-00001-of-00002.safetensors"}, "a"},
		{[]string{"language.safetensors", "vision.safetensors"}, "model"},
	} {
		from := fstest.MapFS{}
		for i, name := range test.files {
			var b bytes.Buffer
			if err := safetensors.Encode(&b, bytesOf(0, 1)[0].Rename(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
			from[name] = &fstest.MapFile{Data: b.Bytes()}
		}
		cp, err := checkpoint.New(t.Context(), store.FS(from), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := cp.Set().Stem(); got != test.want {
			t.Errorf("the stem of %q is %q, want %q", test.files, got, test.want)
		}
	}
	dir := t.TempDir()
	w := formatted(1)
	w.Stem = "unet.ema"
	write(t, w, dir, bytesOf(0, 1, 1)...)
	if got := openDir(t, dir).Set().Stem(); got != "unet.ema" {
		t.Errorf("the stem of an index is %q", got)
	}
}

// TestSplit: shards of so many tensors each, whatever their sizes.
func TestSplit(t *testing.T) {
	tensors := bytesOf(0, 6, 10, 30, 2, 2)
	for _, k := range []struct {
		split []int
		want  string // how many tensors each shard has; "" if it is an error
	}{
		{[]int{2, 0, 3}, "[2 0 3]"}, {[]int{5}, "[5]"},
		{[]int{}, ""}, {[]int{2, 2}, ""}, {[]int{2, 4}, ""}, {[]int{6, -1}, ""},
	} {
		w := formatted(10)
		w.Split = k.split
		p, err := w.Plan(t.TempDir(), tensors...)
		if err != nil {
			if k.want != "" || !strings.Contains(err.Error(), "does not add up to the 5 tensors to write") {
				t.Errorf("%v: %v", k.split, err)
			}
			continue
		}
		var got []int
		for _, shard := range p.Shards {
			got = append(got, len(shard.Tensors))
		}
		if fmt.Sprint(got) != k.want || (p.Index != "") != (len(got) > 1) {
			t.Errorf("%v: %v, the index %q", k.split, got, p.Index)
		}
	}
}

// Hugging Face's libraries: transformers has WEIGHTS_NAME "pytorch_model.bin" and SAFE_WEIGHTS_NAME
// "model.safetensors", and diffusers has "pytorch_lora_weights" and "diffusion_pytorch_model" with both extensions.
func TestStemOf(t *testing.T) {
	for stem, want := range map[string]string{
		"pytorch_model": "model", "pytorch_model.fp16": "model.fp16", "pytorch_lora_weights": "pytorch_lora_weights",
		"diffusion_pytorch_model": "diffusion_pytorch_model", "w": "w",
	} {
		if got := shards.StemOf(stem); got != want {
			t.Errorf("%q is written to %q, want %q", stem, got, want)
		}
	}
}
