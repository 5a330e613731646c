// The list of rules, each with the function that gives its vectors.

package gen

// families has every rule about one file. The severities are those of
// docs/rules.md, repeated here by hand: the vectors are to be a second source.
var families = []family{
	{"", "", healthy},

	{"too-short", "invalid", tooShort},
	{"not-safetensors", "invalid", notSafetensors},
	{"header-size", "invalid", headerSize},
	{"utf8", "invalid", utf8Faults},
	{"json", "invalid", jsonFaults},
	{"limit", "invalid", limits},
	{"header-start", "nonconforming", headerStart},
	{"header-padding", "nonconforming", headerPadding},

	{"duplicate-name", "nonconforming", duplicateName},
	{"metadata", "invalid", metadata},
	{"reserved-name", "invalid", reservedName},
	{"member", "invalid", member},
	{"member-form", "nonconforming", memberForm},
	{"unknown-member", "nonconforming", unknownMember},

	{"dtype", "invalid", dtype},
	{"shape", "invalid", shape},
	{"offsets", "invalid", offsets},
	{"overflow", "invalid", overflow},
	{"whole-bytes", "invalid", wholeBytes},
	{"tensor-size", "invalid", tensorSize},

	{"overlap", "invalid", overlap},
	{"hole", "invalid", hole},
	{"truncated", "invalid", truncated},
	{"trailing", "invalid", trailing},

	{"data-alignment", "warning", dataAlignment},
	{"element-alignment", "warning", elementAlignment},
	{"bool-value", "warning", boolValue},
	{"name-control", "warning", nameControl},
	{"metadata-format", "note", metadataFormat},
	{"entry-order", "note", entryOrder},
}
