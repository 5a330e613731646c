// Paths: dangerous names, and what unfinished downloads leave.

package tree

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/internal/wording"
)

// weightsSuffix is the end of the names of safetensors files.
const weightsSuffix = ".safetensors"

// JudgePaths judges the names of all listed files.
func (f *Tree) JudgePaths() {
	folded := make(map[string]string) // the names of weights and configurations, by their lower case
	for _, file := range f.Names {
		f.judgeUnfinished(file)
		below := f.Below(file)
		if strings.HasPrefix(below, ".") || strings.Contains(below, "/.") {
			continue // loaders ignore hidden files
		}
		isWeights := strings.HasSuffix(file, weightsSuffix)
		if fault := pathFault(below, isWeights); fault != "" {
			f.Found(file).Add(rule.PathUnsafe, "", safetensors.Span{}, "the path %s contains %s", wording.Quote(file), fault)
		}
		if !isWeights && path.Ext(file) != ".json" {
			continue
		}
		lower := strings.ToLower(file)
		if other, ok := folded[lower]; ok {
			f.Found(file).Add(rule.PathCollision, "", safetensors.Span{},
				"%s and %s differ only in case: on Windows and macOS, one overwrites the other",
				wording.Quote(other), wording.Quote(file))
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
func (f *Tree) judgeUnfinished(file string) {
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
	if f.Has(complete) {
		also = "; the complete file also exists"
	}
	f.Found(file).Add(rule.DownloadUnfinished, "", safetensors.Span{}, "%s has %s of an unfinished download%s",
		wording.Quote(file), wording.Count(f.Sizes[file], "byte"), also)
}
