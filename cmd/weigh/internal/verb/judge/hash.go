// The command hash.

package judge

import (
	"context"
	"hash"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/zeebo/xxh3"
	"lukechampine.com/blake3"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/compare"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/digest"
)

// hashFlags are the flags of hash.
type hashFlags struct {
	cli.Output
	algo, check           string
	tensors, set, lenient bool
}

// algorithms are the values of --algo.
var algorithms = []string{"sha256", "xxh3", "blake3"}

// Hash returns the command.
func Hash(sess *cli.Session) *cobra.Command {
	var f hashFlags
	cmd := &cobra.Command{
		Use:   "hash TARGET...",
		Short: "Print or verify checksums",
		Long: `Read files once and print digests of:

  file    the whole file, as sha256sum and Git LFS compute it
  data    the bytes after the header; does not depend on metadata
  tensor  the bytes of each tensor, with --tensors
  set     the names, dtypes, shapes and bytes of all tensors

The digest of a set is the same for one file and for any sharding of the same
tensors. It is the SHA-256 of the lines that --lines prints, sorted as bytes:

  weigh hash --lines TARGET | LC_ALL=C sort | sha256sum

--set prints only this digest, and hashes tensors in parallel.

--check compares files with recorded digests, like sha256sum -c. It accepts output of
sha256sum and of hash --json; with the latter and a target, it compares tensors by
name, even if they are sharded differently now. The exit code is 1 on a mismatch.`,
		Example: `  weigh hash testdata/sample
  weigh hash --set testdata/sample
  weigh hash --json testdata/sample | jq -r '.sets[0].digest'
  weigh hash --sums testdata/sample | sha256sum -c`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.check != "" {
				return nil
			}
			return cli.TargetArgs(0, cli.AnyTarget)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.verify(cmd); err != nil {
				return err
			}
			if f.check != "" {
				return checkSums(sess, cmd, args, &f)
			}
			return runHash(cmd.Context(), sess, target.Names(args), &f)
		},
	}
	f.Output.Register(cmd, "json", "write JSON, weigh.hash/1",
		"sums", "write the digests of files in the format of sha256sum",
		"lines", "write the lines that the digest of a set is computed from")
	fl := cmd.Flags()
	fl.StringVar(&f.algo, "algo", algorithms[0], "hash with `ALGO`: "+strings.Join(algorithms, ", ")+
		"; xxh3 has 128 bits, and is fast but not cryptographic")
	fl.StringVar(&f.check, "check", "", "verify the digests in `FILE`; - is standard input")
	fl.BoolVar(&f.tensors, "tensors", false, "also print the digest of each tensor")
	fl.BoolVar(&f.set, "set", false, "print only the digest of each set")
	fl.BoolVar(&f.lenient, "lenient", false, cli.LenientUsage)
	cli.CompleteWords(cmd, "algo", algorithms)
	return cmd
}

// verify validates the flags.
func (f *hashFlags) verify(cmd *cobra.Command) error {
	if !slices.Contains(algorithms, f.algo) {
		return cli.UnknownValue("--algo", f.algo, algorithms)
	}
	if f.check != "" {
		for _, name := range []string{"tensors", "set", "sums", "lines"} {
			if cmd.Flags().Changed(name) {
				return cli.Usagef("--%s cannot be combined with --check", name)
			}
		}
	}
	if f.set && (f.tensors || f.Form() == "sums") {
		return cli.Usagef("--set cannot be combined with --tensors or --sums")
	}
	return f.Output.Check()
}

// newHash returns the algorithm of the given name; nil means SHA-256.
func newHash(algo string) func() hash.Hash {
	switch algo {
	case "xxh3":
		return func() hash.Hash { return xxh3.New128() } // like xxhsum -H2
	case "blake3":
		return func() hash.Hash { return blake3.New(32, nil) }
	}
	return nil
}

// runHash prints the digests of the targets.
func runHash(ctx context.Context, sess *cli.Session, names []target.Name, f *hashFlags) error {
	h := &compare.Hash{Targets: target.Printable(names), Algo: f.algo, List: f.tensors}
	for _, arg := range names {
		if err := hashTarget(ctx, sess, arg, f, h); err != nil {
			return err
		}
	}
	return sess.WriteForm(&f.Output, cli.Forms{"": h.Text, "json": h.JSON, "sums": h.Sums, "lines": h.Lines})
}

// hashTarget adds the digests of one target.
func hashTarget(ctx context.Context, sess *cli.Session, arg target.Name, f *hashFlags, h *compare.Hash) error {
	from, err := target.OpenWeights(ctx, sess, arg, f.lenient)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := sess.ProtectInputs(&f.Output); err != nil {
		return err
	}
	for _, cp := range from.Parts {
		one, err := hashSet(ctx, sess, from.At, cp, f)
		if err != nil {
			return from.Fault(err)
		}
		h.Files = append(h.Files, one.Files...)
		h.Sets = append(h.Sets, one.Sets...)
		h.Tensors = append(h.Tensors, one.Tensors...)
	}
	return nil
}

