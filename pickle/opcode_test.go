// Tests of each opcode.

package pickle

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// TestEachOpcode executes each opcode and compares the stack with that of the C loader.
func TestEachOpcode(t *testing.T) {
	for _, k := range []struct{ name, code, want string }{
		{"MARK", "(K\x01t", "(1)"},
		{"STOP", "K\x01", "1"},
		{"POP", "K\x01K\x020", "1"},
		{"POP of a MARK", "K\x01(0", "1"},
		{"POP_MARK", "K\x01(K\x02K\x031", "1"},
		{"DUP", "K\x01\x85" + "2\x86", "((1), (1))"},
		{"BINBYTES", "B\x03\x00\x00\x00abc", `"abc"`},
		{"SHORT_BINBYTES", "C\x03abc", `"abc"`},
		{"BINBYTES8", "\x8e" + le64(3) + "abc", `"abc"`},
		{"BYTEARRAY8", "\x96" + le64(3) + "abc", `"abc"`},
		{"FLOAT", "F1.5\n", "1.5"},
		{"BINFLOAT", "G\x3f\xf8\x00\x00\x00\x00\x00\x00", "1.5"},
		{"INT", "I-7\n", "-7"},
		{"INT of True", "I01\n", "True"},
		{"INT of False", "I00\n", "False"},
		{"BININT", "J\xf9\xff\xff\xff", "-7"},
		{"BININT1", "K\xff", "255"},
		{"BININT2", "M\xff\xff", "65535"},
		{"LONG", "L18446744073709551616L\n", "18446744073709551616"},
		{"LONG1", "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01", "18446744073709551616"},
		{"LONG1, negative", "\x8a\x02\x00\xff", "-256"},
		{"LONG1 of nothing", "\x8a\x00", "0"},
		{"LONG4", "\x8b\x01\x00\x00\x00\x80", "-128"},
		{"NONE", "N", "None"},
		{"NEWTRUE", "\x88", "True"},
		{"NEWFALSE", "\x89", "False"},
		{"STRING", "S'a\\x62\\143'\n", `"abc"`},
		{"BINSTRING", "T\x03\x00\x00\x00abc", `"abc"`},
		{"SHORT_BINSTRING", "U\x03abc", `"abc"`},
		{"UNICODE", "Vabc\n", `"abc"`},
		{"BINUNICODE", "X\x03\x00\x00\x00abc", `"abc"`},
		{"SHORT_BINUNICODE", "\x8c\x03abc", `"abc"`},
		{"BINUNICODE8", "\x8d" + le64(3) + "abc", `"abc"`},
		{"EMPTY_LIST", "]", "[]"},
		{"APPEND", "]K\x01a", "[1]"},
		{"APPENDS", "](K\x01K\x02e", "[1, 2]"},
		{"LIST", "(K\x01K\x02l", "[1, 2]"},
		{"EMPTY_TUPLE", ")", "()"},
		{"TUPLE", "(K\x01K\x02K\x03K\x04t", "(1, 2, 3, 4)"},
		{"TUPLE1", "K\x01\x85", "(1)"},
		{"TUPLE2", "K\x01K\x02\x86", "(1, 2)"},
		{"TUPLE3", "K\x01K\x02K\x03\x87", "(1, 2, 3)"},
		{"EMPTY_DICT", "}", "<dict>"},
		{"DICT", "(K\x01K\x02d", "<dict>"},
		{"SETITEM", "}K\x01K\x02s", "<dict>"},
		{"SETITEMS", "}(K\x01K\x02u", "<dict>"},
		{"EMPTY_SET", "\x8f", "<set>"},
		{"ADDITEMS", "\x8f(K\x01\x90", "<set>"},
		{"FROZENSET", "(K\x01\x91", "<frozenset>"},
		{"GET", "K\x01p7\n0g7\n", "1"},
		{"BINGET", "K\x01q\x070h\x07", "1"},
		{"LONG_BINGET", "K\x01r\x07\x00\x00\x000j\x07\x00\x00\x00", "1"},
		{"MEMOIZE", "K\x01\x94K\x02\x9400h\x01", "2"},
		{"GLOBAL", "ctorch\nSize\n", "torch.Size"},
		{"STACK_GLOBAL", "\x8c\x05torch\x8c\x04Size\x93", "torch.Size"},
		{"INST", "(itorch\nSize\n", "<call>"},
		{"OBJ", "(ctorch\nSize\no", "<call>"},
		{"REDUCE", "ctorch\nSize\n)R", "<call>"},
		{"NEWOBJ", "ctorch\nSize\n)\x81", "<call>"},
		{"NEWOBJ_EX", "ctorch\nSize\n)}\x92", "<call>"},
		{"BUILD", "ctorch\nSize\n)R}b", "<call>"},
		{"PERSID", "P7\n", "<persistent>"},
		{"BINPERSID", "K\x07Q", "<persistent>"},
		{"EXT1", "\x82\x07", "EXT 7"},
		{"EXT2", "\x83\x07\x01", "EXT 263"},
		{"EXT4", "\x84\x07\x01\x00\x00", "EXT 263"},
		{"PROTO", "\x80\x04N", "None"},
		{"FRAME", "\x95" + le64(2) + "N.", "None"},
		{"NEXT_BUFFER", "\x97", "<buffer>"},
		{"READONLY_BUFFER", "C\x01a\x98", `"a"`},
	} {
		code := []byte(k.code + ".")
		g, err := Load(bytes.NewReader(code), int64(len(code)), nil)
		if err != nil || len(g.roots) == 0 {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		if got := g.heap.Value(g.roots[0]).Summary(); got != k.want {
			t.Errorf("%s: got %s, want %s", k.name, got, k.want)
		}
	}
}

func TestOps(t *testing.T) {
	code := proto(4) + "(I-7\n" + glob("os", "system") + str("abc") + bin(strings.Repeat("z", 10_000)) +
		"G\x3f\xf8\x00\x00\x00\x00\x00\x00J\xf9\xff\xff\xff" + ".N."
	type op struct {
		code          string
		off, end, i   int64
		arg, arg2     string
		argOff, argSz int64
	}
	var got []op
	for o, err := range Ops(strings.NewReader(code), int64(len(code))) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, op{o.Code.String(), o.Offset, o.End, o.Int, string(o.Arg), string(o.Arg2), o.ArgOffset, o.ArgSize})
	}
	want := []op{
		{"PROTO", 0, 2, 4, "\x04", "", 1, 1},
		{"MARK", 2, 3, 0, "", "", 0, 0},
		{"INT", 3, 7, -7, "-7", "", 4, 2},
		{"GLOBAL", 7, 18, 0, "os", "system", 8, 2},
		{"SHORT_BINUNICODE", 18, 23, 0, "abc", "", 20, 3},
		{"BINBYTES", 23, 10028, 0, strings.Repeat("z", 4096), "", 28, 10000},
		{"BINFLOAT", 10028, 10037, 0x3ff8000000000000, "\x3f\xf8\x00\x00\x00\x00\x00\x00", "", 10029, 8},
		{"BININT", 10037, 10042, -7, "\xf9\xff\xff\xff", "", 10038, 4},
		{"STOP", 10042, 10043, 0, "", "", 0, 0},
		{"NONE", 10043, 10044, 0, "", "", 0, 0},
		{"STOP", 10044, 10045, 0, "", "", 0, 0},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestOpsErrors(t *testing.T) {
	for _, k := range []struct {
		code string
		off  int64
		eof  bool
	}{
		{"N\xff", 1, false},
		{"NX\x05\x00\x00\x00ab", 1, true},
		{"NVabc", 1, true},
		{"N\x8b\xff\xff\xff\xff", 1, false},
		{"NJ\x00", 1, true},
	} {
		var last error
		var off int64
		for o, err := range Ops(strings.NewReader(k.code), int64(len(k.code))) {
			last, off = err, o.Offset
		}
		var syntax *SyntaxError
		if off != k.off || errors.Is(last, io.ErrUnexpectedEOF) != k.eof || errors.As(last, &syntax) == k.eof {
			t.Errorf("%q: %v at %d", k.code, last, off)
		}
	}
}

// TestReadErrors checks that data shorter than the given size is a read error and not a fault of the pickle.
func TestReadErrors(t *testing.T) {
	code := proto(2) + payload + strings.Repeat("N0", 100)
	r, err := Analyze(strings.NewReader(code), int64(len(code))+1000, nil)
	if !errors.Is(err, io.ErrUnexpectedEOF) || r.Complete || r.Verdict != Dangerous || r.Reason == "" {
		t.Errorf("%v, complete %v, %s: %s", err, r.Complete, r.Verdict, r.Reason)
	}
	if _, err := Load(strings.NewReader(code), int64(len(code))+1000, nil); err == nil {
		t.Error("no error")
	}
	for _, err := range Ops(strings.NewReader(code), int64(len(code))+1000) {
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	}
}
