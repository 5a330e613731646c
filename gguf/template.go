// Texts in the metadata that programs interpret: templates of chats, and the tokenizer of Hugging Face.

package gguf

import (
	"encoding/json"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
)

// Options change how a [Format] judges files. Nil means the zero Options.
type Options struct {
	// Template says in a few words what makes a chat template dangerous, such as "it reads the attribute __globals__", and
	// returns "" for any other. Programs that render templates outside a sandbox run what they contain. Nil means that
	// templates are not judged.
	Template func(text string) (danger string)
}

// mostTemplate is the size in bytes of the longest text that is judged.
const mostTemplate = 32 << 20

// judgeTexts judges the templates, and the tokenizer of Hugging Face.
func (p *parser) judgeTexts(f *File, o *Options) error {
	for i := range p.Keys {
		k := &p.Keys[i]
		switch {
		case k.Name == "tokenizer.huggingface.json" && k.Value.Kind == String && k.Value.Len <= mostTemplate:
			text, err := f.Text(k.Value, mostTemplate)
			if err != nil {
				return err
			}
			if !json.Valid([]byte(text)) {
				p.found.Add(RuleOddTokenizer, "", k.Span, "the value of %s is not JSON", k.Name)
				p.found.Fix("Use the lists of tokenizer.ggml instead, or convert the checkpoint again.")
			}
		case o != nil && o.Template != nil && strings.HasPrefix(k.Name, "tokenizer.chat_template"):
			if err := p.judgeTemplates(f, k, o.Template); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeTemplates judges the template of a key, or the templates of an array.
func (p *parser) judgeTemplates(f *File, k *Key, danger func(string) string) error {
	judge := func(v Value) error {
		if v.Kind != String || v.Len > mostTemplate {
			return nil
		}
		text, err := f.Text(v, mostTemplate)
		if err != nil {
			return err
		}
		if what := danger(text); what != "" {
			p.found.Add(RuleTemplate, "", k.Span, "the key %s is dangerous: %s", wording.Quote(k.Name), what)
		}
		return nil
	}
	if k.Value.Kind != Array {
		return judge(k.Value)
	}
	for v, err := range f.Elements(k.Value) {
		if err == nil {
			err = judge(v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
