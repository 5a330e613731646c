// Facts that a GGUF file says about itself.

package model

import (
	"fmt"

	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// ofGGUF adds what only a GGUF file says, and names the metadata as the source of what it has instead of config.json.
func (f *Facts) ofGGUF(m *Model) {
	for _, from := range []*Source{&f.Name.From, &f.Type.From, &f.Layers.From, &f.Hidden.From, &f.Intermediate.From,
		&f.Vocab.From, &f.Heads.From, &f.KVHeads.From, &f.HeadSize.From, &f.Context.From, &f.RopeFactor.From,
		&f.Window.From, &f.Experts.From, &f.ExpertsPerToken.From} {
		if *from == FromConfig {
			*from = FromMetadata
		}
	}
	for i := range m.Files {
		metadata := m.Files[i].Header.Metadata
		if f.FileType.Value == "" {
			f.FileType = textOf(FromMetadata, metadata["general.file_type"])
		}
		if v := config.VocabularyOf(metadata); v.Model != "" && f.Tokenizer.Value == "" {
			f.Tokenizer = textOf(FromMetadata, vocabulary(v))
		}
	}
}

// vocabulary describes a tokenizer.
func vocabulary(v config.Vocabulary) string {
	template := "without a chat template"
	if v.Template {
		template = "with a chat template"
	}
	return fmt.Sprintf("%s, %v tokens, %s", v.Model, wording.Grouped(v.Tokens), template)
}
