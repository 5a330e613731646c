// An example of each rule, broken.

package render

import "github.com/weightools/safetensors"

// examples are what a file has in it, or is, that breaks a rule.
var examples = map[safetensors.Rule]string{
	safetensors.RuleTooShort:         `an empty file, as an interrupted download leaves`,
	safetensors.RuleNotSafetensors:   `a text of 134 bytes that begins with "version https://git-lfs.github.com/spec/v1"`,
	safetensors.RuleHeaderSize:       `the first eight bytes ff ff ff ff ff ff ff 7f: a header of 9,223,372,036,854,775,807 bytes`,
	safetensors.RuleUTF8:             `the byte ff within a name`,
	safetensors.RuleJSON:             `{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},}: a comma too many`,
	safetensors.RuleLimit:            `a header of two million tensors, for a caller who allows one million`,
	safetensors.RuleHeaderStart:      `a space before the header's {`,
	safetensors.RuleHeaderPadding:    `a line end after the header's }`,
	safetensors.RuleDuplicateName:    `{"w":{…},"\u0077":{…}}: both are w`,
	safetensors.RuleMetadata:         `"__metadata__":{"epoch":3}: a number; "3" is meant`,
	safetensors.RuleReservedName:     `"__metadata__":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`,
	safetensors.RuleMember:           `"w":{"dtype":"F32","shape":[2]}: without data_offsets`,
	safetensors.RuleMemberForm:       `"w":["F32",[2],[0,8]]`,
	safetensors.RuleUnknownMember:    `"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"device":"cuda"}`,
	safetensors.RuleDtype:            `"dtype":"float32": F32 is meant`,
	safetensors.RuleShape:            `"shape":[2.0], "shape":[-1] or "shape":null`,
	safetensors.RuleOffsets:          `"data_offsets":[8,0]`,
	safetensors.RuleOverflow:         `"shape":[4294967296,4294967296]: 2^64 elements`,
	safetensors.RuleWholeBytes:       `"dtype":"F4","shape":[3]: twelve bits`,
	safetensors.RuleTensorSize:       `"dtype":"F32","shape":[2],"data_offsets":[0,4]: two F32 take 8 bytes`,
	safetensors.RuleOverlap:          `"a" at [0,16] and "b" at [8,24]: bytes 8 to 16 are in both`,
	safetensors.RuleHole:             `"a" at [0,8] and "b" at [16,24]: bytes 8 to 16 are in neither`,
	safetensors.RuleTruncated:        `a file of 5,000,000,000 bytes whose last tensor ends at 5,301,000,000`,
	safetensors.RuleTrailing:         `a file with 512 bytes after its last tensor`,
	safetensors.RuleDataAlignment:    `a header of N = 879 bytes: the data begins at 887`,
	safetensors.RuleElementAlignment: `a tensor of F32 that begins at byte 1,021 of the file`,
	safetensors.RuleBoolValue:        `a byte of 255 in a tensor of BOOL`,
	safetensors.RuleNameControl:      `a tensor called "\u001b[2J", which clears a terminal, or "../../etc/passwd"`,
	safetensors.RuleMetadataFormat:   `"__metadata__":{}`,
	safetensors.RuleEntryOrder:       `{"b":{…"data_offsets":[8,16]},"a":{…"data_offsets":[0,8]}}`,

	safetensors.RuleIndexJSON:       `a model.safetensors.index.json without "weight_map"`,
	safetensors.RuleIndexPath:       `"weight_map":{"w":"../other/model.safetensors"}`,
	safetensors.RuleShardMissing:    `an index that names model-00002-of-00003.safetensors, in a folder without it`,
	safetensors.RuleShardExtra:      `model-00004-of-00003.safetensors, left over from an upload before`,
	safetensors.RuleTensorMissing:   `"weight_map":{"w":"model-00001-of-00002.safetensors"}, and no shard has a tensor w`,
	safetensors.RuleTensorMisplaced: `"weight_map":{"w":"model-00001-of-00002.safetensors"}, and w is in the second shard`,
	safetensors.RuleTensorUnlisted:  `a shard has a tensor w that is not in "weight_map"`,
	safetensors.RuleTensorConflict:  `both shards have a tensor w, with different bytes`,
	safetensors.RuleTensorTwice:     `both shards have a tensor w, with the same bytes`,
	safetensors.RuleTotalSize:       `"metadata":{"total_size":148608}: the number of elements, where that of bytes is due`,
	safetensors.RuleTwoCopies:       `model-00001-of-00004.safetensors and the rest of its set beside consolidated.safetensors`,
}
