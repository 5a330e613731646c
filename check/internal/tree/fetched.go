// Files that were not downloaded: pointers and error pages in their place.

package tree

import (
	"context"
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/wording"
)

// FileNames are the names of the files in the folder of a model that Validate reads in addition to the weights,
// because loaders do. Each costs a round trip on a network, unless it is requested together with others.
var FileNames = []string{
	"config.json", "generation_config.json", "adapter_config.json", "model_index.json", "quantize_config.json",
	"quant_config.json", "hf_quant_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
	"vocab.json", "merges.txt", "vocab.txt", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
	"preprocessor_config.json", "processor_config.json", "modules.json",
}

// JudgeFetched looks at the first bytes of these files in some folders.
func (f *Tree) JudgeFetched(ctx context.Context, folders map[string]bool) {
	for _, file := range f.Names {
		if !folders[FolderOf(file)] || !slices.Contains(FileNames, path.Base(file)) || f.Unlinked(file) {
			continue
		}
		head, err := f.Head(ctx, file)
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			f.Failed(file, err)
			continue
		}
		if t := filetype.DetectHead(head); t.Kind.StandIn() {
			f.Found(file).Add(rule.NotFetched, "", safetensors.Span{End: int64(len(head))}, "%s is %s",
				wording.Quote(path.Base(file)), t)
			f.Found(file).Fix(t.Advice())
		}
	}
}
