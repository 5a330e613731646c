// Kinds of zip archives.

package kinds

// An archive is a kind of archive, recognized by the names of its members.
type archive struct {
	format string
	is     func(names map[string]bool) bool
}

// archives are the known kinds.
var archives = [...]archive{
	{"torchscript", func(names map[string]bool) bool {
		return names["constants.pkl"] && names["data.pkl"] || names["code/"] && names["data.pkl"]
	}},
	{"torch-package", func(names map[string]bool) bool {
		return names[".data/extern_modules"] || names[".data/python_version"]
	}},
	{"pytorch-zip", func(names map[string]bool) bool { return names["data.pkl"] }},
	{"keras", func(names map[string]bool) bool {
		return names["config.json"] && (names["metadata.json"] || names["model.weights.h5"])
	}},
	{"skops", func(names map[string]bool) bool { return names["schema.json"] && !names["data.pkl"] }},
	{"torchserve-mar", func(names map[string]bool) bool {
		return names["mar-inf/manifest.json"] || names["manifest.json"] && names["mar-inf/"]
	}},
	{"torch-export", func(names map[string]bool) bool { return names["archive_format"] && names["models/"] }},
	{"npz", func(names map[string]bool) bool { return names["*.npy"] }},
}

// Of returns the kind of an archive with members of the given names, "" if it is unknown. Names are
// in lower case and relative to the archive's folder; "*.npy" says that all members are arrays.
func Of(names map[string]bool) string {
	for i := range archives {
		if archives[i].is(names) {
			return archives[i].format
		}
	}
	return ""
}
