// The rules about one file.

package safetensors

import "slices"

// A Rule names one requirement that files must meet. Every violation breaks
// exactly one. This package has the rules about one file; other packages add
// their own, so a Rule may be one that this package does not know.
//
// A Rule is an error, for use with errors.Is:
//
//	if errors.Is(err, safetensors.RuleOverlap) {
type Rule string

// A Severity says how serious a violation is.
type Severity int

// The severities, in ascending order.
const (
	Note          Severity = iota // readers agree on what the file means; it could be tidier
	Warning                       // some readers disagree about it, or load it slowly
	Nonconforming                 // the specification forbids it; the reference implementation reads it
	Error                         // the file is valid, but its weights are damaged or cannot be used
	Invalid                       // no conforming reader accepts it
)

// String returns the severity's name in lower case.
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	case Nonconforming:
		return "nonconforming"
	case Error:
		return "error"
	}
	return "invalid"
}

// The rules about one file, in the order in which bytes are read.
const (
	RuleTooShort         Rule = "too-short"
	RuleNotSafetensors   Rule = "not-safetensors"
	RuleHeaderSize       Rule = "header-size"
	RuleUTF8             Rule = "utf8"
	RuleJSON             Rule = "json"
	RuleLimit            Rule = "limit"
	RuleHeaderStart      Rule = "header-start"
	RuleHeaderPadding    Rule = "header-padding"
	RuleDuplicateName    Rule = "duplicate-name"
	RuleMetadata         Rule = "metadata"
	RuleReservedName     Rule = "reserved-name"
	RuleMember           Rule = "member"
	RuleMemberForm       Rule = "member-form"
	RuleUnknownMember    Rule = "unknown-member"
	RuleDtype            Rule = "dtype"
	RuleShape            Rule = "shape"
	RuleOffsets          Rule = "offsets"
	RuleOverflow         Rule = "overflow"
	RuleWholeBytes       Rule = "whole-bytes"
	RuleTensorSize       Rule = "tensor-size"
	RuleOverlap          Rule = "overlap"
	RuleHole             Rule = "hole"
	RuleTruncated        Rule = "truncated"
	RuleTrailing         Rule = "trailing"
	RuleDataAlignment    Rule = "data-alignment"
	RuleElementAlignment Rule = "element-alignment"
	RuleBoolValue        Rule = "bool-value"
	RuleNameControl      Rule = "name-control"
	RuleMetadataFormat   Rule = "metadata-format"
	RuleEntryOrder       Rule = "entry-order"
)

// A RuleInfo describes a [Rule].
type RuleInfo struct {
	Rule     Rule
	Severity Severity

	// Summary says in one sentence what the rule demands.
	Summary string

	// Source says where the rule comes from: a section of the README of the
	// reference implementation, the crate safetensors, which is the format's
	// specification; or "none: " and the reason for the rule.
	Source string

	// Reference is what the reference implementation, version 0.8.0, does with a
	// file that breaks the rule: the name of its error, or "accepted".
	Reference string

	// Fix says in one sentence what to do about a file that breaks the rule.
	Fix string
}

