// Tokenizers: whether the embedding has a row for each token.

package check

import (
	"context"
	"path"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/wording"
)

// softToken ends the names of placeholders for images and sound in the tokenizer of Gemma. Models of text alone, such as
// gemma-3-1b, have no row for them.
const softToken = "_soft_token>"

// judgeTokenizer compares the largest token of a local tokenizer with the rows of the embedding. A tokenizer has
// megabytes, which are not worth a download.
func (m *weights) judgeTokenizer(ctx context.Context, r *tree.ConfigReader) {
	if m.Dir == "" || !m.described || m.ends.embedding.info == nil || m.ends.hasMore || !m.complete {
		return
	}
	rows, folder := m.ends.embedding.info.Shape[0], folderOf(m.File())
	for _, name := range []string{"tokenizer.json", "added_tokens.json"} {
		file := path.Join(folder, name)
		if !m.has(file) || m.Sizes[file] > config.MaxSize {
			continue
		}
		c := r.Read(ctx, folder, name)
		r.Forget(c) // megabytes
		largest, token := int64(-1), ""
		add := func(id int64, ok bool, of string) {
			if ok && id > largest && !strings.HasSuffix(of, softToken) {
				largest, token = id, of
			}
		}
		if name == "added_tokens.json" {
			for of, v := range c.Root {
				id, ok := v.Int()
				add(id, ok, of)
			}
		}
		for v := range c.Root.First("added_tokens").Elements() {
			id, ok := v.Get("id").Int()
			of, _ := v.Get("content").Str()
			add(id, ok, of)
		}
		for of, v := range c.Root.First("model").Get("vocab").Members() {
			id, ok := v.Int()
			add(id, ok, of)
		}
		if largest >= rows {
			m.found(file).Add(RuleTokenizerRange, "", safetensors.Span{},
				"%s has tokens up to %v, %s, but the embedding %s has %v rows: other tokens read beyond its end",
				quote(name), wording.Grouped(largest), quote(token), quote(m.ends.embedding.info.Name), wording.Grouped(rows))
			return
		}
	}
}
