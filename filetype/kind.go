// The table of kinds: what each is called, and what to do with a file of that kind.

package filetype

import "iter"

// A Kind identifies a file format. Its value, such as "gguf", is stable: it appears in JSON output.
type Kind string

// The kinds that [Detect] returns.
const (
	Unknown Kind = "data" // none of the others

	Safetensors      Kind = "safetensors"
	SafetensorsIndex Kind = "safetensors-index"
	TorchZip         Kind = "pytorch-zip"
	TorchScript      Kind = "torchscript"
	TorchLegacy      Kind = "pytorch-legacy"
	TorchTar         Kind = "pytorch-tar"
	TorchPreview     Kind = "pytorch-preview"
	Pickle           Kind = "pickle"
	NPY              Kind = "npy"
	NPZ              Kind = "npz"
	GGUF             Kind = "gguf"
	GGML             Kind = "ggml"
	HDF5             Kind = "hdf5"
	Keras            Kind = "keras"
	ONNX             Kind = "onnx"
	TFLite           Kind = "tflite"
	SavedModel       Kind = "tensorflow-savedmodel"
	Graph            Kind = "tensorflow-graph"
	CoreML           Kind = "coreml"
	ExecuTorch       Kind = "executorch"
	OpenVINO         Kind = "openvino"
	MessagePack      Kind = "msgpack"
	SentencePiece    Kind = "sentencepiece"
	Llamafile        Kind = "llamafile"
	Parquet          Kind = "parquet"
	Arrow            Kind = "arrow"
	SQLite           Kind = "sqlite"

	Zip           Kind = "zip"
	EmptyZip      Kind = "zip-empty"
	Tar           Kind = "tar"
	Gzip          Kind = "gzip"
	Bzip2         Kind = "bzip2"
	XZ            Kind = "xz"
	LZMA          Kind = "lzma"
	LZ4           Kind = "lz4"
	Zstandard     Kind = "zstd"
	Zlib          Kind = "zlib"
	Compress      Kind = "compress"
	Lzip          Kind = "lzip"
	Lzop          Kind = "lzop"
	Snappy        Kind = "snappy"
	Skippable     Kind = "skippable-frame"
	SevenZip      Kind = "7z"
	RAR           Kind = "rar"
	Cabinet       Kind = "cab"
	XAR           Kind = "xar"
	SquashFS      Kind = "squashfs"
	PGP           Kind = "pgp"
	Age           Kind = "age"
	PDF           Kind = "pdf"
	PNG           Kind = "png"
	JPEG          Kind = "jpeg"
	GIF           Kind = "gif"
	WebP          Kind = "webp"
	TIFF          Kind = "tiff"
	BMP           Kind = "bmp"
	MP4           Kind = "mp4"
	ELF           Kind = "elf"
	PE            Kind = "windows-program"
	MachO         Kind = "mach-o"
	WebAssembly   Kind = "wasm"
	JavaObjects   Kind = "java-serialization"
	AppleDouble   Kind = "appledouble"
	DSStore       Kind = "ds-store"
	LFSPointer    Kind = "lfs-pointer"
	XetPointer    Kind = "xet-pointer"
	LinkText      Kind = "link-text"
	HTML          Kind = "html"
	HTTP          Kind = "http-response"
	JSONError     Kind = "json-error"
	JSON          Kind = "json"
	StorageError  Kind = "xml-error"
	XML           Kind = "xml"
	Notebook      Kind = "notebook"
	Python        Kind = "python-source"
	Script        Kind = "script"
	ByteOrderMark Kind = "byte-order-mark"
	UTF16         Kind = "utf-16-text"
	Text          Kind = "text"
	Zeros         Kind = "zeros"
	Empty         Kind = "empty"
)

// A row gives the name of a kind and what to do with such a file. Commands are in
// backquotes; FILE is the file and NEW is the file they write.
type row struct {
	kind         Kind
	name, advice string
}

// Advice that several kinds share.
const (
	convert  = "Convert it to safetensors: `weigh convert FILE -o NEW.safetensors`."
	original = ", or look for a safetensors release of the same model; weigh does not read this format."
	wrongURL = "Check the URL, your login and your access to the repository, then download the file again."
	wrong    = "It contains no weights: check the link or the upload, then download the right file."
	foreign  = "It contains no weights. Do not run it; find out where it came from."
	sevenZip = "Extract it with 7-Zip: `7z x FILE`."
	again    = "Download the file again."
)

