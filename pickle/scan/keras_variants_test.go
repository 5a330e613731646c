// Keras configurations in any place and spelling.

package scan

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/weightools/safetensors/pickle"
)

// A speller writes JSON in the different ways in which it can be written.
type speller struct{ *rand.Rand }

// text returns a string, in which letters may be escapes.
func (s speller) text(v string) string {
	b, _ := json.Marshal(v) //nolint:errchkjson // a string
	if s.IntN(3) > 0 || v == "" || len(b) != len(v)+2 {
		return string(b)
	}
	i := s.IntN(len(v))
	if v[i] < 'a' || v[i] > 'z' {
		return string(b)
	}
	return `"` + v[:i] + fmt.Sprintf(`\u%04x`, v[i]) + v[i+1:] + `"`
}

// object returns an object of pairs of keys and encoded values, in any order.
func (s speller) object(pairs ...string) string {
	var members []string
	for i := 0; i < len(pairs); i += 2 {
		members = append(members, s.space()+s.text(pairs[i])+s.space()+":"+s.space()+pairs[i+1])
	}
	for range s.IntN(3) {
		members = append(members, fmt.Sprintf(`"k%d":%s`, s.IntN(1e6), []string{"NaN", "null", `"x{"`, "[1]", "-1e9"}[s.IntN(5)]))
	}
	s.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + s.space() + "}"
}

func (s speller) space() string { return []string{"", " ", "\n\t"}[s.IntN(3)] }

// nested puts a value into objects and arrays.
func (s speller) nested(value string) string {
	for range s.IntN(6) {
		if s.IntN(2) == 0 {
			value = s.object(fmt.Sprint("n", s.IntN(100)), value)
		} else {
			value = "[" + strings.Repeat("{}, ", s.IntN(3)) + value + "]"
		}
	}
	return s.object("top", value)
}

// A kerasObject is an object of a configuration, and the verdict on it.
type kerasObject struct {
	text    string
	verdict pickle.Verdict
}

// kerasObjects are the objects of configurations, with the verdict on them.
func (s speller) kerasObjects() []kerasObject {
	pick := func(v ...string) string { return v[s.IntN(len(v))] }
	code := s.object("class_name", s.text("__tuple__"), "items", `["4wEA", null, null]`)
	return []kerasObject{
		{s.object("class_name", s.text("Lambda"), "config", s.object("function", code)), pickle.Dangerous},
		{s.object("class_name", s.text(pick("Lambda", "layers.Lambda", "__lambda__")), "module",
			s.text(pick("keras", "keras.layers", "tf_keras.layers")), "config", s.object("code", `"4wEA"`)), pickle.Dangerous},
		{s.object("class_name", s.text("function"), "module", s.text(pick("os", "subprocess", "builtins", "shutil")),
			"config", s.text(pick("exec", "eval"))), pickle.Dangerous},
		{s.object("class_name", s.text(pick("system", "Popen")), "module", s.text(pick("os", "subprocess", "my.package")),
			"config", s.object()), pickle.Dangerous},
		{s.object("class_name", s.text("__typespec__"), "spec_name", s.text("system"), "module", s.text("os"), "config",
			"[1]"), pickle.Dangerous},
		{s.object("class_name", s.text("function"), "module", s.text(pick("keras.utils", "keras.saving", "keras.models")),
			"config", s.text(pick("get_file", "load_model", "load_weights", "save_img"))), pickle.Dangerous},
		{s.object("class_name", s.text(pick("TorchModuleWrapper", "TFSMLayer")), "module", s.text("keras.layers"), "config",
			s.object("filepath", `"/tmp/x"`)), pickle.Dangerous},
		{s.object("class_name", s.text("TFOpLambda"), "config", s.object("function",
			s.text(pick("io.write_file", "py_function", "numpy_function", "raw_ops.WriteFile")))), pickle.Dangerous},
		{s.object("class_name", s.text("TensorFlowOpLayer"), "config", s.object("node_def",
			s.text("\n\x01x\x12\tWriteFile"))), pickle.Dangerous},
		{s.object("class_name", s.text("MyLayer"), "registered_name", s.text("pkg>MyLayer"), "config", "{}"), pickle.Suspicious},
		{s.object("class_name", s.text(pick("StringLookup", "IntegerLookup")), "module", s.text("keras.layers"), "config",
			s.object("vocabulary", s.text("/etc/passwd"))), pickle.Suspicious},

		{s.object("class_name", s.text(pick("Dense", "LSTM", "Functional")), "config", s.object("activation", `"relu"`)), pickle.Safe},
		{s.object("class_name", s.text("TFOpLambda"), "config", s.object("function", s.text(pick("math.add", "nn.gelu", "reshape")))), pickle.Safe},
		{s.object("class_name", s.text("function"), "module", s.text("builtins"), "config", s.text("relu"),
			"registered_name", s.text("relu")), pickle.Safe},
		{s.object("class_name", s.text("Lambda"), "arn", `"arn:aws:lambda"`), pickle.Safe},
		{s.object("class", s.text("Lambda"), "module", s.text("os"), "config", s.text("system")), pickle.Safe},
		{s.object("name", s.text("class_name"), "value", s.text("Lambda"), "config", "{}"), pickle.Safe},
		{s.object("class_name", "null", "module", s.text("os"), "config", "{}"), pickle.Safe},
	}
}

