// The command get.

package change

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/receipt"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
)

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

The files that belong to the weights are copied with them: configuration, tokenizer,
processor, chat template, license and README, but no other weights and no caches.
--weights-only leaves them out. Get does not validate the weights; use weigh check.

A GLOB of --include and --exclude that matches names of tensors selects tensors, which
are written to a new file; any other GLOB selects files, and without a slash it matches
their names in all subfolders.

--to-cache writes to the cache of the Python library huggingface_hub (HF_HUB_CACHE), where
transformers and others find the model. It also downloads the other files in the folder,
except weights in other formats. Weigh and huggingface_hub can write to the cache at
the same time.`,
		Example: `  weigh get testdata/sample -o NEW
  weigh get testdata/sample --dry-run -o NEW
  weigh get testdata/sample --include '*.json' -o NEW
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
	fl.StringArrayVar(&f.Include, "include", nil, "download only files or tensors that match `GLOB` (repeatable)")
	fl.StringArrayVar(&f.Exclude, "exclude", nil, "skip files or tensors that match `GLOB` (repeatable)")
	f.carryFlags.register(cmd)
	fl.BoolVar(&f.dryRun, "dry-run", false, "list files and sizes, but download nothing")
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
		if !set.Counted() && set.PartOf == "" {
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
	files, got, err := f.plan(ctx, sess, at, counted)
	defer func() {
		for _, w := range files {
			w.close()
		}
	}()
	if err != nil {
		return err
	}
	if err := f.place(sess, files); err != nil {
		return err
	}
	if f.dryRun {
		for _, w := range files {
			got.Files = append(got.Files, w.receipt())
		}
		return sess.Receipt(got, f.json, true)
	}
	if err := fetchAll(ctx, sess, files, f, got); err != nil {
		return err
	}
	return sess.Receipt(got, f.json, false)
}

// place sets the paths of output files, and prepares the output folder unless it is a dry run.
func (f *getFlags) place(sess *cli.Session, files []*wanted) error {
	var weights []*wanted
	for _, w := range files {
		if !w.companion {
			weights = append(weights, w)
		}
	}
	ext := ""
	if len(weights) == 1 {
		ext = filepath.Ext(weights[0].path)
	}
	out, err := shards.FindOutput(f.dir, ext, typeset.Plural(int64(len(files)), "file")+" to write")
	if err != nil {
		return writeFault(err, "")
	}
	f.dir = out.Dir
	for _, w := range files {
		if out.File != "" && !w.companion {
			w.path = out.File
		}
		w.path = filepath.Join(out.Dir, w.path)
	}
	if f.dryRun {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	return mend(sess, f.dir)
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
