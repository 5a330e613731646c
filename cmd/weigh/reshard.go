// What split and merge have in common: models written again, in other files.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// reshardFlags are the flags of both verbs.
type reshardFlags struct {
	cli.NameFlags
	out       string
	metadata  string
	keepOrder bool
	dedup     bool // merge alone has it
	inPlace   bool
	force     bool
	dryRun    bool
	verify    bool
	json      bool
	lenient   bool
}

// register adds the flags to a verb.
func (f *reshardFlags) register(cmd *cobra.Command, schema string) {
	f.NameFlags.Register(cmd, "take", "weigh help info")
	fl := cmd.Flags()
	fl.BoolVar(&f.keepOrder, "keep-order", false, "keep the order of tensors, not that of the reference implementation")
	fl.StringVar(&f.metadata, "metadata", "", "of values in which the metadata of files differ, take `WHICH`: first, last, or drop for none")
	fl.BoolVar(&f.inPlace, "in-place", false, "put the new files in the place of those that are read")
	fl.BoolVar(&f.force, "force", false, "replace what is there, but for what is read")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")
	fl.BoolVar(&f.verify, "verify", false, "read all again and compare before it has its name; --json does, if not told otherwise")
	fl.BoolVar(&f.json, "json", false, "write JSON, "+schema)
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "metadata", metadataChoices)
}

// check says what is wrong with the flags.
func (f *reshardFlags) check(cmd *cobra.Command) error {
	if f.dryRun && f.verify {
		return cli.Usagef("--verify reads what was written, and --dry-run writes nothing")
	}
	if !cmd.Flags().Changed("verify") {
		f.verify = f.json && !f.dryRun
	}
	return checkMetadataChoice(f.metadata)
}

// mostShards is how many an index may name for weigh itself to read it, as for others:
// see checkpoint.Options.MaxShards.
const mostShards = 10_000

// A rewriting is a model on its way into other files.
type rewriting struct {
	*gathering
	f       *reshardFlags
	targets []string
	schema  string
	dir     string // where the files go
	writer  checkpoint.Writer
	plan    *checkpoint.Plan
	held    []func() // each lets go of the files of a source
}

// rewriteModel writes the files, or says what it would write.
func rewriteModel(ctx context.Context, sess *cli.Session, r *rewriting) (err error) {
	done := new(rereading)
	w := &r.writer
	w.Encoder = safetensors.Encoder{Metadata: r.metadata, KeepOrder: r.f.keepOrder}
	w.IndexMetadata = r.indexMetadata
	w.Replace = r.f.force || r.f.inPlace
	w.New = !w.Replace
	w.Wrote = done.wrote
	if r.f.inPlace {
		w.Ready = r.hold
	}
	if r.f.verify {
		w.Verify = done.verify
		r.witness()
	}
	if r.plan, err = w.Plan(r.dir, r.tensors()...); err != nil {
		return err
	}
	if n := len(r.plan.Shards); n > mostShards {
		return cli.Usagef("that makes %s shards, and readers open %s at most: make them larger", typeset.Count(int64(n)), typeset.Count(mostShards))
	}
	if err := r.guard(sess); err != nil {
		return err
	}
	if !r.f.dryRun {
		if err := carryOutRewrite(ctx, sess, r, done); err != nil {
			return err
		}
	}
	if sess.Quiet && !r.f.json && !r.f.dryRun {
		return nil
	}
	receipt := r.receipt(done.sums)
	return sess.Write(new(cli.Output), func(w io.Writer, s typeset.Style) error {
		if r.f.json {
			return receipt.JSON(w, s)
		}
		return receipt.Text(w, s)
	})
}

// carryOutRewrite writes the files, and shows how far it is.
func carryOutRewrite(ctx context.Context, sess *cli.Session, r *rewriting, done *rereading) error {
	for i := range r.plan.Shards {
		done.bytes += r.plan.Shards[i].Size
	}
	sess.CheckSpace(r.dir, done.bytes)
	defer sess.ShowProgress(done)()
	defer r.release()
	err := r.plan.Write(ctx)
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("%w: the new files take %s, and what they replace goes only when they are whole", err, typeset.Bytes(done.bytes))
	}
	return err
}

// hold makes sure, before the first file is replaced, that those which are read are what
// they were, and keeps others from replacing them until release is called.
func (r *rewriting) hold() error {
	for _, s := range r.sources {
		release, err := s.claim.Hold()
		r.held = append(r.held, release)
		if err != nil {
			return err
		}
	}
	return nil
}

// release lets go of all that is held.
func (r *rewriting) release() {
	for _, release := range r.held {
		release()
	}
}

// guard returns why the plan must not be carried out: it is in the way of what is
// there already, or of what is read.
func (r *rewriting) guard(sess *cli.Session) error {
	var files []string
	for _, s := range r.sources {
		files = append(files, s.files()...)
	}
	own, read := cli.FileSetOf(files...), cli.FileSetOf(sess.Inputs...)
	var foreign []string // what is there, and is no part of the sources
	for _, name := range slices.Concat(r.plan.Replaced, r.plan.Left) {
		file := filepath.Join(r.dir, name)
		switch {
		case !read.Has(file):
			foreign = append(foreign, file)
		case !r.f.inPlace:
			return cli.Usagef("%q is read, and would be %s: write elsewhere, or say --in-place to have new files in its place", file, r.fate(name))
		case !own.Has(file) && !r.f.force:
			return cli.Usagef("%q is no part of the model, and would be %s: --force allows that", file, r.fate(name))
		default:
			own.Remove(file)
		}
	}
	if len(foreign) > 0 && !r.f.force {
		return fmt.Errorf("%q exists already%s, and would be %s: write elsewhere, or replace what is there with --force",
			foreign[0], others(len(foreign)-1), r.fate(filepath.Base(foreign[0])))
	}
	if left := own.First(); r.f.inPlace && left != "" {
		return cli.Usagef("%q would stay beside the new files, which are called %q: write elsewhere, and remove it then", left, r.plan.Shards[0].Name)
	}
	return nil
}

// fate says what becomes of a file that is there.
func (r *rewriting) fate(name string) string {
	if slices.Contains(r.plan.Left, name) {
		return "removed"
	}
	return "replaced"
}

// others says that there are n more.
func others(n int) string {
	if n == 0 {
		return ""
	}
	return ", and so do " + typeset.Plural(int64(n), "other")
}

// sameFolder says whether two names are those of one folder.
func sameFolder(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// isFolder says whether there is a folder of that name.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// checkFolder says early what is wrong with a folder to write to, if it is there.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.IsDir():
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("%q is no folder, and -o takes the name of one", dir)
}
