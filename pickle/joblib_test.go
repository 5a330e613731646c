// joblib pickles, with array data between instructions.

package pickle

import (
	"strings"
	"testing"
)

// arrayHead is the start of a dict with an array of n elements, as joblib.dump writes it. The array data and the end of
// the pickle must follow.
func arrayHead(dtype string, n byte, aligned bool) string {
	alignment, mapped := "N", "\x88"
	if aligned {
		alignment = "K\x10"
	}
	if dtype[0] == 'O' {
		mapped = "\x89"
	}
	return proto(4) + "}" + str("x") + stack("joblib.numpy_pickle", "NumpyArrayWrapper") + ")\x81}(" +
		str("subclass") + stack("numpy", "ndarray") + str("shape") + "K" + string([]byte{n}) + "\x85" + str("order") +
		str("C") +
		str("dtype") + stack("numpy", "dtype") + str(dtype) + "\x89\x88\x87R(K\x03" + str("<") + "NNN" + sizeOf(dtype) +
		"tb" +
		str("allow_mmap") + mapped + str("numpy_array_alignment_bytes") + alignment + "ub"
}

// sizeOf is the size, the alignment and the flags in the state of a dtype.
func sizeOf(dtype string) string {
	const none = "J\xff\xff\xff\xff"
	switch dtype[0] {
	case 'O':
		return none + none + "K?"
	case 'U':
		return "K" + string([]byte{4 * (dtype[1] - '0')}) + "K\x04K\x08"
	}
	return none + none + "K\x00"
}

func TestJoblib(t *testing.T) {
	floats := strings.Repeat("\x80\x04cos\n", 4)[:24] // misleads loaders that read it as instructions
	for _, k := range []trick{
		{"an array", arrayHead("f8", 3, false) + floats + "s.", Safe, "", RuleRawArray},
		{"an aligned array", arrayHead("f8", 3, true) + "\x05\xff\xff\xff\xff\xff" + floats + "s.", Safe, "", RuleRawArray},
		{"strings", arrayHead("U2", 3, false) + floats + "s.", Safe, "", RuleRawArray},
		{"times", arrayHead("M8", 3, false) + floats + "s.", Safe, "", RuleRawArray},
		{"no elements", arrayHead("f8", 0, false) + "s.", Safe, "", RuleRawArray},
		{"a payload behind it", arrayHead("f8", 3, false) + floats + "s0" + payload + ".", Dangerous, "os.system", ""},
		{"a pickle in it", arrayHead("u1", 60, false) + (proto(2) + payload + "." + strings.Repeat(".", 60))[:60] + "s.",
			Dangerous, "os.system", RuleRawArray},
		{"a pickle for who takes no notice of it", arrayHead("u1", 60, false) +
			("0" + payload + "." + strings.Repeat(".", 60))[:60] + "s.", Dangerous, "os.system", RuleRawArray},
		{"too short", arrayHead("f8", 3, false) + floats[:20], Suspicious, "", RuleTruncated},
		{"objects", arrayHead("O8", 3, false) + proto(4) + "](K\x01K\x02K\x03e.s.", Safe, "", RuleNested},
		{"objects of a payload", arrayHead("O8", 3, false) + proto(4) + payload + ".s.", Dangerous, "os.system", RuleNested},
		{"objects, and a payload behind them", arrayHead("O8", 3, false) + proto(4) + "N.s0" + payload + ".", Dangerous,
			"os.system", RuleNested},
		{"objects that have a memo of their own", arrayHead("O8", 3, false) + proto(4) + "h\x00.s.", Suspicious, "",
			RuleMemoMiss},
		{"objects in objects", arrayHead("O8", 3, false) + arrayHead("O8", 3, false) + proto(4) + payload + ".s.s.", Dangerous,
			"os.system", RuleNested},
		{"a size that cannot be told", arrayHead("x", 3, false) + floats + "s.", Dangerous, "", RuleMemory},
		{"a wrapper in a nested pickle, whose loader is not joblib's", arrayHead("u1", 1, false) + "\xffs0" +
			arrayHead("O8", 3, false) + arrayHead("u1", 60, false) + ("0" + payload + "N." + strings.Repeat(".", 60))[:60] + "s.",
			Dangerous, "os.system", ""},
		{"a frame that goes on behind a wrapper", arrayHead("u1", 1, false) + "\xffs0" +
			frame(arrayHead("u1", 60, false)[2:]+"0"+payload+"N") + strings.Repeat("\xff", 60) + ".", Dangerous, "os.system",
			RuleFrame},
		{"a frame that goes on behind a nested pickle", arrayHead("u1", 1, false) + "\xffs0" +
			arrayHead("O8", 3, false) + frame("N.B<\x00\x00\x00") + "s0" + payload + "N" + strings.Repeat("0", 60) + ".", Dangerous,
			"os.system", RuleFrame},
		{"a frame that goes on behind the end", proto(4) + frame("N.abcdefgh") + proto(4) + "N.", Suspicious, "", RuleFrame},
		{"made by __newobj__", strings.Replace(arrayHead("u1", 60, false), stack("joblib.numpy_pickle", "NumpyArrayWrapper")+
			")\x81", stack("copyreg", "__newobj__")+stack("joblib.numpy_pickle", "NumpyArrayWrapper")+"\x85R", 1) +
			"B" + strings.Repeat("\xff", 59) + "s0" + payload + ".", Dangerous, "os.system", RuleRawArray},
	} {
		k.test(t)
	}
}

// TestSecondReading: a budget that suffices for one reading of a stream, but not for the other, is reported.
func TestSecondReading(t *testing.T) {
	code := proto(4) + strings.Repeat("N0", 300) + arrayHead("u1", 60, false)[2:] +
		("0" + payload + "N." + strings.Repeat(".", 60))[:60] + "s."
	for most := int64(100); most < 5000; most += 100 {
		r, err := Analyze(strings.NewReader(code), int64(len(code)), &Options{MaxOpcodes: most})
		if err != nil || r.Verdict != Dangerous && r.Complete {
			t.Errorf("%d instructions: %v, complete: %v", most, r.Verdict, err)
		}
	}
}
