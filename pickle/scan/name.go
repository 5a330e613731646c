// What the names of files promise.

package scan

import (
	"path"
	"strings"

	"github.com/weightools/safetensors/filetype"
)

// extensionOf returns the extension of a name in lower case, with its dot.
func extensionOf(name string) string { return strings.ToLower(path.Ext(name)) }

// saysPickle reports whether the name promises a pickle or an archive that contains one.
func (p *part) saysPickle() bool {
	switch extensionOf(p.name) {
	case ".pkl", ".pickle", ".pck", ".pcl", ".p", ".dill", ".joblib", ".sav", ".pt", ".pth", ".ckpt":
		return true
	}
	return p.loaded
}

// unpickled reports whether a loader unpickles the part by its name. A file that the user names may
// be one of another format that torch.load or joblib.load reads.
func (p *part) unpickled() bool {
	ext := extensionOf(p.name)
	return p.loaded || p.within != nil && p.within.holds && !p.holds && !p.packed && p.format != "npy" &&
		(ext == ".pkl" || ext == ".pickle")
}

// saysHDF5 reports whether the name promises an HDF5 file, or nothing.
func (p *part) saysHDF5() bool {
	switch extensionOf(p.name) {
	case "", ".h5", ".hdf5", ".hdf", ".he5", ".keras", ".h5ad", ".nc", ".mat":
		return true
	}
	return false
}

// saysPacked reports whether the name promises compressed or encrypted data. Some of these
// formats, such as Brotli, have no magic number.
func (p *part) saysPacked() bool {
	switch extensionOf(p.name) {
	case ".gz", ".bz2", ".xz", ".lzma", ".lz4", ".zst", ".zstd", ".z", ".br", ".lz", ".sz", ".7z", ".rar", ".zip",
		".tgz", ".txz", ".tbz2", ".gpg", ".pgp", ".age", ".enc":
		return true
	}
	return false
}

// hidesPickle reports whether a pickle under this name is suspicious: in an archive, under any
// name that does not promise one; otherwise, under a name that promises something else.
func (p *part) hidesPickle() bool {
	ext := extensionOf(p.name)
	if ext == ".tar" { // checkpoint.pth.tar is the usual name of a checkpoint in examples of PyTorch
		switch extensionOf(strings.TrimSuffix(strings.ToLower(p.name), ext)) {
		case ".pth", ".pt", ".ckpt", ".pkl":
			return false
		}
	}
	switch ext {
	case ".txt", ".md", ".rst", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".csv", ".tsv", ".xml", ".html",
		".py", ".sh", ".log",
		".png", ".jpg", ".jpeg", ".gif", ".pdf", ".wav", ".mp3", ".mp4",
		".safetensors", ".gguf", ".onnx", ".tflite", ".h5", ".hdf5", ".keras", ".npy", ".npz", ".parquet", ".zip", ".tar":
		return true
	case ".bin", ".model", ".dat", ".data", ".debug_pkl", ".mar":
		return false
	}
	return p.within != nil && p.within.holds && !p.saysPickle()
}

// lookalike reports a part that is named like a checkpoint but is not one.
func (p *part) lookalike(format string) {
	if p.saysPickle() || extensionOf(p.name) == ".bin" {
		p.find(RuleLookAlike, 0, "%s is named like a checkpoint but is %s", quoted(p.name), format)
	}
}

// promised reports a part whose name promises a pickle but whose format is another.
func (p *part) promised(kind filetype.Kind) {
	if p.saysPickle() {
		p.find(RuleExtension, 0, "%s is %s but is named like a pickle", quoted(p.name), kind.Name())
	}
}
