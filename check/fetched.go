// Files that were not downloaded: pointers, error pages and empty files in their place.

package check

import (
	"context"
	"io"
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/filetype"
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
		if t := filetype.DetectHead(head); t.Kind.StandIn() {
			r.found(file).Add(RuleNotFetched, "", safetensors.Span{End: int64(len(head))}, "%s is %s", quote(path.Base(file)), t)
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
