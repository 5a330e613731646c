// ONNX models: operators and files.

package scan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// onnxNode returns a node of an operator.
func (e encoder) onnxNode(domain, op string, attrs ...string) string {
	fields := []string{e.field(1, "x"), e.field(2, "y"), e.field(4, op)}
	if domain != "" || e.IntN(2) == 0 {
		fields = append(fields, e.field(7, domain))
	}
	for _, a := range attrs {
		fields = append(fields, e.field(5, a))
	}
	return e.message(fields...)
}

// onnxTensor returns a tensor whose data is in another file.
func (e encoder) onnxTensor(location string) string {
	return e.message("\x08\x04", e.field(8, "w"), "\x70\x01",
		e.field(13, e.message(e.field(1, "offset"), e.field(2, "0"))),
		e.field(13, e.message(e.field(1, "location"), e.field(2, location))))
}

// onnxModel returns a model of fields of its graph.
func (e encoder) onnxModel(graph []string, fields ...string) string {
	return e.message(append(fields, "\x08\x08", e.field(2, "test"), e.field(7, e.message(graph...)),
		e.field(8, e.message("\x10\x11")))...)
}

var onnxCases = []struct {
	name    string
	model   func(e encoder) string
	verdict pickle.Verdict
}{
	{"data outside of the folder", func(e encoder) string {
		path := []string{"../../etc/passwd", "/etc/passwd", `..\x`, `C:\x`, "a/../../b", "~/x", "file:///x"}[e.IntN(7)]
		return e.onnxModel([]string{e.field(1, e.onnxNode("", "Add")), e.field(5, e.onnxTensor(path))})
	}, pickle.Suspicious},
	{"data outside of the folder in an attribute", func(e encoder) string {
		attr := e.message(e.field(1, "value"), e.field(5, e.onnxTensor("../x")))
		return e.onnxModel([]string{e.field(1, e.onnxNode("", "Constant", attr))})
	}, pickle.Suspicious},
	{"data outside of the folder in a branch", func(e encoder) string {
		then := e.message(e.field(1, "then_branch"), e.field(6, e.message(e.field(5, e.onnxTensor("../x")))))
		return e.onnxModel([]string{e.field(1, e.onnxNode("", "If", then))})
	}, pickle.Suspicious},
	{"an operator of a library", func(e encoder) string {
		return e.onnxModel([]string{e.field(1, e.onnxNode("my.domain", "MyOp"))})
	}, pickle.Suspicious},
	{"an operator that calls Python", func(e encoder) string {
		return e.onnxModel([]string{e.field(1, e.onnxNode("ai.onnx.contrib", "PyOp"))})
	}, pickle.Dangerous},
	{"an operator of a library in a function", func(e encoder) string {
		f := e.message(e.field(1, "F"), e.field(10, "mine"), e.field(7, e.onnxNode("other", "Op")))
		return e.onnxModel([]string{e.field(1, e.onnxNode("mine", "F"))}, e.field(25, f))
	}, pickle.Suspicious},
	{"a program for an accelerator", func(e encoder) string {
		return e.onnxModel([]string{e.field(1, e.onnxNode("com.microsoft", "EPContext"))})
	}, pickle.Unanalysed},
	{"data in the folder", func(e encoder) string {
		return e.onnxModel([]string{e.field(1, e.onnxNode("", "Add")), e.field(5, e.onnxTensor("model.onnx_data"))})
	}, pickle.Safe},
	{"operators of ONNX Runtime", func(e encoder) string {
		return e.onnxModel([]string{e.field(1, e.onnxNode("com.microsoft", "FusedMatMul")),
			e.field(1, e.onnxNode("ai.onnx", "Gemm"))})
	}, pickle.Safe},
	{"a function of the model", func(e encoder) string {
		f := e.message(e.field(1, "F"), e.field(10, "mine"), e.field(7, e.onnxNode("", "Add")))
		return e.onnxModel([]string{e.field(1, e.onnxNode("mine", "F"))}, e.field(25, f))
	}, pickle.Safe},
}

func TestVariantsONNX(t *testing.T) {
	n := 0
	for _, tt := range onnxCases {
		for seed := range uint64(12) {
			model := tt.model(encoder{rand.New(rand.NewPCG(seed, 4))})
			for name, content := range map[string][]byte{
				"model.onnx":             []byte(model),
				"model.bin":              []byte(model),
				fmt.Sprint("v", seed):    []byte(model),
				"m.zip":                  zipped(t, file{"a/model.onnx", model}),
				"m.tar":                  tarred(t, file{"model.dat", model}),
				"model.onnx.gz":          gzipped(t, model),
				"onnx/decoder_model.pb":  []byte(model),
				"model.onnx.safetensors": []byte(model),
			} {
				n++
				if r := scanned(t, new(Scanner), content, name); r.Verdict != tt.verdict {
					t.Errorf("%s, seed %d, in %s (%s): %v, want %v: %v", tt.name, seed, name, r.Format, r.Verdict, tt.verdict,
						r.Findings)
				}
			}
		}
	}
	t.Logf("%d variants", n)
}

