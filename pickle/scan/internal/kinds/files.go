// Kinds of files that are not analyzed, named by package filetype.

// Package kinds lists kinds of files and archives.
package kinds

import (
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/pickle"
)

// Unsupported is the rule about formats that are known and not opened.
const Unsupported pickle.Rule = "unsupported-format"

// Closed are the kinds that package scan cannot open, with the rule that reports them.
var Closed = map[filetype.Kind]pickle.Rule{
	filetype.SevenZip: "7z", filetype.RAR: "rar", filetype.Zstandard: "zstd",
	filetype.Skippable: Unsupported, filetype.Lzip: Unsupported, filetype.Lzop: Unsupported,
	filetype.Compress: Unsupported, filetype.Snappy: Unsupported, filetype.Cabinet: Unsupported,
	filetype.XAR: Unsupported, filetype.SquashFS: Unsupported, filetype.TorchPreview: Unsupported,
}

// MachineCode is what programs and libraries consist of.
const MachineCode = "machine code"

// Unread are the kinds that package scan does not analyze, with the reason.
var Unread = map[filetype.Kind]string{
	filetype.ELF: MachineCode, filetype.PE: MachineCode, filetype.MachO: MachineCode,
	filetype.WebAssembly: MachineCode, filetype.Llamafile: MachineCode,
	filetype.ExecuTorch: "its program", filetype.SQLite: "the content of databases",
	filetype.PDF: "the content of documents", filetype.TIFF: "its structure", filetype.BMP: "its structure",
	filetype.MP4:  "its structure",
	filetype.HTML: "the content of pages", filetype.HTTP: "the content of responses",
	filetype.XML: "the content of XML", filetype.StorageError: "the content of XML", filetype.OpenVINO: "its graph",
}

// Detected are the kinds that package scan detects by itself, more strictly. If it did not
// detect one, the file is treated as data or text.
var Detected = map[filetype.Kind]bool{
	filetype.Safetensors: true, filetype.SafetensorsIndex: true, filetype.Pickle: true, filetype.TorchLegacy: true,
	filetype.TorchZip:    true,
	filetype.TorchScript: true, filetype.TorchTar: true, filetype.NPY: true, filetype.NPZ: true, filetype.HDF5: true,
	filetype.Keras: true,
	filetype.GGUF:  true,
	filetype.JSON:  true, filetype.JSONError: true, filetype.Notebook: true, filetype.JavaObjects: true,
	filetype.Zip: true, filetype.EmptyZip: true, filetype.Tar: true,
	filetype.Gzip: true, filetype.Bzip2: true, filetype.XZ: true, filetype.LZMA: true, filetype.LZ4: true,
	filetype.Zlib: true,
}
