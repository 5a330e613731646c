// The ends of a model: the layer that tokens go in by, and the one they come out of.

package check

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/wording"
)

// An end is a tensor and the shard that has it.
type end struct {
	info  *safetensors.TensorInfo
	shard int
}

// ends are the tensors at the ends of a language model.
type ends struct {
	embedding, head end
	hasHead         bool // there is a tensor that may be of an output layer, packed or not
}

// embeddings are the modules that libraries call the input layer of a language
// model; beside those of other parts, such as the position embeddings of a vision
// tower, only whole names can be told apart.
var embeddings = []string{
	"model.embed_tokens", "language_model.model.embed_tokens", "model.language_model.embed_tokens",
	"transformer.wte", "gpt_neox.embed_in", "model.decoder.embed_tokens", "bert.embeddings.word_embeddings",
	"roberta.embeddings.word_embeddings", "embeddings.word_embeddings", "shared", "transformer.word_embeddings",
}

// heads are those that they call its output layer.
var heads = []string{"lm_head", "language_model.lm_head", "model.lm_head"}

// outputs are other modules that stand at the end of a model, beside those that have
// "head" in their names: of rewards and classes, too.
var outputs = []string{"output", "embed_out", "score", "classifier", "classification", "summary"}

// look looks at a tensor that is in no layer.
func (e *ends) look(ti *safetensors.TensorInfo, shard int, n name) {
	e.hasHead = e.hasHead || strings.Contains(ti.Name, "head") || slices.Contains(outputs, lastElement(n.module))
	switch {
	case n.leaf != "weight" || !isFloat(ti.Dtype) || len(ti.Shape) != 2:
	case slices.Contains(embeddings, n.module):
		e.embedding = end{ti, shard}
	case slices.Contains(heads, n.module):
		e.head = end{ti, shard}
	}
}

func (e *ends) judge(m *weights) {
	if !m.described {
		return
	}
	tied, told := m.config.flag("tie_word_embeddings")
	switch {
	case e.embedding.info == nil || !told:
	case tied && e.head.info != nil && sameKind(e.embedding.info, e.head.info):
		m.found(m.shards[e.head.shard].path).Add(RuleTiedTwice, e.head.info.Name, e.head.info.Entry,
			"tensor %s is stored beside %s, to which %s ties it: %s twice",
			quote(e.head.info.Name), quote(e.embedding.info.Name), quote(m.config.path), count(e.head.info.Size(), "byte"))
	case !tied && !e.hasHead && m.whole && m.isCausal():
		m.found(m.config.path).Add(RuleHeadMissing, "", m.config.text.first("tie_word_embeddings").at,
			"tie_word_embeddings is false, and no tensor is of an output layer: a loader that goes on leaves it uninitialised")
	}
	e.judgeShape(m)
}

// isCausal says whether the model is one that has an output layer. Models of
// embeddings are published with the architecture of what they were made from, and
// without its head; but their names have no "model." before them, or there is the
// list of modules of the library sentence-transformers.
func (m *weights) isCausal() bool {
	architectures := string(m.config.top.first("architectures").text)
	return strings.Contains(architectures, "ForCausalLM") && strings.HasPrefix(m.ends.embedding.info.Name, "model.embed_tokens.") &&
		!m.has(strings.TrimPrefix(folderOf(m.file())+"/modules.json", "/"))
}

func sameKind(a, b *safetensors.TensorInfo) bool {
	return a.Dtype == b.Dtype && slices.Equal(a.Shape, b.Shape)
}

// judgeShape compares the input layer with the configuration. That it has more rows
// than the vocabulary is usual, since rows are added for speed.
func (e *ends) judgeShape(m *weights) {
	if e.embedding.info == nil {
		return
	}
	at := m.shards[e.embedding.shard].path
	rows, columns := e.embedding.info.Shape[0], e.embedding.info.Shape[1]
	if n, _, ok := m.config.int("vocab_size"); ok && rows < n {
		m.found(at).Add(RuleConfigShape, e.embedding.info.Name, e.embedding.info.Entry,
			"tensor %s has %v rows, and %s has a vocab_size of %v", quote(e.embedding.info.Name), wording.Grouped(rows), quote(m.config.path), wording.Grouped(n))
	}
	// Some models project what they embed.
	if _, from, _ := m.config.int("embedding_size", "word_embed_proj_dim", "embedding_dim", "emb_size", "trigram_input"); from.kind != 0 {
		return
	}
	if n, from, ok := m.config.int("hidden_size", "n_embd", "d_model", "n_embed", "dim"); ok && columns != n {
		m.found(at).Add(RuleConfigShape, e.embedding.info.Name, e.embedding.info.Entry,
			"tensor %s has %v columns, and %s has %s", quote(e.embedding.info.Name), wording.Grouped(columns), quote(m.config.path), from)
	}
}
