// Models: tensors and the configuration files beside them.

package model

import (
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
)

// MaxConfig is the largest configuration file that is parsed, in bytes.
const MaxConfig = config.MaxSize

// A Model is what is counted and described. Read makes one of a checkpoint.
type Model struct {
	// Files are the files of the model. If two files have a tensor with the same name, the second is a
	// duplicate.
	Files []File

	// The texts of config.json, of hf_quant_config.json, of quantize_config.json or quant_config.json, and
	// of adapter_config.json; nil if there is no such file.
	Config, ModelOpt, Quantize, Adapter []byte

	// Only selects the tensors that are counted; nil selects all. The others can still tell how those are
	// packed.
	Only func(*safetensors.TensorInfo) bool

	// MaxReads is the most times that Data is read. 0 means 10,000. Parallel is the number of reads at a
	// time, of one file or several. 0 means 1.
	MaxReads, Parallel int
}

// A File is one file of a model.
type File struct {
	Header *safetensors.Header // must not be nil

	// Data is the whole file, or nil if only its header is available. Count reads the few small tensors
	// that contain a shape or a format which no header has, and only if they are needed: up to 64 KiB each
	// and 16 MiB for a model. FactsOf reads scalars called "alpha".
	Data io.ReaderAt
}

// configs parses the configuration files.
func (m *Model) configs() config.Files {
	return config.Files{
		Main:     config.Parse("config.json", m.Config),
		ModelOpt: config.Parse("hf_quant_config.json", m.ModelOpt),
		Quantize: config.Parse("quantize_config.json", m.Quantize),
		Adapter:  config.Parse("adapter_config.json", m.Adapter),
	}
}
