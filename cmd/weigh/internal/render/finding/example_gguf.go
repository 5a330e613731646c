// Examples of broken rules about GGUF files.

package finding

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/gguf"
)

// ggufExamples describes, for each rule of package gguf, a file that breaks it.
var ggufExamples = map[safetensors.Rule]string{
	gguf.RuleMagic:        `a file called model.gguf that begins with "gguf"`,
	gguf.RuleVersion:      `a file of 2023 with version 1`,
	gguf.RuleCounts:       `a file of 200 bytes that claims 4,294,967,296 tensors`,
	gguf.RuleTruncated:    `a download that stopped in the middle of the tensors`,
	gguf.RuleStringLength: `a key of 2^63 bytes`,
	gguf.RuleKeyText:      `a key with the byte ff`,
	gguf.RuleKeyName:      `the key "General.Name"`,
	gguf.RuleDuplicateKey: `general.architecture twice: once "llama", once "qwen2"`,
	gguf.RuleValueType:    `a value of type 13`,
	gguf.RuleNestedArray:  `an array of arrays of tokens`,
	gguf.RuleNesting:      `an array in an array, 660 times`,
	gguf.RuleArrayLength:  `an array of 2^60 numbers in a file of 200 bytes`,
	gguf.RuleBool:         `a bool that is 2`,
	gguf.RuleUTF8:         `a general.name with the byte ff`,
	gguf.RuleAlignment:    `general.alignment 3`,
	gguf.RuleOddAlignment: `general.alignment 4`,
	gguf.RuleTensorName:   `a tensor with a name of 64 bytes: llama.cpp needs one for a NUL`,
	gguf.RuleOddName:      `a tensor called "../blk.0.attn_q.weight"`,
	gguf.RuleDuplicate:    `two tensors called blk.0.attn_q.weight`,
	gguf.RuleRank:         `a tensor with 5 dimensions`,
	gguf.RuleShape:        `a tensor of 2^62 times 4 elements`,
	gguf.RuleTensorType:   `a tensor of type 137, which ik_llama.cpp calls IQ2_K`,
	gguf.RuleBlock:        `a tensor of Q4_K with rows of 100 elements: a block has 256`,
	gguf.RuleOffset:       `a tensor that begins at offset 33, with an alignment of 32`,
	gguf.RuleOverlap:      `two tensors with the same offset`,
	gguf.RuleOrder:        `blk.1 before blk.0 in the list, and after it in the data`,
	gguf.RuleHole:         `4,096 bytes between two tensors`,
	gguf.RulePadding:      `a text in the padding before the data`,
	gguf.RuleTrailing:     `a zip archive after the last tensor`,
	gguf.RuleUnpadded:     `a file that ends before its data would begin, with a tensor of shape [0]`,
	gguf.RuleArchitecture: `general.architecture "../llama"`,
	gguf.RuleArchKind:     `general.architecture 7`,
	gguf.RuleFileType:     `general.file_type Q8_0, and all matrices are Q4_0`,
	gguf.RuleQuantVersion: `matrices of Q4_K, without general.quantization_version`,
	gguf.RuleModelKey:     `general.architecture "llama", without llama.block_count`,
	gguf.RuleModelKeyKind: `llama.block_count as a u64`,
	gguf.RuleTemplate:     `a chat template with cycler.__init__.__globals__`,
	gguf.RuleModelTensor:  `llama.block_count 32, without blk.31.attn_q.weight`,
	gguf.RuleTokenizer:    `32,000 tokens, and 31,999 scores`,
	gguf.RuleSplit:        `the second of three parts says split.no 2: it is 1, counted from 0`,
	gguf.RuleOddSplit:     `the parts of a model are called a.gguf, b.gguf and c.gguf`,
	gguf.RuleOddTokenizer: `tokenizer.ggml.bos_token_id 32000, and 32,000 tokens`,
}
