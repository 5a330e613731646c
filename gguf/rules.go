// The rules of the format.

package gguf

import (
	"slices"

	"github.com/weightools/safetensors"
)

// The rules, in the order in which a file is read.
const (
	RuleMagic        safetensors.Rule = "gguf-magic"
	RuleVersion      safetensors.Rule = "gguf-version"
	RuleCounts       safetensors.Rule = "gguf-counts"
	RuleTruncated    safetensors.Rule = "gguf-truncated"
	RuleStringLength safetensors.Rule = "gguf-string-length"
	RuleKeyText      safetensors.Rule = "gguf-key-text"
	RuleKeyName      safetensors.Rule = "gguf-key-name"
	RuleDuplicateKey safetensors.Rule = "gguf-duplicate-key"
	RuleValueType    safetensors.Rule = "gguf-value-type"
	RuleNestedArray  safetensors.Rule = "gguf-nested-array"
	RuleNesting      safetensors.Rule = "gguf-nesting"
	RuleArrayLength  safetensors.Rule = "gguf-array-length"
	RuleBool         safetensors.Rule = "gguf-bool"
	RuleUTF8         safetensors.Rule = "gguf-utf8"
	RuleAlignment    safetensors.Rule = "gguf-alignment"
	RuleOddAlignment safetensors.Rule = "gguf-odd-alignment"
	RuleTensorName   safetensors.Rule = "gguf-tensor-name"
	RuleOddName      safetensors.Rule = "gguf-odd-name"
	RuleDuplicate    safetensors.Rule = "gguf-duplicate-tensor"
	RuleRank         safetensors.Rule = "gguf-rank"
	RuleShape        safetensors.Rule = "gguf-shape"
	RuleTensorType   safetensors.Rule = "gguf-tensor-type"
	RuleBlock        safetensors.Rule = "gguf-block"
	RuleOffset       safetensors.Rule = "gguf-offset"
	RuleOverlap      safetensors.Rule = "gguf-overlap"
	RuleOrder        safetensors.Rule = "gguf-order"
	RuleHole         safetensors.Rule = "gguf-hole"
	RulePadding      safetensors.Rule = "gguf-padding"
	RuleTrailing     safetensors.Rule = "gguf-trailing"
	RuleUnpadded     safetensors.Rule = "gguf-unpadded"

	RuleArchitecture safetensors.Rule = "gguf-architecture"
	RuleArchKind     safetensors.Rule = "gguf-architecture-kind"
	RuleFileType     safetensors.Rule = "gguf-file-type"
	RuleQuantVersion safetensors.Rule = "gguf-quantization-version"
	RuleModelKey     safetensors.Rule = "gguf-model-key"
	RuleModelKeyKind safetensors.Rule = "gguf-model-key-kind"
	RuleModelTensor  safetensors.Rule = "gguf-model-tensor"
	RuleTokenizer    safetensors.Rule = "gguf-tokenizer"
	RuleOddTokenizer safetensors.Rule = "gguf-odd-tokenizer"
	RuleTemplate     safetensors.Rule = "gguf-template"
	RuleSplit        safetensors.Rule = "gguf-split"
	RuleOddSplit     safetensors.Rule = "gguf-odd-split"
)

const (
	specification = "docs/gguf.md of ggml d99724f"
	loader        = "gguf.cpp of llama.cpp b11434"
	models        = "llama-model.cpp of llama.cpp b11434"
	vocab         = "llama-vocab.cpp of llama.cpp b11434"
	splitting     = "llama-model-loader.cpp of llama.cpp b11434"
	again         = "Download the file again, and compare its checksum with the publisher's: the bytes are damaged."
	rewrite       = "Convert the checkpoint again with a current convert_hf_to_gguf.py of llama.cpp"
)

