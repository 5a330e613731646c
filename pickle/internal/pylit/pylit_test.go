// Literals, compared with tables from the documentation of C and Python, and with Python if it is installed.

package pylit

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

func TestInt(t *testing.T) {
	for _, k := range []struct {
		line string
		want Number
	}{
		{"0", Number{OK: true}},
		{"7", Number{OK: true, Value: 7}},
		{"-7", Number{OK: true, Value: -7}},
		{"00", Number{OK: true, Bool: true}},
		{"01", Number{OK: true, Bool: true, Value: 1}},
		{"9223372036854775807", Number{OK: true, Value: math.MaxInt64}},
		{"-9223372036854775808", Number{OK: true, Value: math.MinInt64}},
		{"9223372036854775808", Number{OK: true, Big: true, Base: 10, Text: []byte("9223372036854775808")}},
		// Accepted by C's strtol with base 0, but not written by any pickler.
		{"0x1F", Number{OK: true, Value: 31, Odd: true}},
		{"017", Number{OK: true, Value: 15, Odd: true}},
		{" 7", Number{OK: true, Value: 7, Odd: true}},
		{"+7", Number{OK: true, Value: 7, Odd: true}},
		{"+1", Number{OK: true, Value: 1, Bool: true, Odd: true}}, // three bytes including the line feed, with the value 1
		{"7\x00junk", Number{OK: true, Value: 7, Odd: true}},
		{"\x00", Number{OK: true, Odd: true}},
		{"\x00x", Number{OK: true, Bool: true, Odd: true}},
		// Not accepted by strtol, but by Python.
		{"0b101", Number{OK: true, Value: 5, Odd: true}},
		{"0o17", Number{OK: true, Value: 15, Odd: true}},
		{"1_000", Number{OK: true, Value: 1000, Odd: true}},
		{"0x_f", Number{OK: true, Value: 15, Odd: true}},
		{"7 ", Number{OK: true, Value: 7, Odd: true}},
		{"0x10000000000000000", Number{OK: true, Big: true, Odd: true, Base: 16, Text: []byte("10000000000000000")}},
		// Not accepted by either.
		{"", Number{}},
		{"09", Number{Odd: true}},
		{"1__0", Number{Odd: true}},
		{"_1", Number{Odd: true}},
		{"12x", Number{Odd: true}},
		{"0x", Number{Odd: true}},
		{" \x00", Number{Odd: true}},
		{strings.Repeat("9", 4301), Number{}},
	} {
		if got := Int([]byte(k.line)); fmt.Sprint(got) != fmt.Sprint(k.want) {
			t.Errorf("%q: %+v, want %+v", k.line, got, k.want)
		}
	}
}

// ask runs a Python script that prints one line for each input line.
func ask(t *testing.T, script string, lines []string) []string {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	var in strings.Builder
	for _, line := range lines {
		fmt.Fprintln(&in, hex.EncodeToString([]byte(line)))
	}
	cmd := exec.Command(python, "-c",
		"import sys\nsys.stdout.reconfigure(encoding='utf-8', errors='surrogatepass')\n"+script)
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers to %d lines", len(answers), len(lines))
	}
	return answers
}

// numbers returns lines that are numbers, almost numbers, and modified numbers.
func numbers() []string {
	lines := []string{"", "0", "-0", "00", "007", "0x", "0xg", "0o8", "0b2", "1L", "_", "1_", "__1", "0_0", "0_1", "+-1",
		"- 1", " 1 ", "\t1\v", "1\x001", "0X1f", "0B1", "0O7",
		"0x_1", "0b_1", "1e5", "1.0", "\xb2", "0x" + strings.Repeat("f", 100), strings.Repeat("1", 100), "-" +
			strings.Repeat("1", 100)}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for range 1 + r.IntN(6) {
			b.WriteByte("0123456789xXoObB_+- aAfF.eLl"[r.IntN(28)])
		}
		lines = append(lines, b.String())
	}
	return lines
}

// TestLongIsPython compares LONG with int(line, 0), which the C loader calls after removing the L, and GET with
// int(line, 10).
func TestLongIsPython(t *testing.T) {
	const script = `
for line in sys.stdin:
    s = bytes.fromhex(line.strip())
    def read(s, base):
        if not s: return "bad"
        s = s.split(b"\0")[0]
        try: return str(int(s, base))
        except ValueError: return "bad"
    print(read(s[:-1] if s[-1:] == b"L" else s, 0) if s else "bad", read(s, 10))
`
	lines := numbers()
	for i, answer := range ask(t, script, lines) {
		if got := text(Long([]byte(lines[i]))) + " " + text(Index([]byte(lines[i]))); got != answer {
			t.Errorf("%q: %s, want %s", lines[i], got, answer)
		}
	}
}

