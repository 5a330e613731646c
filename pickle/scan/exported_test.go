// Programs of torch.export, whose expressions SymPy evaluates with eval.

package scan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// exported returns an archive of torch.export with an expression, a guard and an operator.
func exported(t *testing.T, expr, guard, target string) []byte {
	t.Helper()
	node := map[string]any{"target": target, "inputs": []any{}, "outputs": []any{}}
	model, err := json.Marshal(map[string]any{
		"graph_module": map[string]any{"graph": map[string]any{"nodes": []any{node}, "sym_int_values": map[string]any{
			"s": map[string]any{"as_expr": map[string]any{"expr_str": expr}}}}},
		"guards_code": []string{guard},
	})
	if err != nil {
		t.Fatal(err)
	}
	return deflated(t, file{"m/archive_format", "pt2"}, file{"m/models/model.json", string(model)})
}

// What torch.export of PyTorch 2.15 wrote for models with dynamic shapes.
func TestExportedPrograms(t *testing.T) {
	const symbol, guard, target = "Symbol('s77', positive=True, integer=True)", "L['x'].size()[0] >= 2", "torch.ops.aten.add.Tensor"
	for _, expr := range []string{symbol, "Mul(Integer(2), " + symbol + ")", "GreaterThan(Symbol('u0', integer=True), Integer(0))",
		"Add(Pow(" + symbol + ", Integer(2)), Integer(-1))", "Mod(s0, 2) + floor(s1/3.5e-3)"} {
		for _, target := range []string{target, "_operator.mul", "torch.sym_max", "math.ceil", "torch.ops.higher_order.cond"} {
			if r := scanned(t, new(Scanner), exported(t, expr, guard, target), "m.pt2"); r.Verdict != pickle.Safe {
				t.Errorf("%s, %s is %v (%s)", expr, target, r.Verdict, rules(r))
			}
		}
	}
	n := 0
	for _, code := range []string{"__import__('os').system('id')", "exec('x')", "eval(\"1\")", "open('a', 'w')", "Integer.mro()",
		"getattr(Integer, 'x')", "().__class__", "Integer(1).doit.__globals__", "lambdify(x, 'y')", "[].pop()",
		"breakpoint()", "compile('a', 'b', 'exec')", "print(1)", "S('os').x", "input()", "x if y else z.w"} {
		for _, form := range []string{"%s", "%s*0+" + symbol, symbol + "+%s", "Add(%s, Integer(1))", "Max(Integer(1),( %s ))",
			strings.Repeat("Integer(1)+", 1000) + "%s"} {
			expr := fmt.Sprintf(form, code)
			if r := scanned(t, new(Scanner), exported(t, expr, guard, target), "m.pt2"); r.Verdict != pickle.Dangerous {
				t.Errorf("the expression %.200s is %v", expr, r.Verdict)
			}
			if r := scanned(t, new(Scanner), exported(t, symbol, expr, target), "m.pt2"); r.Verdict < pickle.Suspicious {
				t.Errorf("the guard %.200s is %v", expr, r.Verdict)
			}
			n += 2
		}
	}
	for _, target := range []string{"torch.serialization.os.system", "torch.ops.load_library", "torch.load", "_operator.call",
		"_operator.attrgetter", "math.os.system", "torch.ops.mine.evil.default", "torch.hub.load", "os.system"} {
		if r := scanned(t, new(Scanner), exported(t, symbol, guard, target), "m.pt2"); r.Verdict < pickle.Suspicious {
			t.Errorf("the operator %s is %v", target, r.Verdict)
		}
		n++
	}
	if n < 200 {
		t.Errorf("only %d variants", n)
	}
}

// The weights of a program are bytes without a header; with use_pickle they are pickles.
func TestExportedWeights(t *testing.T) {
	for content, want := range map[string]pickle.Verdict{"\x01\x02\x03\xbf12345678\x00\xff": pickle.Safe, evil: pickle.Dangerous} {
		b := zipped(t, file{"m/archive_format", "pt2"}, file{"m/data/weights/weight_0", content},
			file{"m/data/weights/model_weights_config.json", `{"config": {}}`}, file{"m/models/model.json", "{}"})
		if r := scanned(t, new(Scanner), b, "m.pt2"); r.Verdict != want || r.Format != "torch-export" {
			t.Errorf("%q: %s, %v: %v", content, r.Format, r.Verdict, r.Findings)
		}
	}
}

// An array of Zarr whose objects are pickles: the chunks are in other files.
func TestZarrCodecs(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       pickle.Verdict
	}{
		{".zarray", `{"dtype": "|O", "filters": [{"id": "pickle", "protocol": 5}], "zarr_format": 2}`, pickle.Suspicious},
		{".zmetadata", `{"metadata": {"a/.zarray": {"filters": [{"id": "pickle"}]}}}`, pickle.Suspicious},
		{"zarr.json", `{"codecs": [{"name": "numcodecs.pickle", "configuration": {}}]}`, pickle.Suspicious},
		{".zarray", `{"dtype": "|O", "filters": [{"id": "json2"}], "compressor": {"id": "blosc"}, "id": "pickle"}`, pickle.Safe},
		{"config.json", `{"filters": [{"id": "pickle"}]}`, pickle.Safe},
	} {
		if r := scanned(t, new(Scanner), []byte(tt.text), tt.name); r.Verdict != tt.want {
			t.Errorf("%s %s: %v, want %v: %v", tt.name, tt.text, r.Verdict, tt.want, r.Findings)
		}
	}
}