// hashSet returns the digests of one set.
func hashSet(ctx context.Context, sess *cli.Session, at *target.Target, cp *checkpoint.Checkpoint,
	f *hashFlags) (*compare.Hash, error) {
	if f.Form() == "sums" {
		return hashWhole(ctx, sess, at, cp, f)
	}
	list, err := located(ctx, cp)
	if err != nil {
		return nil, err
	}
	h, tensors := new(compare.Hash), make([]*safetensors.Tensor, len(list))
	for i, t := range list {
		tensors[i] = t.Tensor
		h.Tensors = append(h.Tensors, compare.HashedTensor{TensorInfo: &t.TensorInfo, File: at.Path(t.File)})
	}
	done := new(cli.Progress)
	hasher := &digest.Hasher{New: newHash(f.algo), Progress: done.Add}
	var sums [][]byte
	if f.set || f.Form() == "lines" {
		done.Expect(tensors)
		defer sess.ShowProgress(done)()
		sums, err = hasher.Tensors(ctx, tensors)
	} else {
		sums, err = hashFiles(ctx, sess, at, cp, hasher, done, list, h)
	}
	if err != nil {
		return nil, err
	}
	set, err := hasher.Set(tensors, sums)
	if err != nil {
		return nil, err
	}
	for i := range sums {
		h.Tensors[i].Sum = sums[i]
	}
	h.Sets = []compare.HashedSet{{Name: at.Path(cp.Set().Name), Tensors: len(list), Sum: set}}
	return h, nil
}

// hashWhole returns the digests of the files of a set, and of nothing in them.
func hashWhole(ctx context.Context, sess *cli.Session, at *target.Target, cp *checkpoint.Checkpoint,
	f *hashFlags) (*compare.Hash, error) {
	done := new(cli.Progress)
	files, err := filesOf(ctx, at, cp, done)
	if err != nil {
		return nil, err
	}
	defer sess.ShowProgress(done)()
	for i := range files {
		files[i].Header = nil
	}
	hasher := &digest.Hasher{New: newHash(f.algo), Progress: done.Add}
	h := new(compare.Hash)
	_, err = addFiles(ctx, hasher, files, h)
	return h, err
}

// filesOf returns the files of a set. Those in other formats have no header.
func filesOf(ctx context.Context, at *target.Target, cp *checkpoint.Checkpoint, done *cli.Progress) (
	[]digest.File, error) {
	files := make([]digest.File, len(cp.Shards()))
	for i, shard := range cp.Shards() {
		header, err := cp.Header(ctx, shard)
		if err != nil {
			return nil, err
		}
		object, err := cp.Object(ctx, shard)
		if err != nil {
			return nil, err
		}
		files[i] = digest.File{Name: at.Path(shard), Size: object.Size(), ReaderAt: object.ReaderAt(ctx)}
		if target.Format(ctx, cp, shard) == "" {
			files[i].Header = header
		}
		done.Tensors += int64(len(header.Tensors))
		done.Bytes.Add(object.Size())
	}
	return files, nil
}

// addFiles adds the digests of files to h, and returns them. Each file is read once.
func addFiles(ctx context.Context, hasher *digest.Hasher, files []digest.File, h *compare.Hash) (
	[]digest.FileSums, error) {
	of, err := hasher.Files(ctx, files)
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		h.Files = append(h.Files, compare.HashedFile{Path: f.Name, Size: f.Size, File: of[i].File, Data: of[i].Data})
	}
	return of, nil
}

// hashFiles adds the digests of the files of a set, and returns the digests of the listed tensors.
func hashFiles(ctx context.Context, sess *cli.Session, at *target.Target, cp *checkpoint.Checkpoint,
	hasher *digest.Hasher, done *cli.Progress, list []checkpoint.Located, h *compare.Hash) ([][]byte, error) {
	files, err := filesOf(ctx, at, cp, done)
	if err != nil {
		return nil, err
	}
	defer sess.ShowProgress(done)()
	of, err := addFiles(ctx, hasher, files, h)
	if err != nil {
		return nil, err
	}
	digests := make(map[string]map[string][]byte, len(files)) // of tensors, by shard and name
	for i, shard := range cp.Shards() {
		if header := files[i].Header; header != nil {
			digests[shard] = make(map[string][]byte, len(header.Tensors))
			for t := range header.Tensors {
				digests[shard][header.Tensors[t].Name] = of[i].Tensors[t]
			}
		}
	}
	sums := make([][]byte, len(list))
	var others []int // indices in the list of tensors in other formats
	for i, t := range list {
		if digests[t.File] == nil {
			others = append(others, i)
			continue
		}
		sums[i] = digests[t.File][t.Name]
	}
	return sums, hashOthers(ctx, hasher, list, others, sums)
}

// hashOthers computes the digests of tensors in other formats.
func hashOthers(ctx context.Context, hasher *digest.Hasher, list []checkpoint.Located, some []int,
	sums [][]byte) error {
	tensors := make([]*safetensors.Tensor, len(some))
	for i, n := range some {
		tensors[i] = list[n].Tensor
	}
	of, err := hasher.Tensors(ctx, tensors)
	for i, sum := range of {
		sums[some[i]] = sum
	}
	return err
}

// located returns all tensors with their files.
func located(ctx context.Context, cp *checkpoint.Checkpoint) ([]checkpoint.Located, error) {
	var list []checkpoint.Located
	for t, err := range cp.Tensors(ctx) {
		if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	return list, nil
}
