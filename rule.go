// Rules: the one table of the laws of a file.

package safetensors

import "iter"

// A Rule is one law of the format, by name. Every way in which a file can be
// wrong is one Rule, and has one.
//
// A Rule is an error, so that it can be looked for:
//
//	if errors.Is(err, safetensors.RuleOverlap) {
type Rule string

// A Severity says what follows from breaking a Rule.
type Severity int

// The severities, in ascending order.
const (
	Note          Severity = iota // readers agree on what the file means; it could be tidier
	Warning                       // readers in use disagree, or it costs them
	Nonconforming                 // the specification forbids it; the reference implementation reads it
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

// A law is what the table says of a Rule. The clause is where the law comes
// from: "Format" and "Notes" are the sections of the README of the reference
// implementation, the crate safetensors, which is the format's specification.
type law struct {
	rule      Rule
	severity  Severity
	text      string // the law, as a sentence
	clause    string // where it stands
	reference string // what the reference implementation, 0.8.0, does
	fix       string // what to do about a file that breaks it
}

var laws = [...]law{
	{RuleTooShort, Invalid, "A file has at least 8 bytes.",
		"Format: 8 bytes N", "HeaderTooSmall",
		"Fetch the file again: it is empty or was cut off."},
	{RuleNotSafetensors, Invalid, "A file is a safetensors file, and not one of another format under its name.",
		"Format", "HeaderTooLarge as a rule",
		"Fetch what was meant, or unpack it, or convert it: `weigh convert` writes checkpoints of PyTorch (.bin, .pt) and archives of NumPy (.npz) as safetensors."},
	{RuleHeaderSize, Invalid, "N, the header's size, is at most 100,000,000, and at most the file's size less 8.",
		"Notes: a limit on the size of the header", "HeaderTooLarge, then InvalidHeaderLength",
		"Fetch the file again: it is cut off, or it is no safetensors file."},
	{RuleUTF8, Invalid, "The header, with its padding, is strict UTF-8.",
		"Format: a JSON UTF-8 string", "InvalidHeader",
		"Write the file again from its source."},
	{RuleJSON, Invalid, "The header is one JSON object in strict grammar, nested at most 127 deep, with only white space around it.",
		"Format: a JSON UTF-8 string", "InvalidHeaderDeserialization",
		"Write the file again from its source."},
	{RuleLimit, Invalid, "A header keeps to the limits on tensors, rank and metadata that the caller has set, and an index to those on its size and shards.",
		"none: a limit is the caller's", "accepted",
		"Raise the limit if the file is trusted."},
	{RuleHeaderStart, Nonconforming, "The header begins with '{'.",
		"Format: the header data MUST begin with a { character", "accepted: white space may come first",
		"Write the file again, with the header's object first."},
	{RuleHeaderPadding, Nonconforming, "After its object, the header holds spaces (0x20) alone.",
		"Format: the header data MAY be trailing padded with whitespace (0x20)", "accepted: tabs and line ends too",
		"Write the file again, padded with spaces."},
	{RuleDuplicateName, Nonconforming, "No two members of an object in the header have one name, once unescaped.",
		"Notes: duplicate keys are disallowed", "accepted: the last one wins",
		"Find out which of the two is meant, and write the file again with it alone."},
	{RuleMetadata, Invalid, "__metadata__ stands once at most, and maps strings to strings.",
		"Format: a free form text-to-text map. Arbitrary JSON is not allowed, all values must be strings", "InvalidHeaderDeserialization",
		"Encode the values as strings."},
	{RuleReservedName, Invalid, "No tensor is called __metadata__.",
		"Format: special key __metadata__", "written, and then not read",
		"Rename the tensor."},
	{RuleMember, Invalid, "An entry is an object with dtype, shape and data_offsets, each once.",
		"Format", "InvalidHeaderDeserialization",
		"Write the file again from its source."},
	{RuleMemberForm, Nonconforming, "An entry is an object and its dtype a string, not [dtype, shape, offsets] or {\"I32\":null}.",
		"Format", "accepted: a quirk of its parser",
		"Write the file again in the plain form."},
	{RuleUnknownMember, Nonconforming, "An entry has no member but dtype, shape and data_offsets.",
		"Format", "ignored, if well-formed",
		"Move what it says to __metadata__."},
	{RuleDtype, Invalid, "The dtype is one of the 22 that the format has.",
		"Format: {\"dtype\": \"F16\", ...}", "InvalidHeaderDeserialization",
		"Write the tensor in a dtype of the format, spelled as the format spells it."},
	{RuleShape, Invalid, "The shape is an array of integers from 0 to 2^64-1, without sign, fraction or exponent.",
		"Format: \"shape\": [1, 16, 256]", "InvalidHeaderDeserialization",
		"Write the file again from its source."},
	{RuleOffsets, Invalid, "data_offsets are two integers from 0 to 2^64-1, BEGIN and END, and BEGIN is not past END.",
		"Format: \"data_offsets\": [BEGIN, END]", "InvalidHeaderDeserialization, or InvalidOffset",
		"Write the file again from its source."},
	{RuleOverflow, Invalid, "The number of elements, and of their bits, fits 64 bits.",
		"none: the reference's arithmetic", "ValidationOverflow",
		"Do not trust the file: no honest writer makes such a shape."},
	{RuleWholeBytes, Invalid, "A tensor of 4- or 6-bit elements fills whole bytes.",
		"none: the reference's check", "MisalignedSlice",
		"Pad the tensor's last dimension."},
	{RuleTensorSize, Invalid, "END - BEGIN is the size that dtype and shape make.",
		"Format", "TensorInvalidInfo",
		"Write the file again from its source."},
	{RuleOverlap, Invalid, "No byte of the data belongs to two tensors.",
		"Notes: the byte buffer needs to be entirely indexed, and cannot contain holes", "InvalidOffset",
		"Do not trust the file: write it again from its source."},
	{RuleHole, Invalid, "Every byte of the data before the last tensor's end belongs to a tensor.",
		"Notes: the byte buffer needs to be entirely indexed, and cannot contain holes", "InvalidOffset",
		"Write the file again, packed."},
	{RuleTruncated, Invalid, "A file does not end before its last tensor does.",
		"Format", "MetadataIncompleteBuffer",
		"Fetch the file again: it is cut off."},
	{RuleTrailing, Invalid, "A file does not go on after its last tensor.",
		"Notes: the byte buffer needs to be entirely indexed", "MetadataIncompleteBuffer",
		"Cut the bytes off if they are known to mean nothing; otherwise fetch the file again."},
	{RuleDataAlignment, Warning, "The data begins at a multiple of 8.",
		"none: what the reference writes", "accepted",
		"Write the file again with the header padded to a multiple of 8."},
	{RuleElementAlignment, Warning, "A tensor begins at a multiple of its element's size.",
		"none: a loader that maps the file has to copy such a tensor", "accepted",
		"Write the file again in canonical order: wide dtypes first, the header padded to a multiple of 8."},
	{RuleBoolValue, Warning, "A BOOL is a byte of 0 or 1.",
		"none: other values are undefined behaviour in C and Rust", "accepted",
		"Write the tensor again from its source."},
	{RuleNameControl, Warning, "Names are free of control characters, those that turn the direction of text among them, and of \"..\" as a path segment.",
		"none: names end up on terminals and in paths", "accepted",
		"Rename the tensor."},
	{RuleMetadataFormat, Note, "__metadata__ has the key \"format\".",
		"none: some loaders fail without it", "accepted",
		"Set format to \"pt\", or to what the file was written from."},
	{RuleEntryOrder, Note, "The header lists tensors in the order of their data.",
		"none: the reference reads it in any order", "accepted",
		"Nothing has to be done; a rewrite puts them in order."},
}

// tables are all laws, in the order of Rules.
var tables = [...][]law{laws[:], setLaws[:], repositoryLaws[:]}

// Rules yields every rule, in the order in which bytes are read: those about
// one file, then those about a set of files, and then those about a repository.
func Rules() iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for _, table := range tables {
			for i := range table {
				if !yield(table[i].rule) {
					return
				}
			}
		}
	}
}

// law returns what the table says of r. Of a rule that is not in it, every file
// that breaks it is invalid.
func (r Rule) law() law {
	for _, table := range tables {
		for i := range table {
			if table[i].rule == r {
				return table[i]
			}
		}
	}
	return law{rule: r, severity: Invalid}
}

// Error returns "rule " and r's name.
func (r Rule) Error() string { return "rule " + string(r) }

// Severity says what follows from breaking r.
func (r Rule) Severity() Severity { return r.law().severity }

// Text returns what r says, as a sentence.
func (r Rule) Text() string { return r.law().text }

// Clause returns where r comes from: the section of the specification, or
// "none" and the reason.
func (r Rule) Clause() string { return r.law().clause }

// Reference returns what the reference implementation does about a file that
// breaks r: the name of its error, or "accepted".
func (r Rule) Reference() string { return r.law().reference }

// Fix returns what to do about a file that breaks r.
func (r Rule) Fix() string { return r.law().fix }
