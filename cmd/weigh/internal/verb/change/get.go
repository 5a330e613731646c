// The command get.

package change

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

// getFlags are the flags of get.
type getFlags struct {
	cli.NameFlags
	dir         string
	force, json bool
}

// Get returns the command.
func Get(sess *cli.Session) *cobra.Command {
	var f getFlags
	cmd := &cobra.Command{
		Use:   "get TARGET -o DIR",
		Short: "Copy or download weights to a folder",
		Long: `Copy the shards of a model and their index to a folder, or download them if TARGET is
remote. Files are renamed into place when complete. Run the same command again after an
interruption: complete files are kept, and partial ones resume where they stopped.

If the server provides SHA-256 checksums, as the Hub does, downloads are verified. An
existing file is kept if it has the same checksum; without one, if its size is the same and samples of its bytes match.

With --include or --exclude, only the selected tensors are downloaded, and written to a
new file.

Get does not copy other files, such as config.json, and does not validate the weights;
use weigh check.`,
		Example: `  weigh get testdata/sample -o NEW
  weigh get testdata/sample --include '**norm.weight' -o NEW`,
		Args: cli.TargetArgs(1, "a target: a file, a folder, an index or a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.dir == "" {
				return cli.Usagef("get needs an output folder: -o DIR")
			}
			return runGet(cmd.Context(), sess, args[0], &f)
		},
	}
	fl := cmd.Flags()
	fl.StringVarP(&f.dir, "output", "o", "", "write to the folder `DIR`, created if needed")
	fl.BoolVar(&f.force, "force", false, "overwrite existing files that differ")
	f.NameFlags.Register(cmd, "download", "weigh help info")
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.get/1")
	return cmd
}

// runGet downloads a target.
func runGet(ctx context.Context, sess *cli.Session, arg string, f *getFlags) error {
	at, sets, err := target.Find(ctx, sess, arg, checkpoint.Options{})
	if err != nil {
		return err
	}
	var counted []*checkpoint.Set
	for _, set := range sets {
		if !set.Counted() {
			continue
		}
		// The model would be incomplete.
		if err := cmp.Or(set.Fault(), set.Missing()); err != nil {
			return at.Fault(err)
		}
		counted = append(counted, set)
	}
	if len(counted) == 0 {
		return cli.Usagef("%q contains no complete model; name one of its files, such as %q", target.Printable(arg),
			at.Path(sets[0].Name))
	}
	if info, err := os.Stat(f.dir); err == nil && !info.IsDir() {
		return cli.Usagef("-o %q is a file, and get writes into a folder: name another one", f.dir)
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	got := &receipt.Got{Local: !at.Remote()}
	var files []*wanted
	defer func() {
		for _, w := range files {
			w.close()
		}
	}()
	if f.Include != nil || f.Exclude != nil {
		files, got.Tensors, err = wantedTensors(ctx, sess, at, counted, f)
	} else {
		files, err = wantedFiles(ctx, sess, at, counted, f.dir)
	}
	if err != nil {
		return err
	}
	if err := fetchAll(ctx, sess, files, f, got); err != nil {
		return err
	}
	return sess.Receipt(got, f.json, false)
}

// A wanted file is one to download.
type wanted struct {
	name   string          // in the store
	path   string          // the output file
	set    *checkpoint.Set // that it belongs to, or nil
	object store.Object
	from   io.Closer // what object reads from, or nil
}

// close closes the object.
func (w *wanted) close() {
	if w.object != nil {
		w.object.Close()
	}
	if w.from != nil {
		w.from.Close()
	}
}

// fetchAll downloads files. It knows all sizes before it writes the first file, and fails early if
// the disk is too small.
func fetchAll(ctx context.Context, sess *cli.Session, files []*wanted, f *getFlags, got *receipt.Got) error {
	if err := noRival(files); err != nil && !f.force {
		return err
	}
	done := new(fetched)
	for _, w := range files {
		done.of += w.object.Size()
	}
	if err := checkSpace(f.dir, files, done.of); err != nil {
		return err
	}
	defer sess.ShowProgress(done)()
	for _, w := range files {
		one, err := getFile(ctx, sess, w, f.force, done)
		if err != nil {
			return fmt.Errorf("%s: %w", w.path, err)
		}
		got.Files = append(got.Files, *one)
	}
	return nil
}

// wantedFiles opens the shards and indexes of sets.
func wantedFiles(ctx context.Context, sess *cli.Session, at *target.Target, sets []*checkpoint.Set,
	dir string) ([]*wanted, error) {
	var files []*wanted
	for _, set := range sets {
		names := set.Shards
		if set.Index != "" {
			names = append([]string{set.Index}, names...)
		}
		for _, name := range names {
			// Names are not trusted, and some are not valid paths on this system.
			within, err := filepath.Localize(at.Below(name))
			if err != nil {
				return nil, fmt.Errorf("%q is not a valid file name on this system", at.Below(name))
			}
			files = append(files, &wanted{name: name, path: filepath.Join(dir, within), set: set})
		}
	}
	return files, cli.Parallel(ctx, 16, len(files), func(_ context.Context, i int) (err error) {
		w := files[i]
		if w.object, err = at.Store.Open(ctx, w.name); errors.Is(err, fs.ErrNotExist) {
			return at.Fault(missing(ctx, w, err))
		}
		return err
	})
}

// wantedTensors returns a file of the selected tensors, and their number.
func wantedTensors(ctx context.Context, sess *cli.Session, at *target.Target, sets []*checkpoint.Set,
	f *getFlags) ([]*wanted, int, error) {
	if len(sets) > 1 {
		return nil, 0, cli.Usagef("the target has %d models; name one of them", len(sets))
	}
	chosen, err := f.NameFlags.Compile()
	if err != nil {
		return nil, 0, err
	}
	cp := sets[0].Open()
	var names []string
	file, err := shards.Subset(ctx, cp, func(name string) bool {
		names = append(names, name)
		return chosen.Has(name)
	})
	if err == nil {
		err = cli.CheckSelected(chosen.Include, slices.Values(names), 1, file.Tensors)
	}
	if err != nil {
		cp.Close()
		return nil, 0, at.Fault(err)
	}
	return []*wanted{{path: filepath.Join(f.dir, "model"+weightsEnd), object: file, from: cp}}, file.Tensors, nil
}

// missing returns the error of a shard that does not exist as all verbs report it. Otherwise it
// returns err.
func missing(ctx context.Context, w *wanted, err error) error {
	cp := w.set.Open()
	defer cp.Close()
	var v *safetensors.Violation
	if _, fault := cp.Header(ctx, w.name); errors.As(fault, &v) {
		return fault
	}
	return err
}

// getFile downloads a file unless it exists.
func getFile(ctx context.Context, sess *cli.Session, w *wanted, force bool, done *fetched) (*receipt.GotFile, error) {
	one := &receipt.GotFile{Path: filepath.ToSlash(w.path), Size: w.object.Size()}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o777); err != nil {
		return nil, err
	}
	var last int64
	d := remote.Download{
		Overwrite: force,
		Progress: func(n, _ int64) {
			done.bytes.Add(n - last)
			last = n
		},
		Busy: func() { sess.Notice("another process is downloading %q: waiting for it", w.path) },
	}
	for try := 0; ; try++ {
		if info, err := os.Stat(w.path); err == nil {
			same, digest, err := isThere(ctx, sess, w, info)
			if err != nil {
				return nil, err
			}
			if same {
				done.bytes.Add(one.Size - last)
				one.Kept, one.SHA256, one.Verified = true, digest, digest != ""
				return one, nil
			}
			if !force {
				return nil, errors.New("it exists already, and is another file: choose another folder, or overwrite it with --force")
			}
		}
		got, err := d.Run(ctx, w.object, w.path)
		if errors.Is(err, fs.ErrExist) && try == 0 {
			continue // another process has completed it
		}
		if err != nil {
			return nil, err
		}
		one.SHA256, one.Verified, one.Resumed = hex.EncodeToString(got.SHA256[:]), got.Verified, got.Resumed
		return one, nil
	}
}