var rows = [...]row{
	{Unknown, "a file of an unknown format", "Check where it came from; if it should be safetensors, download it again."},

	{Safetensors, "a safetensors file", "List its tensors: `weigh info FILE`."},
	{SafetensorsIndex, "an index of safetensors shards",
		"Rename it to model.safetensors.index.json and put the shards in the same folder."},
	{TorchZip, "a PyTorch checkpoint (zip)", convert},
	{TorchScript, "a TorchScript model", convert},
	{TorchLegacy, "a PyTorch checkpoint (legacy pickle format)", convert},
	{TorchTar, "a PyTorch checkpoint (tar)", convert},
	{TorchPreview, "an archive of a preview of PyTorch 1.0",
		"No release of PyTorch reads it: look for a newer checkpoint of the same model."},
	{Pickle, "a Python pickle, which can run code when it is loaded", "Find out what it would run: `weigh scan FILE`."},
	{NPY, "a NumPy array (.npy)", "Store it in an .npz archive with numpy.savez, which `weigh convert` reads."},
	{NPZ, "a NumPy archive (.npz)", convert},
	{GGUF, "a GGUF model", convert},
	{GGML, "a GGML model, the predecessor of GGUF", "Use it with llama.cpp from before August 2023" + original},
	{HDF5, "an HDF5 file, as Keras writes (.h5)",
		"Find out whether it contains code: `weigh scan FILE`. To convert it, load it with Keras."},
	{Keras, "a Keras model (.keras)",
		"Find out whether it contains code: `weigh scan FILE`. To convert it, load it with Keras."},
	{ONNX, "an ONNX model", "Use it with ONNX Runtime" + original},
	{TFLite, "a TensorFlow Lite model", "Use it with LiteRT" + original},
	{SavedModel, "a TensorFlow SavedModel",
		"Find out whether its graph reads or writes files: `weigh scan FILE`. To convert it, load it with TensorFlow."},
	{Graph, "a TensorFlow graph",
		"Find out whether it reads or writes files: `weigh scan FILE`. To convert it, load it with TensorFlow."},
	{CoreML, "a Core ML model", "Use it with Core ML" + original},
	{ExecuTorch, "an ExecuTorch program", "Use it with ExecuTorch" + original},
	{OpenVINO, "an OpenVINO model description", "Use it with OpenVINO" + original},
	{MessagePack, "a MessagePack file, as Flax writes (.msgpack)",
		"Load it with flax.serialization and save it with safetensors.flax" + original},
	{SentencePiece, "a SentencePiece tokenizer model",
		"It belongs to a tokenizer and contains no weights: rename it to tokenizer.model."},
	{Llamafile, "a llamafile, a program with a model in it", "Run it if you trust its publisher" + original},
	{Parquet, "a Parquet file", "It is a table of data, not weights; check the link."},
	{Arrow, "an Arrow file", "It is a table of data, not weights; check the link."},
	{SQLite, "an SQLite database", "It contains no weights; check the link."},

	{Zip, "a zip archive", "Extract it: `unzip FILE`."},
	{EmptyZip, "an empty zip archive", again},
	{Tar, "a tar archive", "Extract it: `tar -xf FILE`."},
	{Gzip, "a gzip file", "Decompress it: `gzip -dc < FILE > NEW`."},
	{Bzip2, "a bzip2 file", "Decompress it: `bzip2 -dc < FILE > NEW`."},
	{XZ, "an xz file", "Decompress it: `xz -dc < FILE > NEW`."},
	{LZMA, "an LZMA file", "Decompress it: `xz --format=lzma -dc < FILE > NEW`."},
	{LZ4, "an LZ4 file", "Decompress it: `lz4 -dc < FILE > NEW`."},
	{Zstandard, "a Zstandard file", "Decompress it: `zstd -dc < FILE > NEW`."},
	{Zlib, "a zlib stream, as joblib writes", "Find out what is in it: `weigh scan FILE`."},
	{Compress, "a file compressed by compress (.Z)", "Decompress it: `gzip -dc < FILE > NEW`."},
	{Lzip, "an lzip file", "Decompress it with lzip."},
	{Lzop, "an lzop file", "Decompress it with lzop."},
	{Snappy, "a Snappy stream", "Decompress it with a Snappy library."},
	{Skippable, "an LZ4 or Zstandard file that begins with a skippable frame", "Decompress it with zstd or lz4."},
	{SevenZip, "a 7z archive", sevenZip},
	{RAR, "a RAR archive", "Extract it with 7-Zip or unrar."},
	{Cabinet, "a Windows cabinet", "Extract it with 7-Zip."},
	{XAR, "a xar archive", "Extract it with 7-Zip."},
	{SquashFS, "a SquashFS file system", "Extract it with unsquashfs."},
	{PGP, "a PGP message", "Decrypt it with gpg."},
	{Age, "a file encrypted by age", "Decrypt it with age."},
	{PDF, "a PDF document", wrong},
	{PNG, "a PNG image", wrong},
	{JPEG, "a JPEG image", wrong},
	{GIF, "a GIF image", wrong},
	{WebP, "a WebP image", wrong},
	{TIFF, "a TIFF image", wrong},
	{BMP, "a BMP image", wrong},
	{MP4, "an MP4 video", wrong},
	{ELF, "a program or library for Linux (ELF)", foreign},
	{PE, "a program or library for Windows (PE)", foreign},
	{MachO, "a program or library for macOS (Mach-O)", foreign},
	{WebAssembly, "a WebAssembly module", foreign},
	{JavaObjects, "serialized Java objects, which can run code when they are loaded",
		"Find out what they would run: `weigh scan FILE`."},
	{AppleDouble, "an AppleDouble file, macOS metadata of another file",
		"Delete it: it contains no weights. The real file has the same name without the leading \"._\"."},
	{DSStore, "a .DS_Store file, folder settings of macOS", "Delete it: it contains no weights."},
	{LFSPointer, "a Git LFS pointer", "Run `git lfs pull` in its repository to download the real file."},
	{XetPointer, "a Xet pointer", "Download the real file from the Hub; a clone by git needs git-xet."},
	{LinkText, "the text of a symbolic link",
		"Make it a link again if the file that it leads to exists; otherwise download it again."},
	{HTML, "an HTML page, such as an error or a login page",
		wrongURL + " A link to the Hub needs /resolve/ in place of /blob/."},
	{HTTP, "an HTTP response with its headers", "Download the file again, without saving the headers."},
	{JSONError, "a JSON error message from a server", wrongURL},
	{JSON, "a JSON file", wrongURL},
	{StorageError, "an XML error message from object storage", wrongURL},
	{XML, "an XML file", wrongURL},
	{Notebook, "a Jupyter notebook", "It contains no weights; run it only if you trust its author."},
	{Python, "Python source code", "It contains no weights; run it only if you trust its author."},
	{Script, "a script", foreign},
	{ByteOrderMark, "a file that begins with a UTF-8 byte order mark, as text editors write",
		again + " Do not open it in a text editor."},
	{UTF16, "a UTF-16 text", wrongURL},
	{Text, "a text file", wrongURL},
	{Zeros, "a file filled with zero bytes", again + " Its space was reserved but never filled."},
	{Empty, "an empty file", again},
}

// lookup returns the row of a kind, or the row of [Unknown].
func lookup(k Kind) *row {
	for i := range rows {
		if rows[i].kind == k {
			return &rows[i]
		}
	}
	return &rows[0]
}

// Kinds yields every kind, [Unknown] first.
func Kinds() iter.Seq[Kind] {
	return func(yield func(Kind) bool) {
		for i := range rows {
			if !yield(rows[i].kind) {
				return
			}
		}
	}
}

// Name returns the name of the kind with its article: "a GGUF model".
func (k Kind) Name() string { return lookup(k).name }

// Advice returns one or two sentences on what to do with a file of the kind.
// Commands are in backquotes and use FILE for the file; see [For].
func (k Kind) Advice() string { return lookup(k).advice }

// StandIn reports whether a file of the kind usually replaces a file that was not
// downloaded: a pointer, an error message, or a file without content.
func (k Kind) StandIn() bool {
	switch k {
	case LFSPointer, XetPointer, LinkText, HTML, HTTP, JSONError, StorageError, XML, AppleDouble, Empty, Zeros:
		return true
	}
	return false
}
