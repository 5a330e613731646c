// What the names of files promise.

// Package promise says what the names of files promise.
package promise

import (
	"path"
	"strings"
)

// Extension returns the extension of a name in lower case, with its dot.
func Extension(name string) string { return strings.ToLower(path.Ext(name)) }

// Pickle reports whether the name promises a pickle or an archive that contains one.
func Pickle(name string) bool {
	switch Extension(name) {
	case ".pkl", ".pickle", ".pck", ".pcl", ".p", ".dill", ".joblib", ".sav", ".pt", ".pth", ".ckpt":
		return true
	}
	return false
}

// HDF5 reports whether the name promises an HDF5 file, or nothing.
func HDF5(name string) bool {
	switch Extension(name) {
	case "", ".h5", ".hdf5", ".hdf", ".he5", ".keras", ".h5ad", ".nc", ".mat":
		return true
	}
	return false
}

// Packed reports whether the name promises compressed or encrypted data. Some of these
// formats, such as Brotli, have no magic number.
func Packed(name string) bool {
	switch Extension(name) {
	case ".gz", ".bz2", ".xz", ".lzma", ".lz4", ".zst", ".zstd", ".z", ".br", ".lz", ".sz", ".7z", ".rar", ".zip",
		".tgz", ".txz", ".tbz2", ".gpg", ".pgp", ".age", ".enc":
		return true
	}
	return false
}

// Other reports whether a name promises something else than a pickle. It is not sure of names that
// promise nothing.
func Other(name string) (other, sure bool) {
	ext := Extension(name)
	if ext == ".tar" { // checkpoint.pth.tar is the usual name of a checkpoint in examples of PyTorch
		switch Extension(strings.TrimSuffix(strings.ToLower(name), ext)) {
		case ".pth", ".pt", ".ckpt", ".pkl":
			return false, true
		}
	}
	switch ext {
	case ".txt", ".md", ".rst", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".csv", ".tsv", ".xml", ".html",
		".py", ".sh", ".log",
		".png", ".jpg", ".jpeg", ".gif", ".pdf", ".wav", ".mp3", ".mp4",
		".safetensors", ".gguf", ".onnx", ".tflite", ".h5", ".hdf5", ".keras", ".npy", ".npz", ".parquet", ".zip", ".tar":
		return true, true
	case ".bin", ".model", ".dat", ".data", ".debug_pkl", ".mar":
		return false, true
	}
	return false, false
}