var rules = [...]safetensors.RuleInfo{
	{
		Rule: RuleMagic, Severity: safetensors.Invalid,
		Summary: "A file begins with the bytes GGUF.",
		Source:  specification, Reference: "refuses it",
		Fix: "Download the file again, or give it the extension of its format: a GGUF file begins with the bytes GGUF.",
	},
	{
		Rule: RuleVersion, Severity: safetensors.Invalid,
		Summary: "The version is 2 or 3. Current programs do not read version 1.",
		Source:  loader, Reference: "refuses it",
		Fix: rewrite + "; it writes version 3. Versions above 3 come from newer programs.",
	},
	{
		Rule: RuleCounts, Severity: safetensors.Invalid,
		Summary: "A file is long enough for the keys and tensors that it claims, and has at most 65,536 keys and " +
			"1,048,576 tensors, whose names take at most 16 MiB.",
		Source: "the definition", Reference: "reads to the end of the file, and refuses it",
		Fix: "Download the file again. If it is complete, do not open it in other programs: they may run out of memory.",
	},
	{
		Rule: RuleTruncated, Severity: safetensors.Invalid,
		Summary: "A file is not truncated: its values and tensors are complete.",
		Source:  "the definition", Reference: "refuses it",
		Fix: "Download the file again: it ends too early.",
	},
	{
		Rule: RuleStringLength, Severity: safetensors.Invalid,
		Summary: "A string ends before the end of the file, and has at most 2^30 bytes.",
		Source:  loader, Reference: "refuses it",
		Fix: again,
	},
	{
		Rule: RuleKeyText, Severity: safetensors.Invalid,
		Summary: "A key is UTF-8.",
		Source:  specification, Reference: "takes it",
		Fix: rewrite + ": other readers fail at this key.",
	},
	{
		Rule: RuleKeyName, Severity: safetensors.Warning,
		Summary: "A key has segments of a to z, 0 to 9 and _, separated by dots, and at most 65,535 bytes.",
		Source:  specification, Reference: "takes every key but the empty one",
		Fix: "Rename the key in the program that wrote it: only a-z, 0-9, _ and dots between segments are portable.",
	},
	{
		Rule: RuleDuplicateKey, Severity: safetensors.Invalid,
		Summary: "No two keys are the same.",
		Source:  loader, Reference: "refuses it",
		Fix: "Find out which value is right, and write the file again without the other: llama.cpp reads neither.",
	},
	{
		Rule: RuleValueType, Severity: safetensors.Invalid,
		Summary: "The type of a value is one of the 13 that are defined.",
		Source:  specification, Reference: "refuses it",
		Fix: again,
	},
	{
		Rule: RuleNestedArray, Severity: safetensors.Warning,
		Summary: "No array has arrays as elements. The specification allows it, and llama.cpp does not.",
		Source:  loader, Reference: "refuses it",
		Fix: "Write the value as one flat array: llama.cpp does not load the model with an array of arrays.",
	},
	{
		Rule: RuleNesting, Severity: safetensors.Invalid,
		Summary: "Arrays are nested at most 16 deep, and have at most 65,536 arrays in them.",
		Source:  "a limit of this package", Reference: "refuses it",
		Fix: "Write the value as a flat array. No program nests arrays so deeply, so find out where the file is from.",
	},
	{
		Rule: RuleArrayLength, Severity: safetensors.Invalid,
		Summary: "An array ends before the end of the file.",
		Source:  loader, Reference: "refuses it",
		Fix: again,
	},
	{
		Rule: RuleBool, Severity: safetensors.Warning,
		Summary: "A bool is 0 or 1.",
		Source:  specification, Reference: "takes every byte but 0 as true",
		Fix: "Write 0 or 1: readers in other languages fail at any other bool.",
	},
	{
		Rule: RuleUTF8, Severity: safetensors.Warning,
		Summary: "A string is UTF-8. Tokens may be parts of characters.",
		Source:  specification, Reference: "takes any bytes",
		Fix: "Write the text as UTF-8: the Python package gguf fails when it reads the key.",
	},
	{
		Rule: RuleAlignment, Severity: safetensors.Invalid,
		Summary: "general.alignment is a u32 and a power of two, and the data begins in the file.",
		Source:  loader, Reference: "refuses it",
		Fix: "Write the file again with general.alignment 32, as a u32.",
	},
	{
		Rule: RuleOddAlignment, Severity: safetensors.Warning,
		Summary: "general.alignment is a multiple of 8, and not larger than the file.",
		Source:  specification, Reference: "takes every power of two",
		Fix: "Write the file again with general.alignment 32: the specification asks for a multiple of 8.",
	},
	{
		Rule: RuleTensorName, Severity: safetensors.Invalid,
		Summary: "The name of a tensor has at most 64 bytes, is UTF-8, and has no NUL.",
		Source:  specification, Reference: "refuses names of 64 bytes and more",
		Fix: "Give the tensor a name of at most 63 bytes: llama.cpp does not load the file.",
	},
	{
		Rule: RuleOddName, Severity: safetensors.Warning,
		Summary: "The name of a tensor has 1 to 63 bytes, is printable, and is not like a path.",
		Source:  loader, Reference: "takes it unless it has 64 bytes",
		Fix: "Give the tensor a name that llama.cpp knows, such as blk.0.attn_q.weight.",
	},
	{
		Rule: RuleDuplicate, Severity: safetensors.Invalid,
		Summary: "No two tensors have the same name.",
		Source:  loader, Reference: "refuses it",
		Fix: "Find out which of the tensors is right, and write the file again without the other.",
	},
	{
		Rule: RuleRank, Severity: safetensors.Invalid,
		Summary: "A tensor has at most 4 dimensions.",
		Source:  specification, Reference: "refuses it",
		Fix: again,
	},
	{
		Rule: RuleShape, Severity: safetensors.Invalid,
		Summary: "Dimensions, their product and the size in bytes are below 2^63.",
		Source:  loader, Reference: "refuses it",
		Fix: again,
	},
	{
		Rule: RuleTensorType, Severity: safetensors.Invalid,
		Summary: "The type of a tensor is one of ggml's. Other types are listed but not decoded.",
		Source:  loader, Reference: "refuses it",
		Fix: "Read the file with the program that wrote it: forks of llama.cpp have types of their own.",
	},
	{
		Rule: RuleBlock, Severity: safetensors.Invalid,
		Summary: "The first dimension of a tensor is a multiple of the block of its type.",
		Source:  loader, Reference: "refuses it",
		Fix: "Quantize the tensor to a type whose block divides its rows, such as Q8_0 (32), or keep it as F16.",
	},
	{
		Rule: RuleOffset, Severity: safetensors.Invalid,
		Summary: "The offset of a tensor is a multiple of the alignment, and below 2^63.",
		Source:  specification, Reference: "refuses it",
		Fix: again,
	},
	{
		Rule: RuleOverlap, Severity: safetensors.Invalid,
		Summary: "No two tensors have bytes in common.",
		Source:  "the definition", Reference: "refuses it",
		Fix: again,
	},
	{
		Rule: RuleOrder, Severity: safetensors.Warning,
		Summary: "Tensors are listed in the order of their data. The specification does not ask for it.",
		Source:  loader, Reference: "refuses it",
		Fix: "Write the tensors in the order in which they are listed: llama.cpp does not load the file.",
	},
	{
		Rule: RuleHole, Severity: safetensors.Warning,
		Summary: "A tensor begins where the one before it ends, after padding. The specification does " +
			"not ask for it.",
		Source: loader, Reference: "refuses it",
		Fix: "Write each tensor where the one before it ends, after padding: llama.cpp does not load the file.",
	},
	{
		Rule: RulePadding, Severity: safetensors.Warning,
		Summary: "Padding consists of zeros.",
		Source:  specification, Reference: "does not look at it",
		Fix: "Find out what is in the padding: programs write zeros, and none reads it.",
	},
	{
		Rule: RuleTrailing, Severity: safetensors.Warning,
		Summary: "Nothing follows the last tensor.",
		Source:  "the definition", Reference: "does not look at it",
		Fix: "Find out what follows the tensors: another program may read it.",
	},
	{
		Rule: RuleUnpadded, Severity: safetensors.Warning,
		Summary: "A file with tensors is padded up to its data, even if they have no elements.",
		Source:  loader, Reference: "refuses it",
		Fix: "Pad the file with zeros up to its alignment.",
	},
	{
		Rule: RuleArchitecture, Severity: safetensors.Warning,
		Summary: "general.architecture consists of a-z, 0-9, - and _. Later parts of a split model have none.",
		Source:  specification, Reference: "does not load the model",
		Fix: rewrite + "; general.architecture is the name of an architecture that it knows, such as llama.",
	},
	{
		Rule: RuleArchKind, Severity: safetensors.Invalid,
		Summary: "general.architecture is a string.",
		Source:  specification, Reference: "does not load the model",
		Fix: rewrite + "; general.architecture is a string, such as llama.",
	},
	{
		Rule: RuleFileType, Severity: safetensors.Warning,
		Summary: "general.file_type is defined, and at least one matrix has the type that it names.",
		Source:  specification, Reference: "shows it, and does not compare it",
		Fix: "Trust the types of the tensors, not the file name or general.file_type.",
	},
	{
		Rule: RuleQuantVersion, Severity: safetensors.Warning,
		Summary: "A model with quantized tensors has general.quantization_version.",
		Source:  specification, Reference: "does not look at it",
		Fix: "Quantize the model again with a current llama-quantize, which writes the key; llama.cpp also loads it without.",
	},
	{
		Rule: RuleModelKey, Severity: safetensors.Error,
		Summary: "The keys that every model needs are there.",
		Source:  models, Reference: "does not load the model",
		Fix: rewrite + ": llama.cpp does not load the model without the key.",
	},
	{
		Rule: RuleModelKeyKind, Severity: safetensors.Warning,
		Summary: "The keys that every model needs have the types that llama.cpp expects. The specification prefers u64.",
		Source:  models, Reference: "does not load the model",
		Fix: "Write the key as a u32: llama.cpp does not load the model.",
	},
	{
		Rule: RuleModelTensor, Severity: safetensors.Error,
		Summary: "A model of the architecture llama, qwen2 or qwen3 has the tensors that its keys describe.",
		Source:  models, Reference: "does not load the model",
		Fix: rewrite + ": llama.cpp does not load the model. The checkpoint may lack the tensor, too.",
	},
	{
		Rule: RuleTokenizer, Severity: safetensors.Invalid,
		Summary: "The lists of the tokenizer fit each other and the embedding, and no token occurs twice.",
		Source:  vocab, Reference: "does not load the model, or aborts",
		Fix: rewrite + ", with the tokenizer of the checkpoint: llama.cpp does not load the model.",
	},
	{
		Rule: RuleOddTokenizer, Severity: safetensors.Warning,
		Summary: "The model of the tokenizer, the types of tokens and the special tokens are defined.",
		Source:  vocab, Reference: "uses defaults, or does not load the model",
		Fix: rewrite + ", with the tokenizer of the checkpoint: otherwise llama.cpp uses defaults.",
	},
	{
		Rule: RuleTemplate, Severity: safetensors.Warning,
		Summary: "A chat template runs no code, hides nothing, and ends.",
		Source:  "CVE-2024-34359 of llama-cpp-python", Reference: "has a template engine of its own, which runs no Python",
		Fix: "See what the template does: `weigh scan FILE`. Use another template, or a program with a sandbox.",
	},
	{
		Rule: RuleSplit, Severity: safetensors.Invalid,
		Summary: "The parts of a model have the numbers, the number of parts and the number of tensors that their keys say.",
		Source:  splitting, Reference: "does not load the model",
		Fix: "Download the parts again, or split the model again.",
	},
	{
		Rule: RuleOddSplit, Severity: safetensors.Warning,
		Summary: "The name of a part ends in its number, such as -00001-of-00003.gguf, and its keys have the types u16 and i32.",
		Source:  splitting, Reference: "does not find the other parts, or refuses it",
		Fix: "Give the files the names that they had, or split the model again.",
	},
}

// Rules returns the rules of this package, in the order in which a file is read.
func Rules() []safetensors.RuleInfo { return slices.Clone(rules[:]) }
