// Memory, allocations, and the options.

package pickle

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// TestAllocations checks that instructions do not allocate; only chunks for thousands of values do.
func TestAllocations(t *testing.T) {
	for _, tensors := range []int{1, 1000, 50_000} {
		data := checkpointPickle(tensors)
		most := 150 + float64(tensors)/50
		got := testing.AllocsPerRun(3, func() {
			if r, err := Analyze(bytes.NewReader(data), int64(len(data)), nil); err != nil || r.Verdict != Safe || !r.Complete {
				t.Fatal(err, r)
			}
		})
		if got > most {
			t.Errorf("%d tensors: %v allocations, want at most %v", tensors, got, most)
		}
	}
}

func TestCheckpoint(t *testing.T) {
	const tensors = 5000
	data := checkpointPickle(tensors)
	g, err := Load(bytes.NewReader(data), int64(len(data)), nil)
	if err != nil || g.Report.Verdict != Safe || !g.Report.Complete {
		t.Fatal(err, g.Report)
	}
	root, ok := g.Roots()[0].Called()
	if module, name, _ := root.Callee().Global(); !ok || module != "collections" || name != "OrderedDict" {
		t.Fatalf("the root is Result by %s.%s", module, name)
	}
	n := 0
	for key, value := range root.Pairs() {
		name, _ := key.Str()
		tensor, ok := value.Called()
		if !ok || !strings.HasPrefix(name, "model.layers.") {
			t.Fatalf("%q is a %s", name, value.Kind())
		}
		id, ok := tensor.Args().Item(0).Persistent()
		class, storage, _ := id.Item(1).Global()
		elements, _ := id.Item(4).Int()
		rows, _ := tensor.Args().Item(2).Item(0).Int()
		if !ok || class != "torch" || storage != "FloatStorage" || elements != 4096*4096 || rows != 4096 ||
			tensor.Args().Len() != 6 {
			t.Fatalf("%q is Result of %v", name, tensor.Args())
		}
		n++
	}
	if n != tensors {
		t.Errorf("%d tensors, want %d", n, tensors)
	}
}

func TestOptions(t *testing.T) {
	analyze := func(code string, o Options) *Report {
		r, err := Analyze(strings.NewReader(code), int64(len(code)), &o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	five := strings.Repeat("K\x01.", 5)
	if r := analyze(five+"raw bytes", Options{MaxStreams: 5}); r.Verdict != Safe || r.End != int64(len(five)) ||
		len(r.Streams) != 5 {
		t.Errorf("MaxStreams: %s, ends at %d: %v", r.Verdict, r.End, r.Findings)
	}
	if r := analyze(five+"raw bytes"+payload+".", Options{NoSweep: true}); r.Verdict != Suspicious || len(r.Imports) != 0 {
		t.Errorf("NoSweep: %s, %d imports", r.Verdict, len(r.Imports))
	}
	if r := analyze(proto(2)+strings.Repeat("N0", 10_000)+"N.", Options{MaxOpcodes: 5000}); r.Verdict != Suspicious ||
		r.Complete {
		t.Errorf("MaxOpcodes: %s, complete %v", r.Verdict, r.Complete)
	}
	if r := analyze(strings.Repeat("N.", 10_000), Options{MaxOpcodes: 5000}); r.Verdict != Suspicious || r.Complete {
		t.Errorf("MaxOpcodes over streams: %s, complete %v", r.Verdict, r.Complete)
	}
	if r := analyze(proto(2)+strings.Repeat("]0", 100_000)+"N.", Options{MaxMemory: 1 << 20}); r.Verdict != Suspicious ||
		r.Complete {
		t.Errorf("MaxMemory: %s, complete %v", r.Verdict, r.Complete)
	}
	if r := analyze(proto(2)+strings.Repeat("]", 100_000)+payload+".",
		Options{MaxMemory: 1 << 20}); r.Verdict != Dangerous || r.Complete {
		t.Errorf("MaxMemory, and then a payload: %s, complete %v", r.Verdict, r.Complete)
	}
	nested := proto(4) + bin(proto(4)+bin(proto(4)+bin(proto(2)+payload+".")+".")+".") + "."
	if r := analyze(nested, Options{MaxNesting: 1}); r.Complete {
		t.Errorf("MaxNesting: complete")
	}
	if r := analyze(proto(2)+strings.Repeat(glob("m", "a")+"0"+glob("m", "b")+"0"+glob("m", "c")+"0", 2)+payload+".",
		Options{MaxReport: 2}); len(r.Imports) > 3 || r.Omitted == 0 || r.Verdict != Dangerous {
		t.Errorf("MaxReport: %d imports, %d omitted, %s", len(r.Imports), r.Omitted, r.Verdict)
	}
	flood := proto(2) + strings.Repeat(uni("a")+"Q0"+glob("m", "x")+")R0", 100) + payload + "."
	r := analyze(flood, Options{MaxReport: 2})
	listed := len(r.Imports) > 0 && len(r.Calls) > 0 && r.Imports[len(r.Imports)-1].Verdict == Dangerous &&
		r.Calls[len(r.Calls)-1].Verdict == Dangerous
	if !listed || !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == Error }) {
		t.Errorf("MaxReport, crowded: %v, %v, %v", r.Imports, r.Calls, r.Findings)
	}
	id := proto(2) + uni("12") + "Q."
	if r := analyze(id, Options{PersistentID: func(v Value) bool {
		s,
			_ := v.Str()
		return s == "12"
	}}); r.Verdict != Safe {
		t.Errorf("PersistentID: %s", r.Verdict)
	}
	if r := analyze(id, Options{}); r.Verdict != Suspicious {
		t.Errorf("no PersistentID: %s", r.Verdict)
	}
}

