// Fields of config.json: those that programs need, and their types.

package load

import (
	"context"
	"embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/config"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// python are the programs that read configurations with the classes of transformers.
var python = []loader.Name{loader.Transformers, loader.VLLM, loader.SGLang}

// judgeFields reports missing fields, and fields of types that the classes of transformers refuse.
func judgeFields(_ context.Context, m *Model) {
	root := m.Main.Root
	if root == nil || m.Adapter || !m.Set.Counted() || root.First("_class_name").Kind() != 0 {
		return
	}
	if m.described() {
		m.judgeRequired(root)
	}
	if m.remote() == "" && root.Text("model_type") != "" {
		m.judgeTypes(m.Text)
	}
}

// described reports whether config.json is that of a model that transformers reads, and not of another library.
func (m *Model) described() bool {
	root := m.Main.Root
	return m.Described && root.First("model_type", "architectures", "transformers_version").Kind() != 0 &&
		!m.Has(path.Join(m.Path, "model_index.json")) // the parts of a pipeline have the classes that it names
}

// remote returns the code in the repository that the configuration needs, or "".
func (m *Model) remote() string {
	code, _ := m.Main.Root.First("auto_map").Get("AutoConfig").Str()
	return code
}

// judgeRequired reports the fields without which programs do not know the class of the model.
func (m *Model) judgeRequired(root config.Object) {
	if root.Text("model_type") == "" {
		m.field(root["model_type"], python, "%s has no model_type", m.quoted())
	}
	if first, _ := m.Architecture(); first == "" && root.Text("model_type") != "" {
		m.field(root["architectures"], servers, "%s has no architectures", m.quoted())
	}
}

// quoted returns the path of the configuration for a message.
func (m *Model) quoted() string { return wording.Quote(m.ConfigPath) }

// field reports a field of the configuration.
func (m *Model) field(v config.Value, names []loader.Name, format string, args ...any) {
	at := Fault{Rule: rule.ConfigField, File: m.ConfigPath, Span: rule.SpanOf(v), Fix: "Correct config.json."}
	m.Add(at, m.For(names...), format, args...)
}

// numbers are the fields that every configuration of transformers declares as int. Other classes of numbers accept
// more types in some architectures.
var numbers = []string{
	"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "max_position_embeddings",
}

// loose are the architectures, by model_type, that accept other types for some of them: their classes compute the
// field.
var loose = []string{
	"align_vision_model", "clap", "dac", "dinat", "donut-swin", "efficientnet", "hiera", "jetmoe", "lightglue",
	"maskformer", "maskformer-swin", "reformer", "swin", "swinv2", "t5gemma2", "vibevoice", "voxtral", "voxtral_realtime",
}

// dtypes are the names that torch has for dtypes that a configuration may have.
var dtypes = []string{
	"float16", "half", "bfloat16", "float32", "float", "float64", "double", "int8", "uint8", "int16", "int32", "int64",
	"uint16", "uint32", "uint64", "bool", "complex64", "complex128", "complex32", "float8_e4m3fn", "float8_e5m2",
	"float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
}

// judgeTypes reports values of types that the classes of transformers refuse.
func (m *Model) judgeTypes(part config.Object) {
	if slices.Contains(loose, m.Main.Root.Text("model_type")) || slices.Contains(loose, part.Text("model_type")) {
		return
	}
	for _, name := range numbers {
		v := part[name]
		switch v.Kind() {
		case jsonscan.String:
			m.field(v, python, "%s in %s is a string, expected a number", name, m.quoted())
		case jsonscan.Number:
			if strings.ContainsAny(string(v.Text()), ".eE") {
				m.field(v, python, "%s in %s is %s, expected an integer", name, m.quoted(),
					wording.Quote(string(v.Text())))
			}
		}
	}
	if v := part["tie_word_embeddings"]; v.Kind() == jsonscan.String {
		m.field(v, python, "tie_word_embeddings in %s is a string, expected true or false", m.quoted())
	}
	for _, o := range []config.Object{part, m.Main.Root} {
		v := o.First("dtype", "torch_dtype")
		if text, ok := v.Str(); ok && !slices.Contains(dtypes, text) {
			m.field(v, python, "%s in %s is %s, expected a name of torch such as %s", v.Name, m.quoted(),
				wording.Quote(text), wording.Quote("bfloat16"))
			return
		}
	}
}

//go:embed known/*.txt
var known embed.FS

// knows has the names that each program knows: values of model_type for transformers, and architectures for others.
var knows = sync.OnceValue(func() map[loader.Name]map[string]bool {
	all := make(map[loader.Name]map[string]bool)
	for _, name := range python {
		text, err := known.ReadFile("known/" + string(name) + ".txt")
		if err != nil {
			panic(err) // it is part of the program
		}
		all[name] = make(map[string]bool)
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") {
				all[name][line] = true
			}
		}
	}
	return all
})

// judgeKnown reports, as notes, architectures that a version of a program does not know, and code of the repository
// that it runs only if it is allowed to.
func judgeKnown(_ context.Context, m *Model) {
	if m.Adapter || !m.Set.Counted() || !m.described() {
		return
	}
	class, kind := m.Architecture()
	code := m.remote()
	if code != "" {
		m.Add(Fault{Rule: rule.RemoteCode, File: m.ConfigPath, Span: rule.SpanOf(m.Main.Root.First("auto_map"))}, m.For(python...),
			"auto_map in %s names code, the first %s", m.quoted(), wording.Quote(code))
	}
	at := m.Main.Root.First("model_type")
	if kind != "" && code == "" && !knows()[loader.Transformers][kind] {
		m.Add(Fault{Rule: rule.ModelUnknown, File: m.ConfigPath, Span: rule.SpanOf(at)}, m.For(loader.Transformers),
			"model_type in %s is %s", m.quoted(), wording.Quote(kind))
	}
	for _, name := range servers {
		if class != "" && !knows()[name][class] {
			m.Add(Fault{Rule: rule.ModelUnknown, File: m.ConfigPath, Span: rule.SpanOf(m.Main.Root.First("architectures"))},
				m.For(name), "architectures in %s is %s", m.quoted(), wording.Quote(class))
		}
	}
}
