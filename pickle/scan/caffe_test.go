// Networks of Caffe, whose layers may be Python classes.

package scan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

func TestCaffe(t *testing.T) {
	e := encoder{rand.New(rand.NewPCG(1, 2))}
	n := 0
	for _, layer := range []struct {
		module, class string
		verdict       pickle.Verdict
	}{{"evil", "L", pickle.Suspicious}, {"os", "system", pickle.Dangerous}, {"a.b", "C", pickle.Suspicious}, {"", "", pickle.Safe}} {
		for _, before := range []string{"name: \"net\"\n", "input: 'x' # c\n", "", "force_backward: true;"} {
			for _, form := range []string{"layer { type: \"Python\" python_param { module: %q layer: %q } }",
				"layer < name: 'a' type: 'Python' python_param: < layer: 'x' layer: %[2]q module: %[1]q > >",
				"layer{bottom:[\"a\",\"b\"] param{lr_mult:1} python_param{param_str:\"{}\" module:%q layer:%q},type:'P' 'ython'}"} {
				for _, name := range []string{"train.prototxt", "a.pbtxt", "x", "a.txt"} {
					text := before + "layer { type: \"ReLU\" }\n" + fmt.Sprintf(form, layer.module, layer.class)
					if layer.module == "" {
						text = before + "layer { type: \"ReLU\" name: \"r\" }\n"
					}
					n++
					if r := scanned(t, new(Scanner), []byte(text), name); r.Verdict != layer.verdict {
						t.Errorf("%s: %s is %s, %v (%s), want %v", name, text, r.Format, r.Verdict, rules(r), layer.verdict)
					}
				}
			}
		}
		for range 40 {
			fields := []string{e.field(1, "l"), e.field(2, "Python"), e.field(3, "data")}
			if layer.module != "" {
				fields = append(fields, e.field(130, e.message(e.field(1, layer.module), e.field(2, layer.class))))
			}
			net := e.message(e.field(1, "net"), e.field(100, e.message(e.field(1, "r"), e.field(2, "ReLU"))),
				e.field(100, e.message(fields...)))
			n++
			if r := scanned(t, new(Scanner), []byte(net), "m.caffemodel"); r.Format != "caffe" || r.Verdict != layer.verdict {
				t.Errorf("%q is %s, %v (%s), want %v", net, r.Format, r.Verdict, rules(r), layer.verdict)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d variants", n)
	}
}

// Texts in ONNX models and Parquet files are judged as other texts are.
func TestTextsInOtherFormats(t *testing.T) {
	e := encoder{rand.New(rand.NewPCG(3, 4))}
	n := 0
	for _, c := range []struct {
		key, text string
		verdict   pickle.Verdict
	}{
		{"a", "!!python/object/apply:os.system ['id']", pickle.Dangerous},
		{"chat_template", "{{ ''.__class__.__mro__ }}", pickle.Suspicious},
		{"a", `{"_target_": "os.system"}`, pickle.Dangerous},
		{"a", "_target_: os.system", pickle.Dangerous},
		{"a", `{"auto_map": {"AutoModel": "m.M"}}`, pickle.Suspicious},
		{"a", "a text! {with} braces", pickle.Safe},
	} {
		pair := e.message(e.field(1, c.key), e.field(2, c.text))
		node := func(fields ...string) string {
			return e.field(1, e.message(append(fields, e.field(1, "x"), e.field(4, "Relu"))...))
		}
		relu := node()
		for place, model := range map[string]string{
			"model":     e.onnxModel([]string{relu}, e.field(14, pair)),
			"text":      e.onnxModel([]string{relu}, e.field(6, c.text)),
			"graph":     e.onnxModel([]string{relu, e.field(16, pair)}),
			"graphtext": e.onnxModel([]string{relu, e.field(10, c.text)}),
			"node":      e.onnxModel([]string{node(e.field(9, pair))}),
			"nodetext":  e.onnxModel([]string{node(e.field(6, c.text))}),
			"attribute": e.onnxModel([]string{node(e.field(5, e.message(e.field(1, "a"), e.field(4, c.text))))}),
			"strings":   e.onnxModel([]string{node(e.field(5, e.message(e.field(1, "a"), e.field(9, c.text))))}),
			"tensor":    e.onnxModel([]string{relu, e.field(5, e.message("\x10\x08", e.field(6, "x"), e.field(6, c.text)))}),
			"parquet":   parquetFile(c.key, c.text),
			"last":      parquetFile("pandas", "{}", c.key, c.text),
			"onnxtext": fmt.Sprintf("ir_version: 8 graph { node { op_type: 'Relu' } } metadata_props { key: %q value: '%s' }",
				c.key, strings.ReplaceAll(c.text, "'", `\'`)),
		} {
			n++
			r := scanned(t, new(Scanner), []byte(model), "m.bin")
			if r.Verdict < c.verdict || c.verdict == pickle.Safe && r.Verdict > pickle.Safe {
				t.Errorf("%s with %s is %s, %v (%s), want %v", place, c.text, r.Format, r.Verdict, rules(r), c.verdict)
			}
		}
	}
}
