// Pickles written by Python: harmless values are safe and load unchanged.

package pickle

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// writeScript prints, for each value and protocol, the repr of the value, the protocol, its JSON or "-", and its pickle
// in hexadecimal.
const writeScript = `
import pickle, json, uuid, pathlib, decimal, fractions, argparse, types, datetime
from collections import *
loop = []; loop.append(loop)
deep = None
for i in range(200): deep = [deep]
t = (1, 2); shared = [t, t, t]
plain = [None, True, False, 0, 1, -1, 255, 256, 65535, 65536, 2**31-1, -2**31, 2**31, 2**63-1, -2**63, 1.5, -0.0, 1e300,
  "", "abc", "a\nb'c\\", "\u20ac\U0001f600", "\x7f\x80\xff", "x"*300, "y"*5000, [], [1,[2,[3]]], {}, {"a": {"b": [1, 2.5, None]}},
  list(range(3000)), {str(i): i for i in range(2500)}, ["k"]*1000, deep, shared]
odd = [(), (1,), (1,2), (1,2,3), (1,2,3,4), ((),((),)), 2**64, -2**64, 2**2000, -(2**2000), float("inf"), float("nan"), b"", b"abc", b"\xff"*300,
  b"z"*100000, bytearray(b"abc"), bytearray(), set(), {1,2}, frozenset(), frozenset({1}), {(1,2): 3}, complex(1,2), range(10), slice(1,2),
  "\ud800", loop, OrderedDict(a=1), OrderedDict(), defaultdict(list, a=[1]), defaultdict(None), Counter("abca"), datetime.datetime(2020,1,2,3,4,5,6),
  datetime.datetime(2020,1,2,tzinfo=datetime.timezone.utc), datetime.date(2020,1,2), datetime.time(1,2), datetime.timedelta(1), uuid.UUID(int=5),
  pathlib.PurePosixPath("a/b"), pathlib.PureWindowsPath("a"), decimal.Decimal("1.5"), fractions.Fraction(1,3), argparse.Namespace(a=1),
  types.SimpleNamespace(a=1), [int, float, str, list, dict, set, tuple, bytes, bool]]
for p in range(6):
    for v in plain: print(ascii(v)[:60], p, json.dumps(v), pickle.dumps(v, p).hex(), sep="\t")
    for v in odd:
        try: print(ascii(v)[:60], p, "-", pickle.dumps(v, p).hex(), sep="\t")
        except Exception: pass
`

func TestPythonWrites(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	out, err := exec.Command(python, "-c", writeScript).Output()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		n++
		f := strings.Split(strings.TrimSpace(line), "\t")
		t.Run(f[0]+"/"+f[1], func(t *testing.T) {
			b, err := hex.DecodeString(f[3])
			if err != nil {
				t.Fatal(err)
			}
			compareLoaded(t, b, f[2])
		})
	}
	if n < 400 {
		t.Errorf("only %d pickles", n)
	}
}

// compareLoaded loads a pickle written by Python and compares it with its JSON, unless that is "-".
func compareLoaded(t *testing.T, b []byte, want string) {
	g, err := Load(bytes.NewReader(b), int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	r := g.Report
	if r.Verdict != Safe || !r.Complete || len(r.Findings) != 0 || r.End != int64(len(b)) || len(g.Roots()) != 1 {
		t.Errorf("%s, complete %v, ends at %d of %d, findings %v", r.Verdict, r.Complete, r.End, len(b), r.Findings)
	}
	if want == "-" {
		return
	}
	var v any
	d := json.NewDecoder(strings.NewReader(want))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if got, want := textOf(g.Roots()[0]), textOfJSON(v); got != want {
		t.Errorf("got %.200s, want %.200s", got, want)
	}
}

// textOf formats a value.
func textOf(v Value) string {
	switch v.Kind() {
	case KindNone:
		return "null"
	case KindBool:
		b, _ := v.Bool()
		return fmt.Sprint(b)
	case KindInt:
		return v.BigInt().String()
	case KindFloat:
		f, _ := v.Float()
		return fmt.Sprintf("%x", math.Float64bits(f))
	case KindStr:
		b, err := io.ReadAll(v.Data())
		if err != nil {
			return err.Error()
		}
		return fmt.Sprintf("%q", b)
	case KindList, KindTuple:
		var parts []string
		for item := range v.Items() {
			parts = append(parts, textOf(item))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case KindDict:
		var parts []string
		for key, value := range v.Pairs() {
			parts = append(parts, textOf(key)+":"+textOf(value))
		}
		return fmt.Sprintf("{%d %s}", len(parts), strings.Join(sorted(parts), " "))
	}
	return v.Kind().String()
}

func textOfJSON(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case json.Number:
		if f, err := v.Float64(); strings.ContainsAny(v.String(), ".e") && err == nil {
			return fmt.Sprintf("%x", math.Float64bits(f))
		}
		return v.String()
	case string:
		return fmt.Sprintf("%q", []byte(v))
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, textOfJSON(item))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case map[string]any:
		var parts []string
		for key, value := range v {
			parts = append(parts, textOfJSON(key)+":"+textOfJSON(value))
		}
		return fmt.Sprintf("{%d %s}", len(parts), strings.Join(sorted(parts), " "))
	}
	return fmt.Sprint(v)
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}
