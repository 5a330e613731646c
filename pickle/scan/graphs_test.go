// TensorFlow graphs: what their operations do, however they are encoded and wrapped.

package scan

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// An encoder writes messages in the different ways in which they can be written.
type encoder struct{ *rand.Rand }

// uvarint appends a number, sometimes with more bytes than it needs.
func (e encoder) uvarint(b []byte, v uint64) []byte {
	b = binary.AppendUvarint(b, v)
	for n := e.IntN(4); n == 0 && len(b) < 3; n = 1 {
		b[len(b)-1] |= 0x80
		b = append(b, 0)
	}
	return b
}

// field returns a field that is a string or a message.
func (e encoder) field(num int, value string) string {
	b := e.uvarint(nil, uint64(num)<<3|2)
	b = e.uvarint(b, uint64(len(value)))
	return string(b) + value
}

// message returns a message of fields in any order, with unknown fields between them.
func (e encoder) message(fields ...string) string {
	fields = slices.Clone(fields)
	e.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	var b strings.Builder
	for _, f := range fields {
		switch e.IntN(8) {
		case 0:
			b.WriteString(e.field(1000, "unknown"))
		case 1:
			b.WriteString("\xc0\x3e\x05") // number 1000, a varint
		case 2:
			b.WriteString("\xc3\x3e\x08\x01\xc4\x3e") // a group
		case 3:
			b.WriteString("\xc1\x3e12345678\xc5\x3e1234")
		}
		b.WriteString(f)
	}
	return b.String()
}

// node returns a node. Inputs are names; attributes are encoded already.
func (e encoder) node(name, op string, inputs []string, attrs ...string) string {
	fields := []string{e.field(1, name), e.field(2, op)}
	var ins strings.Builder // the order of inputs matters
	for _, in := range inputs {
		ins.WriteString(e.field(3, in))
	}
	return e.message(append(append(fields, ins.String()), attrs...)...)
}

// attr returns an attribute whose value is a field of AttrValue.
func (e encoder) attr(name, value string) string {
	return e.field(5, e.message(e.field(1, name), e.field(2, e.message(value))))
}

// text returns a constant string.
func (e encoder) text(name, value string) string {
	return e.node(name, "Const", nil, e.attr("value", e.field(8, e.message("\x08\x07", e.field(8, value)))))
}

// graph returns a graph of nodes and functions.
func (e encoder) graph(nodes []string, functions ...string) string {
	var fields, library []string
	for _, n := range nodes {
		fields = append(fields, e.field(1, n))
	}
	for _, f := range functions {
		library = append(library, e.field(1, f))
	}
	return e.message(append(fields, e.field(2, e.message(library...)))...)
}

// function returns a function of arguments and nodes.
func (e encoder) function(name string, args []string, nodes ...string) string {
	var list strings.Builder
	for _, a := range args {
		list.WriteString(e.field(2, e.field(1, a)))
	}
	fields := []string{e.field(1, e.message(e.field(1, name), list.String()))}
	for _, n := range nodes {
		fields = append(fields, e.field(3, n))
	}
	return e.message(fields...)
}

// forms are the files in which a graph can be.
func (e encoder) forms(graph string) map[string]string {
	meta := e.message(e.field(1, e.message(e.field(4, "serve"))), e.field(2, graph))
	return map[string]string{
		"frozen.pb":      graph,
		"model.meta":     meta,
		"saved_model.pb": e.message("\x08\x01", e.field(2, meta)),
		"weights.bin":    e.message("\x08\x01", e.field(2, meta)),
	}
}

// A graphCase is a graph and the verdict on it.
type graphCase struct {
	name    string
	nodes   func(encoder) (nodes, functions []string)
	verdict pickle.Verdict
}

// call returns a node that calls a function.
func (e encoder) call(name, function string, inputs ...string) string {
	return e.node(name, "StatefulPartitionedCall", inputs, e.attr("f", e.field(10, e.message(e.field(1, function)))))
}

