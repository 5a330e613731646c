// Paths: dangerous names, and what unfinished downloads leave.

package check

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors"
)

// weightsSuffix is the end of the names of safetensors files.
const weightsSuffix = ".safetensors"

// judgePaths judges the names of all listed files.
func (f *folder) judgePaths() {
	folded := make(map[string]string) // the names of weights and configurations, by their lower case
	for _, file := range f.names {
		f.judgeUnfinished(file)
		below := f.below(file)
		if strings.HasPrefix(below, ".") || strings.Contains(below, "/.") {
			continue // loaders ignore hidden files
		}
		isWeights := strings.HasSuffix(file, weightsSuffix)
		if fault := pathFault(below, isWeights); fault != "" {
			f.found(file).Add(RulePathUnsafe, "", safetensors.Span{}, "the path %s contains %s", quote(file), fault)
		}
		if !isWeights && path.Ext(file) != ".json" {
			continue
		}
		lower := strings.ToLower(file)
		if other, ok := folded[lower]; ok {
			f.found(file).Add(RulePathCollision, "", safetensors.Span{},
				"%s and %s differ only in case: on Windows and macOS, one overwrites the other", quote(other), quote(file))
		}
		folded[lower] = file
	}
}

// pathFault returns what is dangerous about a path, or "". Colons and backslashes are allowed in names on
// most systems, but weights with such a name cannot be opened on Windows.
func pathFault(name string, isWeights bool) string {
	hazard := func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) }
	if i := strings.IndexFunc(name, hazard); i >= 0 {
		c, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Sprintf("the control character %+q", c)
	}
	if i := strings.IndexAny(name, `\:`); i >= 0 && isWeights {
		return fmt.Sprintf("%q, which is not allowed in names on Windows", name[i])
	}
	return ""
}

// unfinished are the suffixes that programs append to the names of unfinished downloads: huggingface_hub,
// aria2, browsers and others.
var unfinished = []string{".incomplete", ".aria2", ".part", ".partial", ".crdownload", ".download", ".!qB", ".tmp"}

// judgeUnfinished reports an unfinished download of weights, by its name or because it is where
// huggingface_hub stores them.
func (f *folder) judgeUnfinished(file string) {
	end := slices.IndexFunc(unfinished, func(end string) bool { return strings.HasSuffix(file, end) })
	if end < 0 {
		return
	}
	complete := strings.TrimSuffix(file, unfinished[end])
	isHub := end == 0 && (path.Base(path.Dir(file)) == "blobs" || strings.Contains(file, ".cache/huggingface/download/"))
	if !isHub && !strings.Contains(path.Base(file), weightsSuffix) {
		return
	}
	also := ""
	if f.has(complete) {
		also = "; the complete file also exists"
	}
	f.found(file).Add(RuleDownloadUnfinished, "", safetensors.Span{}, "%s has %s of an unfinished download%s",
		quote(file), count(f.sizes[file], "byte"), also)
}
