// Texts that name code: spelled, named and packed in many ways, with texts that only look alike.

package scan

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A writer writes texts in random spellings.
type writer struct{ *rand.Rand }

// pick returns one of the arguments.
func (w writer) pick(s ...string) string { return s[w.IntN(len(s))] }

// A specimen is a text, the verdict on it, and the names a loader reads it by; a harmless one has
// the verdict Safe.
type specimen struct {
	text  string
	least pickle.Verdict
	most  pickle.Verdict
	names []string
}

// The names of files that are texts.
var (
	anyText  = []string{"notes", "a.txt", "config.json", "x.yaml", "README.md", "data.cfg", "w.bin", "model.ckpt.meta", "t.toml", "MLmodel"}
	yamlText = []string{"x.yaml", "hparams.yml", "params", "a.txt", "config.json"}
	jsonText = []string{"config.json", "tokenizer_config.json", "a.txt", "settings", "x.yaml", "adapter_config.json"}
)

// yamls returns texts with tags of PyYAML.
func (w writer) yamls() []specimen {
	danger := w.pick("os.system", "subprocess.Popen", "builtins.eval", "builtins.exec", "posix.system", "os.popen", "exec", "eval",
		"subprocess.check_output", "shutil.rmtree", "importlib.import_module", "runpy.run_path", "pty.spawn")
	unknown := w.pick("mypackage.make", "a.b.c.D", "material.extensions.emoji.twemoji")
	kind := w.pick("object/apply", "object/new", "name")
	tag := func(name string) string {
		full := "python/" + kind + ":" + name
		escaped := strings.ReplaceAll(full, w.pick("p", "y", "/", "o"), fmt.Sprintf("%%%02X", "p"[0]))
		switch w.IntN(4) {
		case 0:
			return "!<tag:yaml.org,2002:" + full + ">"
		case 1:
			if strings.ReplaceAll(escaped, "%70", "p") == full {
				return "!!" + escaped
			}
		}
		return "!!" + full
	}
	args := w.pick("['x']", "[x, y]", "{args: [x]}", "\n  - x", "''")
	if kind == "name" {
		args = "''"
	}
	wrap := func(node string) string {
		switch w.IntN(9) {
		case 0:
			return "a: 1\nb:\n- " + node + "\n"
		case 1:
			return "{a: [1, " + strings.ReplaceAll(node, "\n  - x", "[x]") + "]}\n"
		case 2:
			return "%YAML 1.1\n---\nx: &anchor\n  " + strings.ReplaceAll(node, "\n  - x", "[x]") + "\n"
		case 3:
			return "--- first\n--- " + node + "\n"
		case 4:
			return "? " + node + "\n: v\n"
		case 5:
			return "# comment\n\n" + strings.Repeat("k"+w.pick("a", "b")+fmt.Sprint(w.IntN(1000))+": "+strings.Repeat("v", w.IntN(3000))+"\n", 1) +
				"z: &a1 " + node + "\n"
		case 6:
			return "\ufeffx: " + node + "\r\n"
		case 7:
			return "k: v\n---\n" + node + "\n--- ]\n"
		}
		return node + "\n"
	}
	alias := "%TAG !" + w.pick("", "p!", "x-y!") + " tag:yaml.org,2002:" + w.pick("python/", "py", "") + "\n"
	handle := strings.Fields(alias)[1]
	rest := strings.TrimPrefix("tag:yaml.org,2002:python/"+kind+":"+danger, strings.Fields(alias)[2])
	return []specimen{
		{wrap(tag(danger) + " " + args), pickle.Dangerous, pickle.Dangerous, anyText},
		{alias + "--- " + handle + rest + " " + args + "\n", pickle.Dangerous, pickle.Dangerous, yamlText},
		{wrap("!!python/module:" + w.pick("os", "subprocess", "pty") + " ''"), pickle.Dangerous, pickle.Dangerous, yamlText},
		{wrap("!!python/object/apply:" + unknown + " [x]"), pickle.Suspicious, pickle.Suspicious, yamlText},
		{"a: [\n" + tag(danger) + " " + args + "\n", pickle.Unanalysed, pickle.Suspicious, []string{"x.yaml"}},

		{"a: '" + tag(danger) + "'\nb: \"" + tag(danger) + "\"\n", pickle.Safe, pickle.Safe, yamlText[:2]},
		{"# " + tag(danger) + "\na: b\n", pickle.Safe, pickle.Safe, yamlText[:2]},
		{"a: |\n  " + tag(danger) + "\n", pickle.Safe, pickle.Safe, yamlText[:2]},
		{"a: b " + tag(danger) + "\n", pickle.Safe, pickle.Safe, yamlText[:2]},
		{"The tag `" + tag(danger) + "` is dangerous: never load it.\n", pickle.Safe, pickle.Safe, []string{"README.md", "a.txt"}},
		{"a: !!python/tuple [1, 2]\nb: !!python/unicode x\n", pickle.Safe, pickle.Safe, yamlText[:2]},
		{"a: !!str x\nb: !Ref y\nc: !include z.yaml\nd: !function utils.f\n", pickle.Safe, pickle.Safe, yamlText[:2]},
	}
}

