// The command get.

package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/store"
)

// getFlags are the flags of get.
type getFlags struct {
	cli.NameFlags
	dir         string
	toCache     bool
	force, json bool
}

// Get returns the command.
func Get(sess *cli.Session) *cobra.Command {
	var f getFlags
	cmd := &cobra.Command{
		Use:   "get TARGET (-o DIR | --to-cache)",
		Short: "Copy or download weights to a folder",
		Long: `Copy the shards of a model and their index to a folder, or download them if TARGET is
remote. Files are renamed into place when complete. Run the same command again after an
interruption: complete files are kept, and partial ones resume where they stopped.

If the server provides checksums, as the Hub, S3 and Google Cloud Storage do, downloads
are verified. An existing file is kept if it has the same checksum. Without checksums,
it is kept if it was downloaded from the same version. If its version is unknown, it is
kept if it is not older than the file on the server, its size is the same, and samples
of its bytes match.

If a web server sends a name in the header Content-Disposition, the file gets that name.

With --include or --exclude, only the selected tensors are downloaded, and written to a
new file.

Get does not copy other files, such as config.json, and does not validate the weights;
use weigh check.

--to-cache writes to the cache of the Python library huggingface_hub (HF_HUB_CACHE), where
transformers and others find the model. It also downloads the other files in the folder,
except weights in other formats. Weigh and huggingface_hub can write to the cache at
the same time.`,
		Example: `  weigh get testdata/sample -o NEW
  weigh get testdata/sample --include '**norm.weight' -o NEW`,
		Args: cli.TargetArgs(1, "a target: a file, a folder, an index or a URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkPlace(); err != nil {
				return err
			}
			return runGet(cmd.Context(), sess, target.Name(args[0]), &f)
		},
	}
	fl := cmd.Flags()
	cli.OutputVar(fl, &f.dir, "write to the folder `DIR`, created if needed; one file may be named")
	fl.BoolVar(&f.toCache, "to-cache", false, "write to the cache of huggingface_hub, for models on the Hub")
	fl.BoolVar(&f.force, "force", false, "overwrite existing files that differ")
	f.NameFlags.Register(cmd, "download", "weigh help info")
	fl.BoolVar(&f.json, "json", false, "write JSON, weigh.get/1")
	return cmd
}

// runGet downloads a target.
func runGet(ctx context.Context, sess *cli.Session, arg target.Name, f *getFlags) error {
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
		return cli.Usagef("%q contains no complete model; name one of its files, such as %q", arg,
			at.Path(sets[0].Name))
	}
	if f.toCache {
		return getToCache(ctx, sess, at, counted, f)
	}
	got := &receipt.Got{Local: !at.Remote()}
	var files []*wanted
	defer func() {
		for _, w := range files {
			w.close()
		}
	}()
	if f.Include != nil || f.Exclude != nil {
		files, got.Tensors, err = wantedTensors(ctx, at, counted, f)
	} else {
		files, err = wantedFiles(ctx, at, counted)
	}
	if err != nil {
		return err
	}
	if err := f.place(sess, files); err != nil {
		return err
	}
	if err := fetchAll(ctx, sess, files, f, got); err != nil {
		return err
	}
	return sess.Receipt(got, f.json, false)
}

// place sets the paths of output files, and prepares the output folder.
func (f *getFlags) place(sess *cli.Session, files []*wanted) error {
	ext := ""
	if len(files) == 1 {
		ext = filepath.Ext(files[0].path)
	}
	out, err := shards.FindOutput(f.dir, ext, typeset.Plural(int64(len(files)), "file")+" to write")
	if err != nil {
		return writeFault(err, "")
	}
	f.dir = out.Dir
	for _, w := range files {
		w.path = filepath.Join(out.Dir, cmp.Or(out.File, w.path))
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	return mend(sess, f.dir)
}

// A wanted file is one to download.
type wanted struct {
	name   string          // in the store
	path   string          // the output file: below the output folder, and later with that folder
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
	all := &fetching{sess: sess, force: f.force, slots: make(chan struct{}, requestsAtOnce)}
	for _, w := range files {
		all.done.Bytes.Add(w.object.Size())
	}
	if err := checkSpace(f.dir, files, all.done.Bytes.Load()); err != nil {
		return err
	}
	defer sess.ShowProgress(&all.done)()
	atOnce := filesAtOnce
	if got.Local {
		atOnce = 1 // disks are faster with one file
	}
	got.Files = make([]receipt.GotFile, len(files))
	return cli.Parallel(ctx, atOnce, len(files), func(ctx context.Context, i int) (err error) {
		if got.Files[i], err = all.get(ctx, files[i]); err != nil {
			return fmt.Errorf("%s: %w", files[i].path, err)
		}
		return nil
	})
}

const (
	// filesAtOnce is how many files are downloaded at a time, and requestsAtOnce how many requests
	// all of them make at a time.
	filesAtOnce, requestsAtOnce = 16, 16
)

// wantedFiles opens the shards and indexes of sets.
func wantedFiles(ctx context.Context, at *target.Target, sets []*checkpoint.Set) ([]*wanted, error) {
	var files []*wanted
	for _, set := range sets {
		names := set.Shards
		if set.Index != "" {
			names = append([]string{set.Index}, names...)
		}
		for _, name := range names {
			// Names are not trusted, and some are not valid paths on this system.
			within := filepath.FromSlash(at.Below(name))
			if _, err := filepath.Localize(strings.ToValidUTF8(at.Below(name), "_")); err != nil {
				return nil, fmt.Errorf("%q is not a valid file name on this system", at.Below(name))
			}
			files = append(files, &wanted{name: name, path: within, set: set})
		}
	}
	err := cli.Parallel(ctx, filesAtOnce, len(files), func(_ context.Context, i int) (err error) {
		w := files[i]
		if w.object, err = at.Store.Open(ctx, w.name); errors.Is(err, fs.ErrNotExist) {
			return at.Fault(missing(ctx, w, err))
		}
		return err
	})
	if err == nil && len(files) == 1 {
		if name := store.FileName(files[0].object); name != "" && filepath.IsLocal(name) {
			files[0].path = name
		}
	}
	return files, err
}

// wantedTensors returns a file of the selected tensors, and their number.
func wantedTensors(ctx context.Context, at *target.Target, sets []*checkpoint.Set,
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
		err = cli.CheckMatched(slices.Concat(chosen.Include, chosen.Exclude), slices.Values(names))
	}
	if err == nil && file.Tensors == 0 {
		err = cli.Usagef("no tensor is left: --exclude matches all that are selected")
	}
	if err != nil {
		cp.Close()
		return nil, 0, at.Fault(err)
	}
	return []*wanted{{path: "model" + weightsEnd, object: file, from: cp}}, file.Tensors, nil
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
