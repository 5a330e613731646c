// The table of rules.

// Package ruletable has the severity and the description of each rule of package scan.
package ruletable

import "github.com/weightools/safetensors/pickle"

// An Entry describes a rule.
type Entry struct {
	Rule     pickle.Rule
	Severity pickle.Severity // of its findings, unless they say otherwise
	Text     string          // a sentence
}

// Table lists the rules of package scan, and the rules of package pickle that it also reports, in the
// order of the documentation.
var Table = [...]Entry{
	{"truncated", pickle.Warning, "The data is truncated."},
	{"trailing-data", pickle.Warning, "Bytes follow the end of the data."},
	{"not-pickle", pickle.Warning, "The file is named like a pickle but is not one."},
	{"embedded-pickle-bytes", pickle.Warning, "Data that loading does not execute contains a pickle."},
	{"nested-pickle", pickle.Note, "A pickle contains another one, which is loaded with it."},
	{"nested-archive", pickle.Note, "An archive is nested in another file."},

	{"bad-eocd", pickle.Warning, "The end record of a zip archive does not match its directory."},
	{"multiple-eocd", pickle.Warning, "A zip archive has several end records; readers may use different ones."},
	{"prefix-data", pickle.Warning, "Bytes precede a zip archive; only some readers find it."},
	{"unlisted-data", pickle.Warning, "An archive contains bytes that belong to no member."},
	{"bad-offset", pickle.Warning, "The offset of an archive member is wrong."},
	{"header-mismatch", pickle.Warning,
		"The directory of a zip archive and the header of a member disagree; readers may use either."},
	{"bad-header", pickle.Warning, "A header is invalid."},
	{"bad-flags", pickle.Warning, "A member of a zip archive has flags that some readers reject."},
	{"bad-crc", pickle.Warning,
		"A member of an archive has the wrong checksum; some readers reject it, PyTorch does not."},
	{"overlap", pickle.Warning, "Members of an archive overlap."},
	{"orphan-entry", pickle.Warning,
		"A member of a zip archive is not listed in its directory; only some readers see it."},
	{"duplicate-entry", pickle.Warning, "Two members of an archive have the same name for some readers."},
	{"unsafe-name", pickle.Warning,
		"The name of a member leads outside of the target folder, or differs between readers."},
	{"symlink", pickle.Warning, "A member of an archive is a link."},
	{"odd-member", pickle.Warning, "A member of an archive is neither a file nor a folder."},
	{"odd-compression", pickle.Warning,
		"A member of a zip archive has a compression that PyTorch does not support and other readers do."},
	{"encrypted", pickle.Warning, "A member of an archive is encrypted."},
	{"multiple-roots", pickle.Warning,
		"An archive contains several checkpoints; the order of its directory decides which one is loaded."},
	{"compressed-wrapper", pickle.Note, "The file is compressed; the decompressed data was analyzed."},
	{"7z", pickle.Warning, "The file is a 7z archive, which PyTorch does not read but a custom loader may."},
	{"rar", pickle.Warning, "The file is a RAR archive, which PyTorch does not read but a custom loader may."},
	{"zstd", pickle.Warning, "The file is compressed by Zstandard, which is not decompressed."},

	{"accepted", pickle.Note, "The policy accepts the file by its digest; it was not analyzed."},
	{"unscanned", pickle.Warning, "Something in the file was not analyzed."},
	{"unanalysed", pickle.Note, "The format of the file is not analyzed, so it is not safe either."},
	{"polyglot", pickle.Warning, "The file has several formats at once; the loader decides what is loaded."},
	{"extension-mismatch", pickle.Warning, "A file that may contain code is named like one that cannot."},
	{"lfs-pointer", pickle.Warning, "The file is a pointer to another one, which was not downloaded."},
	{"look-alike", pickle.Note, "The format of the file differs from its name."},
	{"partly-searched", pickle.Note,
		"Only a part of the data that no loader executes was searched for pickles; a deep scan searches all of it."},
	{"unsupported-format", pickle.Warning, "The format is known but not analyzed."},

	{"bad-byteorder", pickle.Warning, "The byte order of a checkpoint is invalid."},
	{"non-canonical-magic", pickle.Warning, "The magic number of a checkpoint is encoded differently from PyTorch."},
	{"bad-storage-key", pickle.Warning, "The key of a storage is invalid."},
	{"storage-type-conflict", pickle.Warning, "A storage has two types or two sizes."},
	{"storage-size-mismatch", pickle.Warning, "The size of a storage does not match its data."},
	{"bad-shape", pickle.Warning, "The shape of a tensor is invalid."},
	{"bad-stride", pickle.Warning, "The strides of a tensor are invalid."},
	{"tensor-out-of-range", pickle.Warning, "A tensor extends beyond its storage."},
	{"missing-storage", pickle.Warning, "The data of a storage is missing."},
	{"torchscript", pickle.Warning, "The file contains a TorchScript program, which runs when the model is called."},
	{"python-source-in-archive", pickle.Warning,
		"An archive contains Python source code, which the loaders of such archives run."},
	{"numpy-object", pickle.Warning, "A NumPy array contains objects, which are a pickle."},

	{"keras-lambda", pickle.Error, "A Keras model has a layer with Python bytecode."},
	{"keras-config-module", pickle.Error,
		"A Keras model refers to a function or class outside of Keras, which loading imports."},
	{"keras-custom-object", pickle.Warning, "A Keras model refers to a custom object."},
	{"keras-tensorflow-call", pickle.Warning, "A layer of a Keras model calls a function of TensorFlow."},
	{"keras-file", pickle.Warning, "A layer of a Keras model reads a file when it is loaded."},
	{"bad-config", pickle.Warning, "The configuration of a model is invalid JSON or has duplicate keys."},
	{"config-search", pickle.Note, "An HDF5 file was searched for configurations, not parsed."},
	{"yaml-python-call", pickle.Error,
		"A YAML tag makes PyYAML import or call a name that runs code, except with a safe loader."},
	{"yaml-python-tag", pickle.Warning,
		"A YAML tag makes PyYAML or another reader create an object, except with a safe loader."},
	{"config-call", pickle.Warning,
		"A configuration names a class, function or module that programs import and call when they follow it."},
	{"remote-code", pickle.Warning,
		"A configuration names Python code of a repository, which programs run if the user trusts it."},
	{"template-escape", pickle.Error,
		"A Jinja template reads attributes through which it runs code, except in a sandbox."},
	{"template-lookup", pickle.Warning, "A Jinja template hides which attributes it reads or functions it calls."},
	{"template-loop", pickle.Warning, "A Jinja template has loops that run millions of times."},
	{"python-source", pickle.Warning, "Python source code is imported by its name, or starts programs or other code."},
	{"site-path", pickle.Error, "A .pth file has a line that Python runs when it starts."},
	{"java-serialization", pickle.Warning, "The file contains serialized Java objects, which loading creates."},
	{"java-gadget", pickle.Error, "Serialized Java objects include a class that is known to run code when it is loaded."},
	{"tensorflow-op", pickle.Error, "A TensorFlow graph contains an operation that accesses files or calls Python."},
	{"tensorflow-custom-op", pickle.Warning, "A TensorFlow graph contains an operation that a library must provide."},
	{"onnx-external-data", pickle.Warning, "An ONNX model reads files outside of its folder."},
	{"onnx-custom-op", pickle.Warning, "An ONNX model contains an operator that a library must provide."},
	{"onnx-python-op", pickle.Error, "An ONNX model contains an operator that calls Python."},
	{"skops-import", pickle.Warning,
		"A model of skops names a class or function that its loader does not import by itself."},
	{"tflite-custom-op", pickle.Warning, "A TensorFlow Lite model contains an operator that a library must provide."},
	{"arrow-extension-type", pickle.Warning, "A column of an Arrow or Parquet file has an extension type of a library."},
	{"arrow-pickled-type", pickle.Error, "An extension type in an Arrow or Parquet file is a pickle."},
	{"hdf5-external-file", pickle.Warning, "An HDF5 file reads other files when it is read."},
	{"r-promise", pickle.Error, "Data of R contains a promise, which runs code when the value is used."},
	{"r-code", pickle.Warning, "Data of R contains functions or bytecode."},
	{"metadata-code", pickle.Warning,
		"Metadata contains code or markup, which runs only if a program executes metadata."},
	{"bad-safetensors", pickle.Note, "A safetensors file violates rules of its format."},
}

// Of returns the entry for a rule, or nil.
func Of(rule pickle.Rule) *Entry {
	for i := range Table {
		if Table[i].Rule == rule {
			return &Table[i]
		}
	}
	return nil
}

// Usual returns the severity of most findings of a rule. For rules of package pickle the actual one
// depends on the finding.
func Usual(rule pickle.Rule) pickle.Severity {
	if e := Of(rule); e != nil {
		return e.Severity
	}
	switch rule {
	case pickle.RuleDangerous, pickle.RulePolicyDeny, pickle.RuleDunderGlobal, pickle.RuleReexport, pickle.RuleComputed,
		pickle.RuleComputedCall,
		pickle.RuleCallableArg, pickle.RuleDunderString, pickle.RuleDunderState, pickle.RuleDynamicClass,
		pickle.RuleBuildImport:
		return pickle.Error
	case pickle.RuleAllowed, pickle.RuleProfile, pickle.RulePolicyAllow, pickle.RuleResolved, pickle.RuleMultiple,
		pickle.RuleRawArray:
		return pickle.Note
	}
	return pickle.Warning
}