// text formats a number in base 10.
func text(n Number) string {
	switch {
	case !n.OK:
		return "bad"
	case n.Big:
		i, _ := new(big.Int).SetString(string(n.Text), n.Base)
		return i.String()
	}
	return fmt.Sprint(n.Value)
}

func TestStringIsPython(t *testing.T) {
	const script = `
import codecs
for line in sys.stdin:
    s = bytes.fromhex(line.strip())
    try: a = codecs.escape_decode(s[1:-1])[0].hex() if len(s) > 1 and s[0] == s[-1] and s[0] in b"'\"" else "bad"
    except ValueError: a = "bad"
    try: b = s.decode("raw-unicode-escape").encode("utf-8", "surrogatepass").hex()
    except UnicodeDecodeError: b = "bad"
    print(a, b)
`
	lines := []string{"", "'", "''", `""`, `'a"`, `'a'b'`, `'\'`, `'\\'`, `'\n\t\r\a\b\f\v\'\"'`, `'\x41\x4'`, `'\x4g'`,
		`'\101\1\400\777'`, `'\q'`, "'\\\n'", "a\\u20ac",
		`\u20`, `\U0001f600`, `\U00110000`, `\\u0041`, `\\\u0041`, `\ud800`, "\xe9", `\`, `\u004`, `\x41`}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteByte(`\uUx0147ab'"n`[r.IntN(13)])
		}
		lines = append(lines, b.String(), "'"+b.String()+"'")
	}
	for i, answer := range ask(t, script, lines) {
		got := "bad"
		if s, _, ok := String([]byte(lines[i])); ok {
			got = hex.EncodeToString(s)
		}
		if s, ok := RawUnicode([]byte(lines[i])); ok {
			got += " " + hex.EncodeToString(s)
		} else {
			got += " bad"
		}
		if got != answer {
			t.Errorf("%q: %s, want %s", lines[i], got, answer)
		}
	}
}

func TestReprIsPython(t *testing.T) {
	const script = `
import struct
for line in sys.stdin:
    b = bytes.fromhex(line.strip())
    try: s = repr(b.decode("utf-8", "surrogatepass"))
    except UnicodeDecodeError: s = "bad"
    print(repr(b), repr(b.decode("latin-1")), s, repr(struct.unpack(">d", (b + bytes(8))[:8])[0]), sep="\x1f")
`
	lines := []string{"", "abc", "it's", `"`, `'"`, "\\", "\n\r\t", "\x00\x7f", "\xc3\xa9", "\xed\xa0\x80",
		"\xf0\x9f\x98\x80", "\xe2\x80\xa8", "\xff", "\xc2\xad",
		"?\xf0", "?\xf8\x00\x00\x00\x00\x00\x00", "C4\x12\x00\x00\x00\x00\x00", "CAc79\x00\x00\x00\x00",
		">\xe4\xf8\xb5\x88\xe3h\xf1"}
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		b := make([]byte, r.IntN(10))
		for i := range b {
			b[i] = byte(r.IntN(256))
			if r.IntN(2) == 0 {
				b[i] &= 0x7f
			}
		}
		lines = append(lines, string(b))
	}
	for i, answer := range ask(t, script, lines) {
		b := []byte(lines[i])
		var wide [8]byte
		copy(wide[:], b)
		s := "bad"
		if ValidUTF8(b) {
			s = string(AppendString(nil, b))
		}
		f := math.Float64frombits(be64(wide))
		got := strings.Join([]string{string(AppendBytes(nil, b)), string(AppendLatin1(nil, b)), s,
			string(AppendFloat(nil, f))}, "\x1f")
		if got != answer {
			t.Errorf("%q: %s, want %s", lines[i], got, answer)
		}
	}
}

func be64(b [8]byte) (v uint64) {
	for _, c := range b {
		v = v<<8 | uint64(c)
	}
	return v
}

func TestFloat(t *testing.T) {
	for _, k := range []struct {
		line string
		want float64
		odd  bool
		ok   bool
	}{
		{"1.5", 1.5, false, true},
		{"-0.0", math.Copysign(0, -1), false, true},
		{"1e-05", 1e-5, false, true},
		{"inf", math.Inf(1), false, true},
		{"-inf", math.Inf(-1), false, true},
		{"Infinity", math.Inf(1), true, true},
		{"+1.5", 1.5, true, true},
		{"1.5\x00x", 1.5, true, true},
		{"1e999", 0, true, false}, // out of range in Python
		{"1_0.5", 0, true, false},
		{"0x1p3", 0, true, false},
		{" 1.5", 0, true, false},
		{"", 0, true, false},
	} {
		f, odd, ok := Float([]byte(k.line))
		if math.Float64bits(f) != math.Float64bits(k.want) || odd != k.odd || ok != k.ok {
			t.Errorf("%q: %v, odd %v, ok %v", k.line, f, odd, ok)
		}
	}
	if f, _, ok := Float([]byte("nan")); !ok || f == f {
		t.Errorf("nan: %v, %v", f, ok)
	}
}