// isThere reports whether an existing file is the wanted one: by digest if the store has one,
// otherwise by size and samples.
func isThere(ctx context.Context, sess *cli.Session, w *wanted, info fs.FileInfo) (same bool, digest string,
	err error) {
	if !info.Mode().IsRegular() || info.Size() != w.object.Size() {
		return false, "", nil
	}
	f, err := os.Open(w.path)
	if err != nil {
		return false, "", err
	}
	defer f.Close()
	want, known := store.SHA256(w.object)
	if !known {
		spans, whole := compared(ctx, w.object)
		same, err := equalIn(ctx, w.object, f, spans)
		if same && !whole {
			sess.Notice("keeping %q: same size, and samples are equal", w.path)
		}
		return same, "", err
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return false, "", err
	}
	got := h.Sum(nil)
	return bytes.Equal(got, want[:]), hex.EncodeToString(got), nil
}

// checkSpace returns an error if the disk is too small. Partial downloads count as present.
func checkSpace(dir string, files []*wanted, need int64) error {
	for _, w := range files {
		if info, err := os.Stat(w.path); err == nil {
			need -= min(info.Size(), w.object.Size())
		}
		need -= remote.Kept(w.object, w.path)
	}
	if free := cli.FreeSpace(dir); free >= 0 && need > free {
		return fmt.Errorf("the disk of %q has %s free, but %s are needed; nothing was downloaded", dir, typeset.Bytes(free),
			typeset.Bytes(need))
	}
	return nil
}

// fetched counts downloaded bytes.
type fetched struct {
	bytes atomic.Int64
	of    int64
}

// String returns the progress as one line.
func (p *fetched) String() string {
	const width = 30
	n := p.bytes.Load()
	full := 0
	if p.of > 0 {
		full = int(min(n, p.of) * width / p.of)
	}
	return fmt.Sprintf("[%s%s] %s of %s", strings.Repeat("=", full), strings.Repeat(" ", width-full), typeset.Bytes(n),
		typeset.Bytes(p.of))
}
