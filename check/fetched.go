// Files that stand in the place of others: pointers that were not followed, and the
// pages that servers answer with.

package check

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
)

// needed are the files that loaders read beside the weights.
var needed = []string{
	"config.json", "generation_config.json", "adapter_config.json", "model_index.json", "quantize_config.json", "hf_quant_config.json",
	"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "merges.txt", "vocab.txt",
	"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "preprocessor_config.json", "processor_config.json", "modules.json",
}

// judgeFetched looks at the first bytes of files beside weights.
func (r *repository) judgeFetched(ctx context.Context) {
	folders := map[string]bool{r.path: true}
	for _, s := range r.sets {
		folders[folderOf(s.Name)] = true
	}
	for _, file := range r.names {
		if !folders[folderOf(file)] || !slices.Contains(needed, path.Base(file)) {
			continue
		}
		head, err := r.head(ctx, file)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			r.failed(file, err)
			continue
		}
		if what := notFetched(head, r.sizes[file]); what != "" {
			r.found(file).Add(RuleNotFetched, "", safetensors.Span{End: int64(len(head))}, "%s is %s", quote(path.Base(file)), what)
		}
	}
}

// head reads the first bytes of a file.
func (r *repository) head(ctx context.Context, file string) ([]byte, error) {
	const most = 256 // bytes: a pointer has about 130
	object, err := r.from.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, min(object.Size(), most)))
}

// notFetched returns what a file of the given size is that begins with head, if it
// is not what its name says; otherwise "".
func notFetched(head []byte, size int64) string {
	const pointer = "version https://git-lfs.github.com/spec/"
	text := bytes.TrimSpace(head)
	switch {
	case size == 0:
		return "empty"
	case bytes.HasPrefix(head, []byte(pointer)):
		return fmt.Sprintf("a Git LFS pointer%s: the file itself was not fetched", pointedSize(string(head)))
	case hasPrefixFold(text, "<!doctype html"), hasPrefixFold(text, "<html"):
		return "an HTML page, as of a server's error or a login"
	case hasPrefixFold(text, "<?xml"):
		return "an XML document, as of an object store's error"
	}
	return ""
}

// pointedSize says how large the file is that a pointer stands for, if it tells.
func pointedSize(pointer string) string {
	_, after, _ := strings.Cut(pointer, "\nsize ")
	digits, _, _ := strings.Cut(after, "\n")
	if n, ok := natural([]byte(digits)); ok {
		return " to " + count(n, "byte")
	}
	return ""
}

func hasPrefixFold(text []byte, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(string(text[:len(prefix)]), prefix)
}