// quote returns a JSON string, with escapes of some letters.
func (w writer) quote(s string) string {
	b, _ := json.Marshal(s)
	text := strings.ReplaceAll(strings.ReplaceAll(string(b), `\u003c`, "<"), `\u003e`, ">")
	if w.IntN(3) > 0 {
		return text
	}
	i := 1 + w.IntN(max(len(text)-2, 1))
	if c := text[i]; c != '\\' && c != '"' && c < 0x80 && text[i-1] != '\\' && !strings.Contains(text[max(0, i-6):i], "\\") {
		return text[:i] + fmt.Sprintf(`\u%04x`, c) + text[i+1:]
	}
	return text
}

// object returns a JSON object with other members around the given ones.
func (w writer) object(members ...string) string {
	for range w.IntN(3) {
		members = append(members, w.quote(fmt.Sprint("k", w.IntN(1e6)))+":"+w.pick("1", "null", "[]", `"v"`, "true", `{"a":[1]}`))
	}
	w.Shuffle(len(members), func(i, k int) { members[i], members[k] = members[k], members[i] })
	text := "{" + strings.Join(members, w.pick(",", ", ", ",\n")) + "}"
	for range w.IntN(3) {
		around := [...][2]string{{`{"model":`, `}`}, {`{"a":{"b":`, `}}`}, {`{"list":[1,`, `]}`}}[w.IntN(3)]
		text = around[0] + text + around[1]
	}
	return text
}

// jsons returns configurations that name code.
func (w writer) jsons() []specimen {
	danger := w.pick("os.system", "subprocess.run", "builtins.eval", "shutil.rmtree", "pty.spawn", "os.execv", "argparse._os.system")
	member := func(key, value string) string { return w.quote(key) + w.pick(":", ": ", " :\t") + value }
	class := w.pick("modeling_x.Model", "org/repo--modeling_x.Model", "a.b.C", "modeling.M")
	lists := w.pick(w.quote(class), "["+w.quote(class)+", null]")
	hidden := w.object(member("_target_", w.quote(danger)))
	return []specimen{
		{w.object(member("_target_", w.quote(danger)), member("command", `"x"`)), pickle.Dangerous, pickle.Dangerous, jsonText},
		{w.object(member("class_path", w.quote(danger)), member("init_args", "{}")), pickle.Dangerous, pickle.Dangerous, jsonText},
		{w.object(member("target", w.quote(danger)), member("params", "{}")), pickle.Dangerous, pickle.Dangerous, jsonText},
		{w.object(member(w.pick("py/object", "py/function", "py/type"), w.quote(danger))), pickle.Dangerous, pickle.Dangerous, jsonText},
		{w.object(member("config", w.quote(hidden))), pickle.Dangerous, pickle.Dangerous, jsonText},
		{w.object(member("auto_map", "{"+w.quote("Auto"+w.pick("Model", "Config", "Tokenizer"))+":"+lists+"}")), pickle.Suspicious, pickle.Suspicious, jsonText},
		{w.object(member("custom_pipelines", `{"p":{"impl":`+w.quote(class)+`,"pt":["AutoModel"],"type":"text"}}`)), pickle.Suspicious, pickle.Suspicious, jsonText},
		{w.object(member("trust_remote_code", "true")), pickle.Suspicious, pickle.Suspicious, jsonText},
		{w.object(member("auto_mapping", `{"base_model_class":"X","parent_library":"transformers_modules.x"}`)), pickle.Suspicious, pickle.Suspicious, jsonText},
		{`[{"idx":0,"name":"0","path":"","type":` + w.quote("custom_st.Transformer") + `}]`, pickle.Suspicious, pickle.Suspicious, []string{"modules.json"}},
		{`{"_class_name":"XPipeline","_diffusers_version":"0.3","unet":[` + w.quote("my_unet") + `,"UNet"]}`, pickle.Suspicious, pickle.Suspicious, []string{"model_index.json", "a.json"}},
		{`{"_class_name":` + w.pick(`["pipeline_x","XPipeline"]`, `["p","X"]`) + `,"unet":["diffusers","UNet"]}`, pickle.Suspicious, pickle.Suspicious, []string{"model_index.json"}},
		{w.object(member("_target_", w.quote("mypackage.models.Net"))), pickle.Suspicious, pickle.Suspicious, jsonText},

		{w.object(member("_target_", w.quote("torch.nn."+w.pick("Linear", "GELU")))), pickle.Safe, pickle.Safe, jsonText[:2]},
		{w.object(member("target", w.quote("en")), member("params", "{}")), pickle.Safe, pickle.Safe, jsonText[:2]},
		{w.object(member("target_", w.quote(danger)), member("type", `"rope"`)), pickle.Safe, pickle.Safe, jsonText[:2]},
		{w.object(member("trust_remote_code", "false"), member("auto_map", "{}")), pickle.Safe, pickle.Safe, jsonText[:2]},
		{w.object(member("activation_function", `"gelu_new"`)), pickle.Safe, pickle.Safe, jsonText[:2]},
		{w.object(member("note", w.quote("_target_: "+danger))), pickle.Safe, pickle.Safe, jsonText[:2]},
		{`{"_class_name":"UNet2DConditionModel","_diffusers_version":"0.3","down_block_types":["CrossAttnDownBlock2D","DownBlock2D"]}`,
			pickle.Safe, pickle.Safe, []string{"config.json"}},
		{`{"_class_name":"XPipeline","safety_checker":["stable_diffusion","StableDiffusionSafetyChecker"]}`, pickle.Safe, pickle.Safe,
			[]string{"model_index.json"}},
		{`[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"}]`, pickle.Safe, pickle.Safe,
			[]string{"modules.json"}},
		{`{"activation_function":"torch.nn.modules.activation.Tanh"}`, pickle.Safe, pickle.Safe, []string{"config.json"}},
		{`{"_class_name":"XPipeline","_diffusers_version":"0.3","unet":["diffusers","UNet"],"s":[null,null],"t":["transformers","T5"]}`,
			pickle.Safe, pickle.Safe, []string{"model_index.json"}},
	}
}