var rules = [...]RuleInfo{
	{
		Rule: RuleTooShort, Severity: Invalid,
		Summary: "A file has at least 8 bytes.",
		Source:  "Format: 8 bytes N", Reference: "HeaderTooSmall",
		Fix: "Download the file again: it is empty or truncated.",
	},
	{
		Rule: RuleNotSafetensors, Severity: Invalid,
		Summary: "The file is a safetensors file, not a file of another format under its name.",
		Source:  "Format", Reference: "usually HeaderTooLarge",
		Fix: "Convert, decompress or download the file, depending on what it is; `weigh check FILE` says which.",
	},
	{
		Rule: RuleHeaderSize, Severity: Invalid,
		Summary: "The header length N is at most 100,000,000 and at most the file size minus 8.",
		Source:  "Notes: a limit on the size of the header", Reference: "HeaderTooLarge, then InvalidHeaderLength",
		Fix: "Download the file again: it is truncated, or not a safetensors file.",
	},
	{
		Rule: RuleUTF8, Severity: Invalid,
		Summary: "The header, including its padding, is valid UTF-8.",
		Source:  "Format: a JSON UTF-8 string", Reference: "InvalidHeader",
		Fix: "Write the file again from its source.",
	},
	{
		Rule: RuleJSON, Severity: Invalid,
		Summary: "The header is one valid JSON object, nested at most 127 levels deep, with only white space " +
			"around it.",
		Source: "Format: a JSON UTF-8 string", Reference: "InvalidHeaderDeserialization",
		Fix: "Write the file again from its source.",
	},
	{
		Rule: RuleLimit, Severity: Invalid,
		Summary: "A header stays within the caller's limits on tensors, rank and metadata, an index within " +
			"those on its size and shards, and a file of another format within those on its values.",
		Source: "none: the caller or the reader sets the limits", Reference: "accepted",
		Fix: "Raise the limit if you trust the file.",
	},
	{
		Rule: RuleHeaderStart, Severity: Nonconforming,
		Summary:   "The header begins with '{'.",
		Source:    "Format: the header data MUST begin with a { character",
		Reference: "accepted: white space may precede it",
		Fix:       "Write the header again: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: RuleHeaderPadding, Severity: Nonconforming,
		Summary:   "After its object, the header has only spaces (0x20).",
		Source:    "Format: the header data MAY be trailing padded with whitespace (0x20)",
		Reference: "accepted: tabs and line breaks too",
		Fix:       "Write the header again, padded with spaces: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: RuleDuplicateName, Severity: Nonconforming,
		Summary: "No two members of an object in the header have the same name, after unescaping.",
		Source:  "Notes: duplicate keys are disallowed", Reference: "accepted: the last one wins",
		Fix: "`weigh edit --in-place --fix FILE` keeps one if both have the same bytes; " +
			"otherwise find out which of the two is right.",
	},
	{
		Rule: RuleMetadata, Severity: Invalid,
		Summary:   "__metadata__ occurs at most once, and maps strings to strings.",
		Source:    "Format: a free form text-to-text map. Arbitrary JSON is not allowed, all values must be strings",
		Reference: "InvalidHeaderDeserialization",
		Fix:       "Encode the values as strings.",
	},
	{
		Rule: RuleReservedName, Severity: Invalid,
		Summary: "No tensor is called __metadata__.",
		Source:  "Format: special key __metadata__", Reference: "written, but not read",
		Fix: "Rename the tensor.",
	},
	{
		Rule: RuleMember, Severity: Invalid,
		Summary: "An entry is an object with dtype, shape and data_offsets, each exactly once.",
		Source:  "Format", Reference: "InvalidHeaderDeserialization",
		Fix: "Write the file again from its source.",
	},
	{
		Rule: RuleMemberForm, Severity: Nonconforming,
		Summary: "An entry is an object and its dtype a string, not [dtype, shape, offsets] or {\"I32\":null}.",
		Source:  "Format", Reference: "accepted: a quirk of its parser",
		Fix: "Write the header again in the standard form: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: RuleUnknownMember, Severity: Nonconforming,
		Summary: "An entry has no members other than dtype, shape and data_offsets.",
		Source:  "Format", Reference: "ignored if well-formed",
		Fix: "Remove the members: `weigh edit --in-place --fix FILE`. If they are needed, move them to __metadata__ first.",
	},
	{
		Rule: RuleDtype, Severity: Invalid,
		Summary: "The dtype is one of the 22 of the format.",
		Source:  "Format: {\"dtype\": \"F16\", ...}", Reference: "InvalidHeaderDeserialization",
		Fix: "Write the tensor again with a dtype of the format, in the exact spelling.",
	},
	{
		Rule: RuleShape, Severity: Invalid,
		Summary: "The shape is an array of integers from 0 to 2^64-1, without sign, fraction or exponent.",
		Source:  "Format: \"shape\": [1, 16, 256]", Reference: "InvalidHeaderDeserialization",
		Fix: "Write the file again from its source.",
	},
	{
		Rule: RuleOffsets, Severity: Invalid,
		Summary: "data_offsets are two integers from 0 to 2^64-1, BEGIN and END, and BEGIN is at most END.",
		Source:  "Format: \"data_offsets\": [BEGIN, END]", Reference: "InvalidHeaderDeserialization, or InvalidOffset",
		Fix: "Write the file again from its source.",
	},
	{
		Rule: RuleOverflow, Severity: Invalid,
		Summary: "The number of elements, and the number of their bits, fit 64 bits.",
		Source:  "none: the reference implementation's arithmetic", Reference: "ValidationOverflow",
		Fix: "Do not trust the file: no real writer produces such a shape.",
	},
	{
		Rule: RuleWholeBytes, Severity: Invalid,
		Summary: "A tensor of 4-bit or 6-bit elements fills whole bytes.",
		Source:  "none: the reference implementation's check", Reference: "MisalignedSlice",
		Fix: "Pad the last dimension of the tensor.",
	},
	{
		Rule: RuleTensorSize, Severity: Invalid,
		Summary: "END - BEGIN is the size that dtype and shape require.",
		Source:  "Format", Reference: "TensorInvalidInfo",
		Fix: "Write the file again from its source.",
	},
	{
		Rule: RuleOverlap, Severity: Invalid,
		Summary:   "No byte of the data belongs to two tensors.",
		Source:    "Notes: the byte buffer needs to be entirely indexed, and cannot contain holes",
		Reference: "InvalidOffset",
		Fix:       "Do not trust the file; write it again from its source.",
	},
	{
		Rule: RuleHole, Severity: Invalid,
		Summary:   "Every byte of the data before the end of the last tensor belongs to a tensor.",
		Source:    "Notes: the byte buffer needs to be entirely indexed, and cannot contain holes",
		Reference: "InvalidOffset",
		Fix:       "Write the file again without gaps: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: RuleTruncated, Severity: Invalid,
		Summary: "The file does not end before its last tensor does.",
		Source:  "Format", Reference: "MetadataIncompleteBuffer",
		Fix: "Download the file again: it is truncated.",
	},
	{
		Rule: RuleTrailing, Severity: Invalid,
		Summary: "The file ends where its last tensor ends.",
		Source:  "Notes: the byte buffer needs to be entirely indexed", Reference: "MetadataIncompleteBuffer",
		Fix: "Remove the bytes if you know that they are not needed: `weigh edit --in-place --fix FILE`; " +
			"otherwise download the file again.",
	},
	{
		Rule: RuleDataAlignment, Severity: Warning,
		Summary: "The data begins at a multiple of 8.",
		Source:  "none: the reference implementation writes it so", Reference: "accepted",
		Fix: "Write the file again with a padded header: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: RuleElementAlignment, Severity: Warning,
		Summary: "A tensor begins at a multiple of its element size.",
		Source:  "none: a loader that maps the file has to copy such a tensor", Reference: "accepted",
		Fix: "Write the file again with aligned tensors: `weigh edit --in-place --fix FILE`.",
	},
	{
		Rule: RuleBoolValue, Severity: Warning,
		Summary: "Every BOOL is a byte of 0 or 1.",
		Source:  "none: other values are undefined behavior in C and Rust", Reference: "accepted",
		Fix: "Write the tensor again from its source.",
	},
	{
		Rule: RuleNameControl, Severity: Warning,
		Summary: "Names have no control characters, no characters that change the direction of text, and no " +
			"\"..\" as a path segment.",
		Source: "none: names are printed on terminals and used in paths", Reference: "accepted",
		Fix: "Rename the tensor.",
	},
	{
		Rule: RuleMetadataFormat, Severity: Note,
		Summary: "__metadata__ has the key \"format\".",
		Source:  "none: some loaders fail without it", Reference: "accepted",
		Fix: "Set format to \"pt\": `weigh edit --in-place --fix FILE`. For another framework, set its name.",
	},
	{
		Rule: RuleEntryOrder, Severity: Note,
		Summary: "The header lists tensors in the order of their data.",
		Source:  "none: the reference implementation reads any order", Reference: "accepted",
		Fix: "No action is needed; `weigh edit --in-place --fix FILE` sorts the entries.",
	},
}

// Rules returns the rules about one file, in the order in which a file is read.
// Packages that judge more than one file have rules of their own.
func Rules() []RuleInfo { return slices.Clone(rules[:]) }

// Error returns "rule " and r's name.
func (r Rule) Error() string { return "rule " + string(r) }

// info describes r, which is one of this package.
func (r Rule) info() *RuleInfo {
	for i := range rules {
		if rules[i].Rule == r {
			return &rules[i]
		}
	}
	return &RuleInfo{Rule: r, Severity: Invalid}
}
