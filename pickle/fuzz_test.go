// Fuzz tests: no panics, limits are kept, results are deterministic.

package pickle

import (
	"bytes"
	"cmp"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// seed adds pickles of every kind.
func seed(f *testing.F) {
	for _, s := range []string{
		"", ".", proto(2) + payload + ".", proto(4) + frame(stack("os", "system")+")R."),
		proto(4) + "\x95" + le64(5) + "\x8c\x08...AAAAAAAA" + payload + ".",
		proto(2) + strings.Repeat("(", 10) + "N" + strings.Repeat(strings.Repeat("2", 9)+"t", 10) + ".",
		"(S'ls'\nios\nsystem\n.", "\xff\xff" + payload + ".", "I0x10\n0L1_0L\n0F1e5\n0V\\u20ac\n.",
		proto(4) + "]\x94(K\x01h\x00e}\x94(K\x01K\x02u\x8f(K\x01\x90(K\x02\x91.",
		proto(2) + glob("copy_reg", "_reconstructor") + glob("__builtin__", "object") + glob("__builtin__", "object") +
			"N\x87R}b.",
	} {
		f.Add([]byte(s))
	}
	for _, d := range honest() {
		for _, in := range users {
			f.Add([]byte(proto(4) + "]" + in(d.String()) + "a."))
		}
	}
	for _, all := range []map[string]wrapperCode{dtypeLies(), shapeLies()} {
		for _, w := range all {
			w.make, w.shape = classMakers["NEWOBJ"], cmp.Or(w.shape, tuple("K\x01"))
			f.Add([]byte(proto(4) + w.String(stack("joblib.numpy_pickle", "NumpyArrayWrapper")) + w.payload(max(w.size, 5)) + "."))
		}
	}
	f.Add(checkpointPickle(3))
}

func FuzzAnalyze(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		const budget = 1 << 20
		o := &Options{MaxMemory: budget, MaxOpcodes: 1 << 20, MaxReport: 50}
		a := beginAnalysis(bytes.NewReader(b), int64(len(b)), o)
		a.run()
		r := a.report()
		// The budget is checked every 4,096 instructions. Each adds at most a call, a node and a few items, and slices
		// of items may double in size.
		if len(b) > 0 && a.m.Used() > 2*budget+4096*400 {
			t.Errorf("the values take %d bytes", a.m.Used())
		}
		if r.Verdict == Safe && (!r.Complete || len(r.Streams) == 0) || (r.Reason == "") != r.Complete {
			t.Errorf("%s, complete %v, reason %q", r.Verdict, r.Complete, r.Reason)
		}
		if len(r.Imports) > 100 || len(r.Calls) > 100 || len(r.Findings) > 100 {
			t.Errorf("%d imports, %d calls, %d findings", len(r.Imports), len(r.Calls), len(r.Findings))
		}
		byOffset := func(x, y Finding) int { return cmp.Compare(x.Offset, y.Offset) }
		if !slices.IsSortedFunc(r.Findings, byOffset) {
			t.Errorf("findings are not in order: %v", r.Findings)
		}
		for _, n := range r.Findings {
			if n.Rule.Text() == "" || n.Severity.Verdict() > r.Verdict || strings.ContainsAny(n.Message, "\n\x1b") {
				t.Errorf("finding %+v of a report that says %s", n, r.Verdict)
			}
		}
		g, err := Load(bytes.NewReader(b), int64(len(b)), o)
		if err != nil || !reflect.DeepEqual(without(r), without(g.Report)) {
			t.Errorf("%v: Load says %+v, Analyze %+v", err, g.Report, r)
		}
		for _, v := range g.Roots() {
			walk(v, 1000)
		}
		if err := Disassemble(io.Discard, bytes.NewReader(b), int64(len(b)), o); err != nil {
			t.Error(err)
		}
	})
}

// without returns a report without unexported and varying fields.
func without(r *Report) Report {
	c := *r
	// Load keeps the values of previous streams, which later streams can refer to. Analyze removes them, so it discards
	// some apparent streams earlier.
	c.policy, c.Memory, c.Spent = nil, 0, 0
	return c
}

// walk calls all methods of a value and of its contents, up to a number of steps.
func walk(v Value, steps int) {
	todo := []Value{v}
	for ; len(todo) > 0 && steps > 0; steps-- {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		v.Int()
		v.BigInt()
		v.Float()
		v.Bool()
		v.Global()
		if s, ok := v.Str(); ok && int64(len(s)) != v.Len() {
			panic("a str of another length")
		}
		if d := v.Data(); d != nil {
			if n, err := io.Copy(io.Discard, d); err != nil || n != v.Len() {
				panic("a text of another length")
			}
		}
		todo = slices.AppendSeq(todo, v.Items())
		for k, w := range v.Pairs() {
			todo = append(todo, k, w)
		}
		if id, ok := v.Persistent(); ok {
			todo = append(todo, id)
		}
		if c, ok := v.Called(); ok {
			state, _ := c.State()
			kwargs, _ := c.Kwargs()
			todo = append(todo, c.Callee(), c.Args(), state, kwargs)
			todo = slices.AppendSeq(todo, c.Items())
		}
	}
}