// onnxTexts are models as onnx 1.23 writes them with the formats "onnxtxt" and "json".
var onnxTexts = []struct {
	syntax, json string
	verdict      pickle.Verdict
}{
	{`y = Relu (x)`, `{"node": [{"op_type": "Relu"}]}`, pickle.Safe},
	{`y = my.dom.Evil (x)`, `{"node": [{"op_type": "Evil", "domain": "my.dom"}]}`, pickle.Suspicious},
	{`y = my.dom.Evil <a: int = 1> (x)`, `{"node": [{"opType": "Evil", "domain": "my.dom"}]}`, pickle.Suspicious},
	{`y = my.dom.Evil : v2 (x)`, `{"node": {"op_type": "Evil", "domain": "my.dom"}}`, pickle.Suspicious},
	{`y = ai.onnx.contrib.PyOp (x)`, `{"node": [{"op_type": "PyOp", "domain": "ai.onnx.contrib"}]}`, pickle.Dangerous},
	{`c = Constant <value: tensor = bool c {1}> ()
   y = If (c) <else_branch: graph = s () => (float[2] z) {
      z = my.dom.Evil (x)
   }>`, `{"node": [{"op_type": "If", "attribute": [{"name": "a", "g": {"node": [{"op_type": "Evil", "domain": "d"}]}}]}]}`,
		pickle.Suspicious},
	{`c = Constant <value: tensor = bool c {1}> ()
   y = If (c) <else_branch: graph = s () => (float[2] z) {
      z = Relu (x)
   }>`, `{"node": [{"op_type": "If", "attribute": [{"name": "a", "g": {"node": [{"op_type": "Relu"}]}}]}]}`, pickle.Safe},
	{`y = Add (x, w)
   # a comment with Evil (x)
   z = Constant <value_string: string = "a = Evil (x)"> ()`,
		`{"node": [{"op_type": "Add", "doc_string": "a"}, {"op_type": "Constant", "attribute": {"s": "aGVsbG8="}}]}`, pickle.Safe},
	{`y = LeakyRelu <alpha: float = 0.1> (x)
   z = Constant <value = float[2] w = ["location": "../../../etc/passwd"]> ()`,
		`{"node": [{"op_type": "Relu"}], "initializer": [{"externalData": [{"key": "location", "value": "/etc/passwd"}]}]}`,
		pickle.Suspicious},
	{`z = Constant <value = float[2] w = ["location": "weights.bin"]> ()`,
		`{"node": [{"op_type": "Relu"}], "initializer": [{"external_data": [{"key": "location", "value": "w.bin"}]}]}`,
		pickle.Safe},
	{`y = local.Twice (x)
}
< domain: "local", opset_import: ["": 18] >
Twice (a) => (b)
{
   b = Add (a, a)`, `{"node": [{"op_type": "Relu"}]}`, pickle.Safe},
	{`y = local.Twice (x)
}
< domain: "other", opset_import: ["": 18] >
Twice (a) => (b)
{
   b = Add (a, a)`, `{"node": [{"op_type": "Evil", "domain": ""}]}`, pickle.Suspicious},
	{`y = Relu <a: string = "unfinished`, `{"node": [{"op_type": "Relu", "attribute": {"s": "%"}}]}`, pickle.Unanalysed},
}

func TestONNXTexts(t *testing.T) {
	for _, tt := range onnxTexts {
		syntax := "<\n   ir_version: 14,\n   opset_import: [\"\" : 18, \"my.dom\" : 1]\n>\n" +
			"g (float[2] x, seq(float[2]) s) => (float[2] y) \n   <float[2] w = {1,2}>\n{\n   " + tt.syntax + "\n}\n"
		for name, text := range map[string]string{"m.onnxtxt": syntax, "m.txt": syntax,
			"m.onnxjson": `{"ir_version": "14", "graph": ` + tt.json + `}`,
			"m.json":     `{"opsetImport": [{"domain": "", "version": "18"}], "graph": ` + tt.json + `, "irVersion": 14}`} {
			if r := scanned(t, new(Scanner), []byte(text), name); r.Verdict != tt.verdict || r.Format[:4] != "onnx" &&
				tt.verdict != pickle.Unanalysed {
				t.Errorf("%s is %s, %v, want %v: %v\n%s", name, r.Format, r.Verdict, tt.verdict, r.Findings, text)
			}
		}
	}
	for text, name := range map[string]string{`{"graph": {"nodes": [1]}, "version": 1}`: "m.json", "{}": "x.onnxjson",
		`<graph> "a"`: "m.txt"} {
		if r := scanned(t, new(Scanner), []byte(text), name); r.Verdict != pickle.Safe {
			t.Errorf("%s: %v, %v", text, r.Verdict, r.Findings)
		}
	}
}