// TestCallsAreCounted checks that calls of one name are merged unless something is wrong with them.
func TestCallsAreCounted(t *testing.T) {
	code := proto(2) + ordered + "q\x000" + strings.Repeat("h\x00)R0", 100) + system + "q\x010" + "h\x01" + uni("a") +
		"\x85R0h\x01" + uni("b") + "\x85R."
	r := analyzed(t, []byte(code))
	want := []Call{
		{Callee: "collections.OrderedDict", Args: "()", Count: 100, Verdict: Safe},
		{Callee: "os.system", Args: `("a")`, Count: 1, Verdict: Dangerous, Rule: RuleDangerous},
		{Callee: "os.system", Args: `("b")`, Count: 1, Verdict: Dangerous, Rule: RuleDangerous},
	}
	if len(r.Calls) != len(want) {
		t.Fatalf("%d calls: %v", len(r.Calls), r.Calls)
	}
	for i, w := range want {
		got := r.Calls[i]
		w.Offset, w.Opcode = got.Offset, Opcode(opcode.Reduce)
		if got != w {
			t.Errorf("call %d: %+v, want %+v", i, got, w)
		}
	}
	if im := r.Imports[0]; !im.Called || im.Count != 1 {
		t.Errorf("%+v", im)
	}
}

// TestLongTexts checks that long texts stay in the file and are still complete.
func TestLongTexts(t *testing.T) {
	long := strings.Repeat("abcdefgh", 10_000)
	code := proto(4) + "(" + bin(long) + uni(long) + str("short") + "l."
	g, err := Load(strings.NewReader(code), int64(len(code)), nil)
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for v := range g.Roots()[0].Items() {
		b := make([]byte, v.Len())
		if n, err := v.Data().ReadAt(b, 0); n != len(b) || err != nil && n < len(b) {
			t.Fatal(n, err)
		}
		if want := []string{long, long, "short"}[i]; string(b) != want {
			t.Errorf("text %d is %.20q of %d bytes", i, b, len(b))
		}
		if _, ok := v.Bytes(); ok != (i == 2) {
			t.Errorf("text %d: ok %v", i, ok)
		}
		i++
	}
}