// saving is the function that TensorFlow writes for saving variables.
func (e encoder) saving() string {
	return e.function("save", []string{"file_prefix"}, e.text("c", "_temp/part"),
		e.node("join", "StringJoin", []string{"file_prefix", "c:output:0"}), e.text("names", "w"),
		e.node("sharded", "ShardedFilename", []string{"join:output:0"}),
		e.node("s", "SaveV2", []string{"sharded:filename:0", "names:output:0"}),
		e.node("p", "Pack", []string{"sharded:filename:0", "^s"}),
		e.node("m", "MergeV2Checkpoints", []string{"p:output:0", "file_prefix"}))
}

var graphCases = []graphCase{
	{"a file is written", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "x"), e.node(strings.Repeat("n", e.IntN(300)), "WriteFile", []string{"a", "a"})}, nil
	}, pickle.Dangerous},
	{"a file is written by a function", func(e encoder) ([]string, []string) {
		return []string{e.call("c", "f")}, []string{e.function("f", nil, e.node("n", "WriteFile", []string{"a", "b"}))}
	}, pickle.Dangerous},
	{"text is printed to a file", func(e encoder) ([]string, []string) {
		return []string{e.node("p", "PrintV2", []string{"x"}, e.attr("end", e.field(2, "\n")),
			e.attr("output_stream", e.field(2, "file:///tmp/x")))}, nil
	}, pickle.Dangerous},
	{"Python is called", func(e encoder) ([]string, []string) {
		return []string{e.node("p", []string{"PyFunc", "PyFuncStateless", "EagerPyFunc"}[e.IntN(3)], nil)}, nil
	}, pickle.Dangerous},
	{"variables are saved to a path", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "/home/user/x"), e.node("s",
			[]string{"SaveV2", "SaveSlices", "Save", "MergeV2Checkpoints"}[e.IntN(4)], []string{"a", "a", "a", "a"})}, nil
	}, pickle.Dangerous},
	{"variables are saved to a path beside an input", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "../x"), e.node("i", "Placeholder", nil), e.node("j", "StringJoin", []string{"a", "i:0"}),
			e.node("s", "SaveV2", []string{"j"})}, nil
	}, pickle.Dangerous},
	{"a function saves to the path of its caller", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "x"), e.call("c", "save", "a")}, []string{e.saving()}
	}, pickle.Dangerous},
	{"a function saves to the path of the caller of its caller", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "x"), e.call("c", "outer", "a:0")},
			[]string{e.function("outer", []string{"p"}, e.call("d", "save", "p")), e.saving()}
	}, pickle.Dangerous},
	{"a default that the model chooses", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "evil"), e.node("p", "PlaceholderWithDefault", []string{"a"}),
			e.node("s", "SaveV2", []string{"p:0"})}, nil
	}, pickle.Dangerous},
	{"the default of programs that save", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "model"), e.node("p", "PlaceholderWithDefault", []string{"a"}),
			e.node("q", "PlaceholderWithDefault", []string{"p"}), e.node("s", "SaveV2", []string{"q:0"})}, nil
	}, pickle.Safe},
	{"a log is written", func(e encoder) ([]string, []string) {
		return []string{e.node("s", "CreateSummaryFileWriter", []string{"a", "b"})}, nil
	}, pickle.Dangerous},
	{"a file is read", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "/etc/passwd"), e.node("s", []string{"ReadFile", "RestoreV2"}[e.IntN(2)], []string{"a"})}, nil
	}, pickle.Suspicious},
	{"an operation of another library", func(e encoder) ([]string, []string) {
		return []string{e.node("a", "Const", nil), e.node("s", "MyOwnOperation", []string{"a"})}, nil
	}, pickle.Suspicious},
	{"a program in StableHLO", func(e encoder) ([]string, []string) {
		return []string{e.node("a", "XlaCallModule", nil)}, nil
	}, pickle.Unanalysed},

	{"numbers", func(e encoder) ([]string, []string) {
		return []string{e.node("WriteFile", "Const", nil), e.node("m", "MatMul", []string{"WriteFile", "PyFunc"})}, nil
	}, pickle.Safe},
	{"text is printed to the terminal", func(e encoder) ([]string, []string) {
		return []string{e.node("p", "PrintV2", []string{"x"}, e.attr("output_stream", e.field(2, "stderr")),
			e.attr("end", e.field(2, "file:///x")))}, nil
	}, pickle.Safe},
	{"variables are saved to the path of the user", func(e encoder) ([]string, []string) {
		return []string{e.node("saver_filename", "Placeholder", nil), e.call("c", "save", "saver_filename")},
			[]string{e.saving()}
	}, pickle.Safe},
	{"a function of the name of an operation", func(e encoder) ([]string, []string) {
		return []string{e.node("c", "MyFunction", nil)}, []string{e.function("MyFunction", nil, e.node("n", "NoOp", nil))}
	}, pickle.Safe},
	{"a file of the user is read", func(e encoder) ([]string, []string) {
		return []string{e.node("i", "Placeholder", nil), e.node("r", "ReadFile", []string{"i"})}, nil
	}, pickle.Safe},
	{"the names of operations in texts", func(e encoder) ([]string, []string) {
		return []string{e.text("a", "PyFunc"), e.text("b", "\x12\x06PyFunc"), e.text("c", "WriteFile")}, nil
	}, pickle.Safe},
}

