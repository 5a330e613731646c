// The Writer: tensors as shards and an index in a folder.

package shards

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
)

// maxShards is how many shards readers open: see checkpoint.Options.
const maxShards = 10_000

// A Writer writes checkpoints to local folders. The zero Writer writes one file,
// "model.safetensors". Several goroutines may use it at once, on different folders.
type Writer struct {
	// Encoder encodes each shard; so all shards have its Metadata.
	Encoder safetensors.Encoder

	// MaxShard is the maximum size of a shard's data, in bytes. A larger tensor gets
	// its own shard. 0 means no limit. Headers do not count. The libraries of Hugging
	// Face use 5e9.
	MaxShard int64

	// Split lists how many tensors each shard has, in their order, and replaces
	// MaxShard. It must add up to the number of tensors.
	Split []int

	// Stem is what the names of files begin with. "" means "model".
	Stem string

	// IndexMetadata has the members of the index's "metadata" other than total_size,
	// each value as JSON.
	IndexMetadata map[string]string

	// Overwrite replaces files of the names that are written, and removes the other
	// files of the same stem: STEM.safetensors, its index, and shards of other numbers,
	// which would pass for a part of the new model. Without it, such files make Write
	// fail: when it begins, and again before it renames its files into place.
	Overwrite bool

	// Inputs lists the local files that the tensors come from. None of them is ever
	// replaced or removed: that is an error that wraps [ErrIsInput].
	Inputs []string

	// Verify reads every tensor again before any file is renamed into place, and
	// compares it with its source. Digests does that too, and records the SHA-256 of
	// each tensor in the receipt.
	Verify, Digests bool

	// Progress, if it is not nil, is called with the number of bytes that were written
	// and verified, and with the number of bytes to write and verify in total. It is
	// called every 64 MiB at least, by several goroutines at once.
	Progress func(done, total int64)

	// CRC32, if it is not nil, returns the IEEE CRC-32 that the container of a tensor
	// stores for its bytes, as a zip archive does for a member, and false if there is
	// none. Verification then compares that checksum, which also finds a damaged source,
	// and reads the source only once.
	CRC32 func(t *safetensors.Tensor) (sum uint32, ok bool)

	// Inspect, if it is not nil, is called for every tensor after it was verified, with
	// the tensor as it was given and the copy in the new file. Several goroutines call
	// it at once. Its error ends Write, and nothing changes. It implies Verify.
	Inspect func(ctx context.Context, was, is *safetensors.Tensor) error

	// Ready, if it is not nil, is called once all files are written and verified, and no
	// other Writer renames files in the folder, just
	// before the first is renamed into place: the last moment to find that a file to be
	// replaced has changed since it was read. Its error ends Write, and nothing changes.
	Ready func() error
}

// Write writes tensors to dir, which is created if necessary: to STEM.safetensors if
// they fit one shard, and otherwise to STEM-00001-of-00003.safetensors and so on, with
// the index STEM.safetensors.index.json. The order and the sizes of tensors decide
// which shard each is in, as in huggingface_hub.
//
// Invalid entries are a *[safetensors.Violation], and existing files an error that
// wraps [fs.ErrExist]; then nothing was touched. Other errors are of type
// *[fs.PathError], or wrap one. When ctx is done, Write ends soon, with its cause.
//
// # All or nothing
//
// Write first writes all files to a hidden folder in dir, called ".NAME.tmp-" and ten
// letters or digits, and syncs them to the disk. On an error it removes that folder,
// and dir is unchanged. A file that is replaced passes on its mode, owner and extended
// attributes, and files of new names get what all replaced and removed files have. A
// symbolic link is
// replaced, not its target. Tensors may come from files that are replaced or removed,
// except on Windows, where an open file can be neither: that is an error.
//
// Then the shards are renamed into place, and the index after them. Where an older
// checkpoint has the same names, its index is first moved to "replaced" in the hidden
// folder, and then its shards and stale files, before the first new file appears. So
// readers find an index only with its own shards.
//
// A process that is killed leaves the hidden folder. If it was writing, the older
// checkpoint is unchanged. If it was renaming, which takes moments, it leaves a journal,
// too. Then Write fails with an *[UnfinishedError], and [Recover] finishes the exchange.
// Processes that write to one folder rename their files one after the other, and each
// looks at the folder again before.
//
// Write reads each tensor once, and once more to verify it, two shards at a time, with
// a buffer of 512 KiB for each. Its output depends only on its arguments.
func (w *Writer) Write(ctx context.Context, dir string, tensors ...*safetensors.Tensor) (*Receipt, error) {
	p, err := w.plan(dir, tensors)
	if err != nil {
		return nil, err
	}
	return p.Write(ctx)
}