// escape returns an expression of Jinja that reads a private attribute.
func (w writer) escape() string {
	attribute := w.pick("__class__", "__globals__", "__init__", "__subclasses__", "__builtins__", "__mro__", "__import__")
	object := w.pick("''", "()", "[]", "x", "cycler", "lipsum", "namespace", "self", "messages[0]", "range", "joiner")
	hex := strings.ReplaceAll(attribute, "_", w.pick(`\x5f`, `\u005f`, `\137`))
	half := 3 + w.IntN(3)
	expression := w.pick(
		object+"."+attribute, object+"["+"'"+attribute+"']", object+`|attr("`+attribute+`")`, object+`["`+hex+`"]`,
		object+`|attr("`+hex+`")`, object+`["`+attribute[:half]+`"`+w.pick("~", "+", " ")+`"`+attribute[half:]+`"]`,
		"["+object+`]|map(attribute="`+attribute+`")`, `"{0.`+attribute+`}".format(`+object+`)`,
		object+` . `+attribute, object+".a[0].b()."+attribute+`.c`, "{'a': ["+object+"."+attribute+"]}",
		object+`|attr(["_","_","class","_","_"]|join)`, object+`|attr(y)`, "["+object+`]|map("attr", "`+attribute+`")`)
	return w.pick(
		"{{ "+expression+" }}", "{{-"+expression+"-}}", "{% if "+expression+" %}{% endif %}", "{% set a = "+expression+" %}",
		"{% for a in "+expression+" %}{{ a }}{% endfor %}", "{#\n#}{{"+expression+"|upper}}", "{{ a }}{{ 1 + ("+expression+")}}",
		"{%- macro m() -%}{{ "+expression+" }}{%- endmacro -%}", "{% raw %}{{{% endraw %}{{ "+expression+" }}")
}