// Each graph is written in many ways and put in many places.
func TestVariantsGraph(t *testing.T) {
	n := 0
	for _, tt := range graphCases {
		for seed := range uint64(6) {
			e := encoder{rand.New(rand.NewPCG(seed, 1))}
			nodes, functions := tt.nodes(e)
			for name, bytes := range e.forms(e.graph(nodes, functions...)) {
				for wrapped, content := range map[string][]byte{
					name:                   []byte(bytes),
					"m.zip":                zipped(t, file{"model/" + name, bytes}),
					"m.tar":                tarred(t, file{"model/" + name, bytes}),
					"m.gz":                 gzipped(t, bytes),
					strings.ToUpper(name):  []byte(bytes),
					name + ".txt":          []byte(bytes),
					fmt.Sprint("v", seed):  []byte(bytes),
					"pytorch_model.bin":    []byte(bytes),
					"config/" + name + ".": []byte(bytes),
				} {
					n++
					if r := scanned(t, new(Scanner), content, wrapped); r.Verdict != tt.verdict {
						t.Errorf("%s, seed %d, in %s of %s: %v, want %v: %v", tt.name, seed, name, wrapped, r.Verdict, tt.verdict,
							r.Findings)
					}
				}
			}
		}
	}
	t.Logf("%d variants", n)
}

// Graphs that cost much: many nodes whose names come from a long chain, and tiny fields that are
// only perhaps messages.
func TestGraphBudget(t *testing.T) {
	e := encoder{rand.New(rand.NewPCG(1, 9))}
	var nodes []string
	for i := range 3000 {
		nodes = append(nodes, e.node(fmt.Sprint("n", i), "StringJoin", []string{fmt.Sprint("n", i+1), fmt.Sprint("n", i+2)}),
			e.node(fmt.Sprint("s", i), "SaveV2", []string{fmt.Sprint("n", i)}))
	}
	s := &Scanner{MaxOpcodes: 2_000_000}
	if r := scanned(t, s, []byte(e.graph(nodes)), "m.pb"); r.Complete || r.Verdict != pickle.Dangerous || !r.Limited {
		t.Errorf("a long chain is %v, complete: %v", r.Verdict, r.Complete)
	}
	for _, text := range []string{"\x08\x01", "\x0a\x04\x12\x02AB", "\x0a\x00", "\x0a\x02\x0a\x00"} {
		if r := scanned(t, s, []byte(strings.Repeat(text, 1<<20)), "m.bin"); r.Complete || r.Verdict != pickle.Suspicious {
			t.Errorf("many %q are %v, complete: %v", text, r.Verdict, r.Complete)
		}
	}
}