// Plan returns what Write would write to dir. It reads the names in the folder, reads
// no tensor, and changes nothing. It is an error, as for Write, if files are there that
// must not be replaced.
func (w *Writer) Plan(dir string, tensors ...*safetensors.Tensor) (*Plan, error) {
	p, err := w.plan(dir, tensors)
	if err != nil {
		return nil, err
	}
	if err := p.look(); err != nil {
		return nil, err
	}
	return p, p.guard()
}

// PlanShards plans files of the given names, and an index with the given text if its
// name is not "". It uses the Writer's Overwrite, Verify, Digests, Progress, Inspect,
// Ready and Inputs. Nothing is known of other files of the folder, so only those that
// remove lists are stale; an index among them comes first.
func (w *Writer) PlanShards(
	dir string, shards []PlannedShard, index string, text []byte, remove []string,
) (*Plan, error) {
	p := &Plan{Dir: dir, Index: index, IndexSize: int64(len(text)), text: text, remove: remove, output: w.output()}
	for i := range shards {
		one, err := planShard(shards[i].Name, &shards[i].Encoder, shards[i].Tensors)
		if err != nil {
			return nil, err
		}
		p.Shards = append(p.Shards, one)
	}
	if err := p.look(); err != nil {
		return nil, err
	}
	return p, p.guard()
}

// output returns the options that a Plan keeps.
func (w *Writer) output() output {
	o := output{
		overwrite: w.Overwrite, inputs: newFileSet(w.Inputs), digests: w.Digests,
		verify:   w.Verify || w.Digests || w.Inspect != nil,
		progress: w.Progress, crc32: w.CRC32, inspect: w.Inspect,
	}
	if w.Ready != nil {
		o.hold = func() (func(), error) { return func() {}, w.Ready() }
	}
	return o
}

// plan is Plan without the names in the folder.
func (w *Writer) plan(dir string, tensors []*safetensors.Tensor) (*Plan, error) {
	p := &Plan{Dir: dir, stem: w.Stem, output: w.output()}
	if p.stem == "" {
		p.stem = "model"
	}
	if fault := stemFault(p.stem); fault != "" {
		return nil, refuse("the stem %s %s; it begins the names of files, like \"model\"",
			wording.Quote(p.stem), fault)
	}
	if w.MaxShard < 0 {
		return nil, fmt.Errorf("shards: Writer.MaxShard is %d bytes; it must be positive, or 0 for no limit",
			w.MaxShard)
	}
	if err := distinct(tensors); err != nil {
		return nil, err
	}
	shards, err := w.deal(tensors)
	if err != nil {
		return nil, err
	}
	for i, shard := range shards {
		one, err := planShard(shardName(p.stem, i+1, len(shards)), &w.Encoder, shard)
		if err != nil {
			return nil, err
		}
		p.Shards = append(p.Shards, one)
	}
	if len(shards) == 1 {
		return p, nil
	}
	if !utf8.ValidString(p.stem) {
		return nil, refuse("the stem %s is not UTF-8, so an index cannot name its shards: choose another stem",
			wording.Quote(p.stem))
	}
	return p, p.makeIndex(w.IndexMetadata)
}

// deal deals tensors out to one or more shards.
func (w *Writer) deal(tensors []*safetensors.Tensor) ([][]*safetensors.Tensor, error) {
	if w.Split != nil {
		return dealByCount(tensors, w.Split)
	}
	return dealBySize(tensors, w.MaxShard), nil
}

// makeIndex makes the index of the shards.
func (p *Plan) makeIndex(metadata map[string]string) (err error) {
	x := checkpoint.Index{TotalParameters: -1, Metadata: maps.Clone(metadata)}
	const total = "total_parameters" // for which Index has a field
	if n, err := strconv.ParseInt(x.Metadata[total], 10, 64); err == nil && n >= 0 {
		x.TotalParameters = n
	}
	delete(x.Metadata, total)
	for i := range p.Shards {
		for _, t := range p.Shards[i].Tensors {
			x.TotalSize += t.Size()
			x.Tensors = append(x.Tensors, checkpoint.IndexEntry{Tensor: t.Name, Shard: p.Shards[i].Name})
		}
	}
	p.text, err = x.AppendText(nil)
	p.Index, p.IndexSize = indexOf(p.stem), int64(len(p.text))
	return err
}