// templates returns templates and the files in which programs find them.
func (w writer) templates() []specimen {
	chat := "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message.content }}{% endfor %}"
	bad := w.pick(w.escape(), chat+w.escape(), w.escape()+chat, chat[:14]+strings.Repeat("x", w.IntN(5000))+chat[14:]+w.escape())
	good := w.pick(chat, chat+"{% raw %}"+strings.ReplaceAll(w.escape(), "raw", "x")+"{% endraw %}", chat+"{# "+strings.ReplaceAll(w.escape(), "#}", "")+" #}",
		"__class__ {{ x.class }}", "{{ messages[loop.index0 + 1]['role'] }}{% for _ in range(3) %}{% endfor %}")
	jinja := []string{"chat_template.jinja", "t.j2", "template.txt", "chat.template"}
	keys := []string{"chat_template", "default_chat_template", "prompt_template"}
	wrap := func(s string) string {
		key := keys[w.IntN(len(keys))]
		return w.pick(w.object(w.quote(key)+":"+w.quote(s)),
			w.object(w.quote(key)+`:[{"name":"default","template":`+w.quote(s)+`}]`),
			w.object(w.quote(key)+`:{"tool_use":`+w.quote(s)+`}`))
	}
	tokenizer := []string{"tokenizer_config.json", "chat_template.json", "processor_config.json"}
	return []specimen{
		{bad, pickle.Suspicious, pickle.Dangerous, jinja},
		{wrap(bad), pickle.Suspicious, pickle.Dangerous, tokenizer},
		{ggufFile(w, "tokenizer.chat_template"+w.pick("", ".tool_use", ".rag"), bad), pickle.Suspicious, pickle.Dangerous, []string{"m.gguf", "m.bin", "m"}},
		{good, pickle.Safe, pickle.Safe, jinja},
		{wrap(good), pickle.Safe, pickle.Safe, tokenizer},
		{ggufFile(w, "tokenizer.chat_template", good), pickle.Safe, pickle.Safe, []string{"m.gguf"}},
	}
}

// ggufFile returns a GGUF file with a text in its metadata.
func ggufFile(w writer, key, text string) string {
	var b []byte
	version := 1 + w.IntN(3)
	var order interface {
		binary.AppendByteOrder
		binary.ByteOrder
	} = binary.LittleEndian
	if version == 3 && w.IntN(3) == 0 {
		order = binary.BigEndian
	}
	length := func(n int) {
		if version == 1 {
			b = order.AppendUint32(b, uint32(n))
		} else {
			b = order.AppendUint64(b, uint64(n))
		}
	}
	str := func(s string) {
		length(len(s))
		b = append(b, s...)
	}
	b = order.AppendUint32(append(b, "GGUF"...), uint32(version))
	length(0)
	length(4)
	str("general.architecture")
	b = order.AppendUint32(b, 8)
	str("llama")
	str("tokenizer.ggml.tokens")
	b = order.AppendUint32(order.AppendUint32(b, 9), 8)
	n := w.IntN(100)
	length(n)
	for i := range n {
		str(fmt.Sprint("tok", i))
	}
	str("llama.rope")
	b = order.AppendUint32(order.AppendUint32(order.AppendUint32(b, 9), 6), 0)
	if version > 1 {
		b = b[:len(b)-4]
		length(1)
		b = append(b, 0, 0, 0, 0)
	}
	str(key)
	if list := w.IntN(3) == 0; list {
		b = order.AppendUint32(order.AppendUint32(b, 9), 8)
		length(2)
		str("a")
	} else {
		b = order.AppendUint32(b, 8)
	}
	str(text)
	return string(b)
}

// packed returns a file by itself and as a member of other files, by name.
func packed(t *testing.T, w writer, text, name string) (content []byte, called string) {
	switch w.IntN(6) {
	case 0:
		return zipped(t, file{"a/" + name, text}, file{"other.txt", "x"}), w.pick("x.zip", "model.pt", "x")
	case 1:
		return tarred(t, file{"a/" + name, text}), w.pick("x.tar", "m.nemo", "x")
	case 2:
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		z.Write([]byte(text))
		z.Close()
		return b.Bytes(), name + ".gz"
	}
	return []byte(text), name
}

func TestVariantsTexts(t *testing.T) {
	n := 0
	for seed := range uint64(40) {
		w := writer{rand.New(rand.NewPCG(seed, 7))}
		for _, specimens := range [][]specimen{w.yamls(), w.jsons(), w.templates()} {
			for _, s := range specimens {
				name := s.names[w.IntN(len(s.names))]
				content, called := packed(t, w, s.text, name)
				n++
				r := scanned(t, new(Scanner), content, called)
				verdict := r.Verdict
				if verdict < s.least || verdict > s.most || !r.Complete {
					t.Errorf("seed %d, %.300q as %s in %s: %v, want %v to %v: %v", seed, s.text, name, called, verdict, s.least, s.most,
						r.Findings)
				}
			}
		}
	}
	t.Logf("%d variants", n)
}
