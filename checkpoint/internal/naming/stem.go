// The parts of a file name: folder, stem, variant and extension.

// Package naming takes the names of weight files and indexes apart.
package naming

import (
	"path"
	"slices"
	"strings"
)

// WeightsSuffix is the extension of safetensors files.
const WeightsSuffix = ".safetensors"

// IsIndex reports whether a path is the name of an index of safetensors files.
func IsIndex(name string) bool {
	_, ext, ok := CutIndex(path.Base(name))
	return ok && ext == WeightsSuffix
}

// CutIndex returns the stem of an index's base name, the extension of the shards that the
// name implies, and whether it is the name of an index. A variant is before the end, as in
// model.safetensors.index.fp16.json; in the stem it is where names of shards have it.
func CutIndex(base string) (stem, ext string, ok bool) {
	stem, rest, ok := CutLast(base, ".index.")
	variant, isJSON := strings.CutSuffix("."+rest, ".json")
	ext = path.Ext(stem)
	return strings.TrimSuffix(stem, ext) + variant, ext, ok && isJSON && ext != ""
}

// Stem returns the name of an index or a shard without folder, number and extension, but
// with its variant: "model.fp16" for "model.fp16-00001-of-00002.safetensors" and for
// "model-00001-of-00002.fp16.safetensors".
func Stem(name string) string {
	base := path.Base(name)
	if stem, _, ok := CutIndex(base); ok {
		return stem
	}
	if n, _, ok := Numbered(base); ok {
		_, suffix := n.CutTotal()
		base = n.Prefix[:len(n.Prefix)-1] + suffix
	}
	return strings.TrimSuffix(base, path.Ext(base))
}

// CutVariant cuts the variant off a stem: "fp16.non_ema" off "sd-v1.5.fp16.non_ema". Other
// words between dots are part of the name.
func CutVariant(stem string) (base, variant string) {
	base = stem
	for {
		before, last, ok := CutLast(base, ".")
		if !ok || last != "ema" && last != "non_ema" && (last == "" || !IsPrecision(last)) {
			return base, strings.TrimPrefix(stem[len(base):], ".")
		}
		base = before
	}
}

// IsPrecision reports whether a variant is a precision, such as "fp16", "int8" and
// "fp8_e4m3fn", or "", which is the original precision of the model.
func IsPrecision(variant string) bool {
	digits := strings.IndexAny(variant, "0123456789")
	if digits < 0 {
		return variant == ""
	}
	if strings.Contains(variant, ".") {
		return false // it has another part
	}
	after := strings.TrimLeft(variant[digits:], "0123456789")
	kind, bits := strings.ToLower(variant[:digits]), variant[digits:len(variant)-len(after)]
	return slices.Contains([]string{"f", "fp", "float", "bf", "bfloat", "int", "nf"}, kind) &&
		slices.Contains([]string{"4", "8", "16", "32", "64"}, bits)
}

// Folder returns the folder of a path, "" for the root of the store.
func Folder(p string) string {
	if dir := path.Dir(p); dir != "." {
		return dir
	}
	return ""
}

// CutFolder returns the rest of a name after a folder, and whether it is below the folder.
func CutFolder(name, folder string) (string, bool) {
	if folder == "" {
		return name, true
	}
	return strings.CutPrefix(name, folder+"/")
}

// CutLast is strings.Cut at the last sep.
func CutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
