// Models: tensors and configuration files.

package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
)

// MaxConfig is the largest configuration file that is parsed, in bytes: 32 MiB.
const MaxConfig = config.MaxSize

// A Model is what is counted and described. Read makes one of a checkpoint.
type Model struct {
	// Files are the files of the model. If two files have a tensor with the same name, the second is a
	// duplicate.
	Files []File

	// The texts of config.json, of hf_quant_config.json, of quantize_config.json or quant_config.json, and
	// of adapter_config.json; nil if the file does not exist.
	Config, ModelOpt, Quantize, Adapter []byte

	// Description is the text of quant_model_description.json, which msmodelslim writes.
	Description []byte

	// Only selects the tensors that are counted; nil selects all. The others can still tell how those are
	// packed.
	Only func(*safetensors.TensorInfo) bool

	// Remote reports that each read of Data is a request to a server. Then configuration files that cannot be
	// read count as missing, and FactsOf reads no data.
	Remote bool

	// MaxReads is the most times that Data is read. 0 means 10,000, or 1,000 if Remote is set. Parallel is the
	// number of reads at a time, of one file or several. 0 means 1, or 64 if Remote is set.
	MaxReads, Parallel int

	// Notes are remarks about configuration files that could not be read.
	Notes []string
}

// A File is one file of a model.
type File struct {
	Header *safetensors.Header // must not be nil

	// Module tells the files of parts with names of their own from each other, such as the folders of
	// sentence-transformers; "" in other models.
	Module string

	// Data is the whole file, or nil if only its header is available. Count reads the few small tensors
	// that contain a shape or a format which no header has, and only if they are needed: up to 64 KiB each
	// and 16 MiB for a model. FactsOf reads scalars called "alpha".
	Data io.ReaderAt
}

// Read returns the model of a checkpoint, to be passed to Count and FactsOf. It reads the headers of all shards
// and the configuration files in the same folder. Remote reports that the checkpoint is on a server.
//
// The model opens shards again if their data is needed; Close closes these.
func Read(ctx context.Context, cp *checkpoint.Checkpoint, remote bool) (*Model, error) {
	m := &Model{Remote: remote}
	shards := cp.Shards()
	type header struct {
		*safetensors.Header
		err error
	}
	for i, h := range bytesio.Ahead(ctx, m.limitParallel(), len(shards), func(ctx context.Context, i int) header {
		h, err := cp.Stored(ctx, shards[i])
		return header{h, err}
	}) {
		if h.err != nil {
			return nil, h.err
		}
		m.AddShard(ctx, cp.Set(), shards[i], h.Header)
	}
	m.ReadConfigs(ctx, cp.Set())
	return m, ctx.Err()
}

// AddShard adds a shard of a set with a header that was read before. If data of the shard is needed, it is read
// with ctx.
func (m *Model) AddShard(ctx context.Context, set *checkpoint.Set, shard string, h *safetensors.Header) {
	f := File{Header: h, Data: &lazyShard{ctx: ctx, set: set, shard: shard}}
	if set.PartOf != "" {
		f.Module = set.Name
	}
	m.Files = append(m.Files, f)
}

// Close closes the shards that were opened for their data.
func (m *Model) Close() error {
	var errs []error
	for i := range m.Files {
		if c, ok := m.Files[i].Data.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// ConfigNames are the names of the files that ReadConfigs reads of most models. It may also read
// quant_model_description.json.
var ConfigNames = append([]string{"config.json", "hf_quant_config.json", "adapter_config.json"},
	config.QuantizeNames...)

// ReadConfigs reads the configuration files in the folder of a set. It does not ask for files that say nothing
// about the tensors of the model, because over a network each costs a round trip.
func (m *Model) ReadConfigs(ctx context.Context, set *checkpoint.Set) {
	m.Config = m.readBeside(ctx, set, "config.json")
	if c := config.New(m.configs(), new(config.Notes)); c.Quant == nil {
		if m.any(func(ti *safetensors.TensorInfo) bool { _, r := parts.Split(ti.Name); return r == parts.QWeight }) {
			for _, name := range config.QuantizeNames {
				if m.Quantize = m.readBeside(ctx, set, name); m.Quantize != nil {
					break
				}
			}
		}
		if m.Quantize == nil && m.any(func(ti *safetensors.TensorInfo) bool { return ti.Dtype.Bits() <= 8 }) {
			m.ModelOpt = m.readBeside(ctx, set, "hf_quant_config.json")
		}
		if m.any(isAscend) {
			for _, name := range config.DescriptionNames(path.Base(set.Name)) {
				if m.Description = m.readBeside(ctx, set, name); m.Description != nil {
					break
				}
			}
		}
	}
	if m.any(func(ti *safetensors.TensorInfo) bool { return parts.IsAdapter(ti.Name) }) {
		m.Adapter = m.readBeside(ctx, set, "adapter_config.json")
	}
}

// isAscend reports whether a tensor has the name of a part that only msmodelslim writes.
func isAscend(ti *safetensors.TensorInfo) bool {
	_, r := parts.Split(ti.Name)
	return r == parts.WeightOffset || r == parts.OutputScale
}

// any reports whether one of the first tensors of the files has a property.
func (m *Model) any(is func(*safetensors.TensorInfo) bool) bool {
	const enough = 1000 // tensors of a file: the kind of a model shows early
	for _, f := range m.Files {
		for i := range f.Header.Tensors[:min(len(f.Header.Tensors), enough)] {
			if is(&f.Header.Tensors[i]) {
				return true
			}
		}
	}
	return false
}

// readBeside reads a configuration file, or returns nil if there is none. If it cannot be read, it adds a note,
// except for a remote model: a server that allows access to one file may deny it to others.
func (m *Model) readBeside(ctx context.Context, set *checkpoint.Set, name string) []byte {
	text, err := readSmall(ctx, set, name)
	if err == nil {
		return text
	}
	if !m.Remote && !errors.Is(err, fs.ErrNotExist) {
		m.Notes = append(m.Notes, fmt.Sprintf("cannot read %s: %v", name, err))
	}
	return nil
}

// inCheckpoint reports whether a set is in a folder of its own below that of a checkpoint, which has the configuration:
// global_step100 of DeepSpeed, and pytorch_model_fsdp_0 of accelerate.
func inCheckpoint(set *checkpoint.Set) bool {
	folder := path.Dir(set.Name)
	base := path.Base(folder)
	return folder != "." && (strings.HasPrefix(base, "global_step") || strings.HasPrefix(base, "pytorch_model_fsdp"))
}

// readSmall reads a file, up to one byte more than a configuration may have.
func readSmall(ctx context.Context, set *checkpoint.Set, name string) ([]byte, error) {
	object, err := set.OpenBeside(ctx, name)
	if errors.Is(err, fs.ErrNotExist) && inCheckpoint(set) {
		object, err = set.OpenBeside(ctx, "../"+name)
	}
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), MaxConfig+1)))
}

// configs parses the configuration files.
func (m *Model) configs() config.Files {
	main := config.Parse("config.json", m.Config)
	for i := range m.Files {
		// A file that describes itself knows more about itself than a file beside it.
		if own := config.OfGGUF(m.Files[i].Header.Metadata); own.Root != nil {
			main = own
			break
		}
	}
	return config.Files{
		Main:     main,
		ModelOpt: config.Parse("hf_quant_config.json", m.ModelOpt),
		Quantize: config.Parse("quantize_config.json", m.Quantize),
		Adapter:  config.Parse("adapter_config.json", m.Adapter),

		Description: config.Parse("quant_model_description.json", m.Description),
	}
}
