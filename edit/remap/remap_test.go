package remap_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit/remap"
)

// filled returns a tensor of bytes that differ from those of other names.
func filled(t *testing.T, name string, d safetensors.Dtype, shape ...int64) *safetensors.Tensor {
	t.Helper()
	n := int64(1)
	for _, dim := range shape {
		n *= dim
	}
	size, _ := d.Size(n)
	b := make([]byte, size)
	for i := range b {
		b[i] = byte(i*7+len(name)) ^ name[i%len(name)]
	}
	x, err := safetensors.TensorAt(name, d, shape, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// made applies a map to tensors, and returns all that there is then, sorted by name, and the drops.
func made(t *testing.T, m *remap.Map, p remap.Params, tensors []*safetensors.Tensor) ([]*safetensors.Tensor, error) {
	t.Helper()
	r, err := m.Apply(tensors, p)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(r.Rest)
	for _, one := range r.Made {
		list = append(list, one.Tensor)
	}
	slices.SortFunc(list, func(a, b *safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

const twoLayers = `# a model
emb.weight => tok.weight
l.{n}.q.weight + l.{n}.k.weight + l.{n}.v.weight => l.{n}.qkv.weight : interleave(heads,kv_heads,-) groups(kv_heads,q,k,v)
l.{n}.gate.weight + l.{n}.up.weight => l.{n}.gate_up.weight : fuse
l.{n}.e.{x}.w1.weight + l.{n}.e.{x}.w3.weight => l.{n}.experts.gate_up : fuse transpose stack
l.{n}.e.{x}.w2.weight => l.{n}.experts.down : stack
conv.weight => conv.weight : axes(0,2,3,1)
vae.weight => vae.weight : unsqueeze(-1,-1)
norm.weight => norm.weight : swap
kv.weight => k.weight + v.weight : unflatten(0,heads) split(1,3,1) transpose@1
heads = 4
`

// Every step there and back, which must restore every byte.
func TestThereAndBack(t *testing.T) {
	m, err := remap.Parse("test.map", []byte(twoLayers))
	if err != nil {
		t.Fatal(err)
	}
	back, err := m.Reverse()
	if err != nil {
		t.Fatal(err)
	}
	p := remap.ParamsOf("config.json", []byte(`{"text_config": {"num_key_value_heads": 2}}`))
	tensors := []*safetensors.Tensor{
		filled(t, "emb.weight", safetensors.BF16, 10, 6), filled(t, "head.weight", safetensors.BF16, 10, 6),
		filled(t, "conv.weight", safetensors.F32, 4, 3, 2, 2), filled(t, "vae.weight", safetensors.F16, 4, 4),
		filled(t, "norm.weight", safetensors.F16, 8), filled(t, "other", safetensors.U8, 3),
		filled(t, "kv.weight", safetensors.BF16, 16, 5),
	}
	for l := range 2 {
		at := fmt.Sprintf("l.%d.", l)
		for name, rows := range map[string]int64{"q": 16, "k": 8, "v": 8, "gate": 12, "up": 12} {
			tensors = append(tensors, filled(t, at+name+".weight", safetensors.BF16, rows, 6))
		}
		for e := range 11 {
			for _, name := range []string{"w1", "w2", "w3"} {
				tensors = append(tensors, filled(t, fmt.Sprintf("%se.%d.%s.weight", at, e, name), safetensors.BF16, 5, 6))
			}
		}
	}
	there, err := made(t, m, p, tensors)
	if err != nil {
		t.Fatal(err)
	}
	shapes := make(map[string]string)
	for _, x := range there {
		shapes[x.Name] = x.ShapeString()
	}
	for name, want := range map[string]string{"l.1.qkv.weight": "[32, 6]", "l.0.gate_up.weight": "[24, 6]",
		"l.0.experts.gate_up": "[11, 6, 10]", "l.1.experts.down": "[11, 5, 6]", "conv.weight": "[4, 2, 2, 3]",
		"vae.weight": "[4, 4, 1, 1]", "tok.weight": "[10, 6]", "head.weight": "[10, 6]", "other": "[3]",
		"k.weight": "[4, 5, 3]", "v.weight": "[4, 1, 5]"} {
		if shapes[name] != want {
			t.Errorf("%s is %s, want %s", name, shapes[name], want)
		}
	}
	if len(shapes) != 16 {
		t.Error(len(shapes), shapes)
	}
	again, err := made(t, back, p, there)
	if err != nil || len(again) != len(tensors) {
		t.Fatal(len(again), err)
	}
	for _, x := range tensors {
		i := slices.IndexFunc(again, func(y *safetensors.Tensor) bool { return y.Name == x.Name })
		if i < 0 || !slices.Equal(again[i].Shape, x.Shape) || again[i].Dtype != x.Dtype {
			t.Errorf("%s is not there, or differs", x.Name)
			continue
		}
		was, _ := x.Bytes()
		if is, err := again[i].Bytes(); err != nil || !bytes.Equal(is, was) {
			t.Errorf("%s has other bytes: %v", x.Name, err)
		}
	}
}

func TestNames(t *testing.T) {
	const text = `_orig_mod.{*} => {*}
h.{n}.mlp.w1.weight => layers.{n}.gate.weight
h.{n}.mlp.w{m}.weight => layers.{n}.w{m}
blocks_{n}_{m} => blocks.{n}.{m}
rotary.{*} => -
{*}.gamma => {*}.weight
{*}.beta => -
a1.b2 => found
a1.{n}{*} => one.{n}{*}
a1{*} => two{*}
c.{n}.d{*}.x1 => c.{n}.{*}
c.7.d{*}.x2 => c.{*}
`
	m, err := remap.Parse("x", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for was, want := range map[string]string{
		"_orig_mod.a.b": "a.b", "h.12.mlp.w1.weight": "layers.12.gate.weight", "h.12.mlp.w3.weight": "layers.12.w3",
		"blocks_3_14": "blocks.3.14", "rotary.inv": "", "a.gamma": "a.weight", "h.x.mlp.w1.weight": "h.x.mlp.w1.weight",
		"a1.b2": "found", "a#.b2": "a#.b2", "a1.33x": "one.33x", "a12": "two2", "a1.#": "two.#", "a1": "a1",
		"c.7.d8.x1": "c.7.8", "c.7.d88.x2": "c.88", "c.8.d88.x2": "c.8.d88.x2", "a.beta": "",
		".gamma": ".gamma", "blocks_3_": "blocks_3_", "h.1.mlp.w1.weights": "h.1.mlp.w1.weights",
	} {
		list, err := made(t, m, remap.Params{}, []*safetensors.Tensor{filled(t, was, safetensors.U8, 1)})
		got := ""
		if len(list) == 1 {
			got = list[0].Name
		}
		if err != nil || got != want {
			t.Errorf("%s becomes %q, want %q: %v", was, got, want, err)
		}
	}
}

// Rules with {*} are found by what is before and after it: the time does not grow with their number.
func TestManyRules(t *testing.T) {
	var rules []remap.Rule
	var tensors []*safetensors.Tensor
	for i := range 3000 {
		from, to := fmt.Sprintf("a.%d.{n}.x{*}.w%d", i, i), fmt.Sprintf("b.{n}.x{*}.w%d", i)
		rules = append(rules, remap.Rule{From: []string{from}, To: []string{to}})
	}
	m, err := remap.New(rules, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50_000 {
		tensors = append(tensors, filled(t, fmt.Sprintf("a.%d.%d.xy.w%d", i%3000, i, i%3000), safetensors.U8, 1))
	}
	r, err := m.Apply(tensors, remap.Params{})
	if err != nil || len(r.Made) != len(tensors) || r.Made[7].Name != "b.7.xy.w7" || len(r.Idle) > 0 {
		t.Fatal(err, len(r.Made), len(r.Idle))
	}
}

func TestJSON(t *testing.T) {
	m, err := remap.Parse("x.json", []byte(`{"a": "b", "c.{n}": "d.{n}", "drop": null}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Apply([]*safetensors.Tensor{filled(t, "a", safetensors.U8, 1), filled(t, "c.7", safetensors.U8, 1)}, remap.Params{})
	if err != nil || len(r.Made) != 2 || r.Made[1].Name != "d.7" || len(r.Idle) != 1 || r.Idle[0].String() != "drop => -" {
		t.Error(r, err)
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"a -> b":                   "not of the form FROM => TO",
		"a => b : turn":            `"turn" is no step`,
		"a => b : axes":            "0 arguments",
		"a => b : axes(1,0":        "closing parenthesis",
		"a + b => c":               "2 tensors cannot become 1",
		"a => b + c":               "1 tensors cannot become 2",
		"a.{n} => b":               `takes the step "stack"`,
		"a => b.{n}":               `takes the step "unstack"`,
		"a.{n} => b.{n} : stack":   "needs a placeholder that only the names before it have",
		"a.{n}.{m} => b : stack":   "which the other side lacks",
		"a.{n} + b => c : fuse":    "which another name on its side lacks",
		"{*}.{n} => b":             "has a placeholder after {*}",
		"a.{n}{m} => b.{n}{m}":     "two placeholders with nothing between",
		"a.{*} => b":               "which the other side lacks",
		"":                         "has no rules",
		"a => b : transpose@3":     "applies to one of 1 tensors",
		"a => b : swap@0":          "counts from 1",
		"n = 99999999999999999999": "is too large",
		`{"a": 1}`:                 "expected an object of names",
		`{"a": "b", "a": "c"}`:     "occurs twice",
		`{}`:                       "has no names",
		" => b":                    "not of the form",
		"a => b : flatten(1)":      "1 arguments, expected 2 to 2",
		"# only a comment\n\n":     "has no rules",
	} {
		if _, err := remap.Parse("m", []byte(strings.ReplaceAll(text, "\\n", "\n"))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestApplyRefuses(t *testing.T) {
	for _, test := range []struct{ text, names, want string }{
		{"q + k => qk : fuse", "k", `tensor "q" is missing, which is to be joined with "k"`},
		{"q + k => qk : fuse", "q", `tensor "k" is missing`},
		{"e.{x} => e : stack", "e.0 e.2", `tensor "e.1" is missing`},
		{"e.{x} => e : stack", "e.1", `tensor "e.0" is missing`},
		{"e.{x} => e : stack", "e.00", "not a number that can be stacked"},
		{"q => w : interleave(heads)", "q", "there is no config.json"},
		{"q => w : axes(1,1)", "q", "not those of its shape"},
		{"q => w : split(0,1)", "q", ""},
		{"q.weight => w.weight : transpose", "q.weight q.weight_scale", "is part of a packed weight, to which transpose cannot be applied"},
		{"q.weight => w.weight", "q.weight q.weight_scale", ""},
	} {
		m, err := remap.Parse("m", []byte(test.text))
		if err != nil {
			t.Fatal(test.text, err)
		}
		var tensors []*safetensors.Tensor
		for _, name := range strings.Fields(test.names) {
			d := safetensors.F32
			if strings.Contains(test.names, "_scale") && name == "q.weight" {
				d = safetensors.Dtype("F8_E4M3")
			}
			tensors = append(tensors, filled(t, name, d, 4, 4))
		}
		_, err = m.Apply(tensors, remap.Params{})
		if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "m:1: ")) {
			t.Errorf("%s of %s: %v, want %q", test.text, test.names, err, test.want)
		}
	}
}

// Maps that would take long, or say too much, are refused briefly.
func TestLongMaps(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("x", 100_000):            "not of the form FROM => TO",
		"a => b : " + strings.Repeat("y", 9999): "is no step",
	} {
		if _, err := remap.Parse("m", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > 1000 {
			t.Errorf("%.2000v, want %s", err, want)
		}
	}
}

// A rule without an inverse is an error, and one that drops is left out.
func TestReverseRefuses(t *testing.T) {
	m, err := remap.Parse("m", []byte("a => b : reshape(2,-1)"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Reverse(); err == nil || !strings.Contains(err.Error(), `step "reshape(2,-1)" has no inverse`) {
		t.Error(err)
	}
}

// Half a million names against a thousand rules take a moment.
func TestManyNames(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "layers.{n}.m%d.e.{x}.weight => l.{n}.m%d.{x}.weight\n", i, i)
	}
	m, err := remap.Parse("m", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	tensors := make([]*safetensors.Tensor, 500_000)
	info := safetensors.Tensor{TensorInfo: safetensors.TensorInfo{Dtype: safetensors.U8}}
	for i := range tensors {
		tensors[i] = info.Rename(fmt.Sprintf("layers.%d.m%d.e.%d.weight", i/10_000, i%1000, i/1000%10))
	}
	r, err := m.Apply(tensors, remap.Params{})
	if err != nil || len(r.Made) != len(tensors) {
		t.Error(err)
	}
}
