// What lies beside the weights, by its name: other formats, what downloads left, and
// names that are a danger.

package check

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// weightsSuffix is the end of the names of weights.
const weightsSuffix = ".safetensors"

// judgeNames judges the names of all files, as far as they are known.
func (r *repository) judgeNames() {
	folded := make(map[string]string) // names in lower case, of weights and configurations
	for _, file := range r.names {
		r.judgeUnfinished(file)
		below := strings.TrimPrefix(strings.TrimPrefix(file, r.path), "/")
		if strings.HasPrefix(below, ".") || strings.Contains(below, "/.") {
			continue // loaders pass over what is hidden
		}
		isWeights := strings.HasSuffix(file, weightsSuffix)
		if fault := nameFault(below, isWeights); fault != "" {
			r.found(file).Add(RulePathUnsafe, "", safetensors.Span{}, "the path %s has %s", quote(file), fault)
		}
		if !isWeights && path.Ext(file) != ".json" {
			continue
		}
		lower := strings.ToLower(file)
		if other, ok := folded[lower]; ok {
			r.found(file).Add(RulePathCollision, "", safetensors.Span{}, "%s and %s differ in case alone: where that makes no difference, the one overwrites the other",
				quote(other), quote(file))
		}
		folded[lower] = file
	}
	r.judgeFormats()
}

// nameFault returns what is dangerous about a path, or "". A colon and a backslash
// are letters on most systems; but weights with one are not found again on Windows.
func nameFault(name string, isWeights bool) string {
	hazard := func(c rune) bool { return unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) }
	if i := strings.IndexFunc(name, hazard); i >= 0 {
		c, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Sprintf("the control character %+q", c)
	}
	if i := strings.IndexAny(name, `\:`); i >= 0 && isWeights {
		return fmt.Sprintf("a %q, which no path has on Windows but between its elements", name[i])
	}
	return ""
}

// unfinished are the ends of names that programs give to what they are fetching:
// huggingface_hub, aria2, browsers and others.
var unfinished = []string{".incomplete", ".aria2", ".part", ".partial", ".crdownload", ".download", ".!qB", ".tmp"}

// judgeUnfinished reports what is left of a download, if it was of weights: by its
// name, or since it is where huggingface_hub keeps such.
func (r *repository) judgeUnfinished(file string) {
	end := slices.IndexFunc(unfinished, func(end string) bool { return strings.HasSuffix(file, end) })
	if end < 0 {
		return
	}
	whole := strings.TrimSuffix(file, unfinished[end])
	isHub := end == 0 && (path.Base(path.Dir(file)) == "blobs" || strings.Contains(file, ".cache/huggingface/download/"))
	if !isHub && !strings.Contains(path.Base(file), weightsSuffix) {
		return
	}
	also := ""
	if r.has(whole) {
		also = ", and the whole file is there, too"
	}
	r.found(file).Add(RuleDownloadUnfinished, "", safetensors.Span{}, "%s is %s of a download that was not fetched to its end%s",
		quote(file), count(r.sizes[file], "byte"), also)
}

// formats are other formats of weights, by the end of a file's name, and how its
// name begins where the end is that of much else, too.
var formats = []struct {
	end, begin, name string
}{
	{".bin", "pytorch_model", "PyTorch pickle"}, {".bin", "adapter_model", "PyTorch pickle"}, {".bin", "diffusion_pytorch_model", "PyTorch pickle"},
	{".bin", "model", "PyTorch pickle"}, {".pth", "", "PyTorch pickle"}, {".ckpt", "", "PyTorch pickle"}, {".pt", "model", "PyTorch pickle"},
	{".gguf", "", "GGUF file"}, {".h5", "", "Keras file"}, {".msgpack", "flax_model", "Flax file"}, {".onnx", "", "ONNX file"}, {".ot", "rust_model", "Rust tch file"},
}

// formatOf returns the format of a file of weights that is of another one, or "".
func formatOf(file string) string {
	base := path.Base(file)
	for _, f := range formats {
		if strings.HasSuffix(base, f.end) && strings.HasPrefix(base, f.begin) && !strings.HasPrefix(base, "rng_state") {
			return f.name
		}
	}
	return ""
}

// pointerSize is what a Git LFS pointer takes at most. It stands for a file that was
// not fetched.
const pointerSize = 200

// judgeFormats reports other formats, once for each folder that has a model.
func (r *repository) judgeFormats() {
	models := make(map[string]*checkpoint.Set)
	for _, s := range r.sets {
		if s.Counted() && len(s.Shards) > 0 && models[folderOf(s.Name)] == nil {
			models[folderOf(s.Name)] = s
		}
	}
	byFolder := make(map[string][]string)
	for _, file := range r.names {
		folder := folderOf(file)
		if path.Base(folder) == "original" {
			folder = folderOf(folder) // it has what the model's makers published
		}
		if models[folder] != nil && formatOf(file) != "" && r.sizes[file] > pointerSize && !strings.HasPrefix(path.Base(file), ".") {
			byFolder[folder] = append(byFolder[folder], file)
		}
	}
	for folder, files := range byFolder {
		s := models[folder]
		r.found(cmp.Or(s.Index, s.Shards[0])).Add(RuleOtherFormat, "", safetensors.Span{},
			"beside %s there are weights of other formats: %s", quote(path.Base(s.Name)), r.listFormats(files))
	}
}

// listFormats says how many files there are of each format, and what they take.
func (r *repository) listFormats(files []string) string {
	first := make(map[string]string)
	n, size := make(map[string]int), int64(0)
	for _, file := range files {
		format := formatOf(file)
		if n[format]++; n[format] == 1 {
			first[format] = file
		}
		size += r.sizes[file]
	}
	var said []string
	for _, format := range slices.Sorted(maps.Keys(first)) {
		text := count(n[format], format)
		if n[format] > 1 {
			text += ", the first"
		}
		said = append(said, text+" "+quote(path.Base(first[format])))
	}
	return strings.Join(said, "; ") + "; " + count(size, "byte") + " in all"
}
