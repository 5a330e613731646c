// Kinds of zip archives.

package kinds

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/npy"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/promise"
)

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

// OfZip returns the kind of an archive, "" if it is unknown, and the folder in it that has the members of that kind,
// with a slash.
func OfZip(a *zipwalk.Archive) (kind, folder string) {
	for _, folder := range []string{a.Root() + "/", ""} {
		names := make(map[string]bool)
		arrays := len(a.Members) > 0
		for i := range a.Members {
			name, ok := strings.CutPrefix(a.Members[i].Name, folder)
			if folder == "/" || !ok {
				arrays = false
				continue
			}
			name = strings.ToLower(name)
			names[name] = true
			if top, _, ok := strings.Cut(name, "/"); ok {
				names[top+"/"] = true
			}
			arrays = arrays && isArray(name, a.Members[i].Views)
		}
		names["*.npy"] = arrays
		if kind := of(names); kind != "" {
			return kind, folder
		}
	}
	return "", ""
}

// isArray reports whether a member is a NumPy array, by its name or its first bytes.
func isArray(name string, views []zipwalk.View) bool {
	return promise.Extension(name) == ".npy" || len(views) > 0 && strings.HasPrefix(string(views[0].Head), npy.Magic)
}

// of returns the kind of an archive with members of the given names, "" if it is unknown. Names are
// in lower case and relative to the archive's folder; "*.npy" says that all members are arrays.
func of(names map[string]bool) string {
	for i := range archives {
		if archives[i].is(names) {
			return archives[i].format
		}
	}
	return ""
}