// inUTF16 returns a text in UTF-16 with a byte order mark.
func inUTF16(text string) []byte {
	b := []byte("\xff\xfe")
	for _, c := range utf16.Encode([]rune(text)) {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return b
}

func TestVariantsKeras(t *testing.T) {
	n := 0
	for seed := range uint64(25) {
		s := speller{rand.New(rand.NewPCG(seed, 2))}
		e := encoder{rand.New(rand.NewPCG(seed, 3))}
		for _, object := range s.kerasObjects() {
			want := object.verdict
			text := s.nested(object.text)
			metadata := e.message(e.field(1, e.message(e.field(3, "root"), e.field(4, "_tf_keras_model"), e.field(5, strings.Repeat(" ", s.IntN(3))+text))))
			saved := e.message("\x08\x01", e.field(2, e.message(e.field(2, e.graph([]string{e.node("a", "Const", nil)})),
				e.field(7, e.message(e.field(1, e.message(e.field(4, e.message(e.field(1, "_tf_keras_model"), e.field(3, text))))))))))
			for name, content := range map[string][]byte{
				"model.json":        []byte(text),
				"config.json":       inUTF16(text),
				"notes.txt":         []byte(text),
				"list.json":         []byte("[" + text + ", 1]"),
				"m.keras":           zipped(t, file{"config.json", text}),
				"n.keras":           zipped(t, file{"a/b/config.json", text}, file{"other.bin", "1234"}, file{"assets/x.txt", "x"}),
				"tfjs/model.json":   []byte(`{"modelTopology":` + text + `,"weightsManifest":[]}`),
				"m.h5":              []byte(h5File(0, []string{h5Attribute("model_config", text)}, nil)),
				"keras_metadata.pb": []byte(metadata),
				"saved_model.pb":    []byte(saved),
				"m.tar":             tarred(t, file{"x/config.json", text}),
			} {
				model := name == "m.h5" || strings.HasSuffix(name, ".pb")
				if model && strings.Contains(object.text, ":aws:") {
					continue // in the configuration of a model, a Lambda is one without a configuration, too
				}
				n++
				if r := scanned(t, new(Scanner), content, name); r.Verdict != want {
					t.Errorf("seed %d, %s in %s: %v, want %v: %v", seed, text, name, r.Verdict, want, r.Findings)
				}
			}
		}
	}
	t.Logf("%d variants", n)
}
