// The ends of a model: the embedding of tokens, and the output layer.

package check

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/parts"
	"github.com/weightools/safetensors/internal/wording"
)

// ends are the tensors at the ends of a language model.
type ends struct {
	embedding, head end
	hasHead         bool // there is a tensor that may be of an output layer, packed or not
	hasMore         bool // there is another embedding of tokens, such as additional_embedding
	hasInput        bool // there is a tensor that may be of an embedding, packed or not
}

// embeddings are the modules that embed tokens. Whole names are needed, because other parts of a model have
// embeddings too, such as the positions of a vision tower.
var embeddings = []string{
	"model.embed_tokens", "language_model.model.embed_tokens", "model.language_model.embed_tokens",
	"llama.embed_tokens", "transformer.wte", "gpt_neox.embed_in", "model.decoder.embed_tokens",
	"bert.embeddings.word_embeddings",
	"roberta.embeddings.word_embeddings", "embeddings.word_embeddings", "shared", "transformer.word_embeddings",
}

// heads are the modules of output layers.
var heads = []string{"lm_head", "language_model.lm_head", "model.lm_head"}

// outputs are other modules at the end of a model, including heads for rewards and classes. Modules with "head"
// in their names are found without this list.
var outputs = []string{"output", "embed_out", "score", "classifier", "classification", "summary"}

// look looks at a tensor that is in no layer.
func (e *ends) look(ti *safetensors.TensorInfo, shard int, n name) {
	e.hasHead = e.hasHead || strings.Contains(ti.Name, "head") || slices.Contains(outputs, parts.Last(n.module))
	e.hasInput = e.hasInput || strings.Contains(ti.Name, "emb") || strings.Contains(ti.Name, "wte") ||
		slices.Contains(embeddings, n.module)
	e.hasMore = e.hasMore || strings.Contains(ti.Name, "additional_emb") || strings.Contains(ti.Name, "extra_emb")
	switch {
	case n.leaf != "weight" || parts.KindOf(ti.Dtype) != parts.Float || len(ti.Shape) != 2:
	case slices.Contains(embeddings, n.module):
		e.embedding = end{ti, shard}
	case slices.Contains(heads, n.module):
		e.head = end{ti, shard}
	}
}

const tieName = "tie_word_embeddings"

// judge judges the ends. AllLayers says that the layers between them are there.
func (e *ends) judge(m *subject, allLayers bool) {
	if !m.described {
		return
	}
	tied, set := m.Flag(tieName)
	shared, _ := m.Flag("shared_input_output_embedding") // OpenLLaMA
	switch {
	case e.embedding.info == nil || !set:
	case tied && e.head.info != nil && sameKind(e.embedding.info, e.head.info):
		m.found(m.shards[e.head.shard].path).Add(RuleTiedTwice, e.head.info.Name, e.head.info.Entry,
			"%s ties tensor %s to %s, but both are stored: %s twice",
			quote(m.main.Path), quote(e.head.info.Name), quote(e.embedding.info.Name), count(e.head.info.Size(), "byte"))
	case !tied && !shared && !e.hasHead && m.complete && e.isCausal(m):
		m.found(m.main.Path).Add(RuleHeadMissing, "", spanOf(m.Text.First(tieName)),
			"tie_word_embeddings is false, but there is no output layer: a loader may leave it uninitialized")
	}
	if e.head.info != nil && !e.hasInput && m.complete && !m.single {
		e.judgeInput(m, e.isAlias(m) || tied && set, allLayers)
	}
	e.judgeShape(m)
}

// judgeInput reports a missing embedding. The output layer has its values if the two are tied. If they are not, all
// layers have to be there: drafts have an output layer, and use the embedding of their model.
func (e *ends) judgeInput(m *subject, tied, allLayers bool) {
	f := m.found(m.File())
	switch class, _ := m.Architecture(); {
	case tied:
		f.Add(RuleEmbeddingMissing, inputName, safetensors.Span{},
			"there is no embedding of tokens: %s of the same values is there, and loaders that tie them the other way "+
				"leave the embedding uninitialized", quote(e.head.info.Name))
		if e.head.info.Name != "lm_head.weight" {
			f.Fix("Write the embedding again from the output layer.")
		}
	case allLayers && strings.HasSuffix(class, "ForCausalLM"):
		f.Add(RuleEmbeddingMissing, inputName, safetensors.Span{},
			"there is no embedding of tokens: the layers and %s are there, and loaders leave the embedding uninitialized",
			quote(e.head.info.Name))
		f.Fix("Download or save the weights again. The output layer is no substitute: it is not tied to the embedding.")
	}
}

// inputName is the name of the embedding in most models.
const inputName = "model.embed_tokens.weight"

// isAlias reports whether the metadata says that the embedding is stored as the output layer, as the Python library
// writes it when it drops one of two names.
func (e *ends) isAlias(m *subject) bool {
	h := m.shards[e.head.shard].header
	return h.Metadata[inputName] == e.head.info.Name
}

// isCausal reports whether the model needs an output layer. Embedding models are published with the
// architecture of the model that they were made from and without its head; but their names do not begin with
// "model.", or there is the list of modules of the library sentence-transformers.
func (e *ends) isCausal(m *subject) bool {
	architectures := string(m.Main.Root.First("architectures").Value.Text())
	return strings.Contains(architectures, "ForCausalLM") &&
		strings.HasPrefix(e.embedding.info.Name, "model.embed_tokens.") &&
		!m.has(m.beside("modules.json"))
}

func sameKind(a, b *safetensors.TensorInfo) bool {
	return a.Dtype == b.Dtype && slices.Equal(a.Shape, b.Shape)
}

// judgeShape compares the embedding with the configuration. It may have more rows than the vocabulary, which
// some models add for speed.
func (e *ends) judgeShape(m *subject) {
	if e.embedding.info == nil {
		return
	}
	ti, file := e.embedding.info, m.shards[e.embedding.shard].path
	rows, columns := ti.Shape[0], ti.Shape[1]
	if n, from, ok := m.Int(config.Vocab); ok && rows < n {
		m.found(file).Add(RuleConfigShape, ti.Name, ti.Entry,
			"tensor %s has %v rows, but %s has %s", quote(ti.Name), wording.Grouped(rows), quote(m.main.Path), from.Sentence())
	}
	if m.HasProjection() {
		return
	}
	if n, from, ok := m.Int(config.Hidden); ok && columns != n {
		m.found(file).Add(RuleConfigShape, ti.Name, ti.Entry,
			"tensor %s has %v columns, but %s has %s", quote(ti.Name), wording.Grouped(columns), quote(m.main.Path),
			from.Sentence())
	}
}
