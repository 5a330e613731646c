// What is JSON and what is not, by RFC 8259, and where every token stands.

package jsonscan

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// scan reads a whole text as one value.
func scan(text string) error {
	s := New([]byte(text))
	if _, _, err := s.Skip(); err != nil {
		return err
	}
	return s.End()
}

// TestValid has texts that are JSON, in the order of the sections of RFC 8259.
func TestValid(t *testing.T) {
	for _, text := range []string{
		// 2: any value is a text, with white space around it.
		`{}`, `[]`, `""`, `0`, `true`, `false`, `null`, " \t\r\n0", "0 \t\r\n", "\n[\n]\n", `[ ]`, `{ }`,
		// 4: objects; the names may be equal, empty, anything.
		`{"a":0}`, `{"a":0,"b":1}`, `{"":0}`, `{"a":0,"a":1}`, ` { "a" : 0 , "b" : { } } `, `{"a":{"a":{"a":{}}}}`, `{"\u0000":0}`, "{\"a\":\r\n0\t}",
		// 5: arrays, of values of any kinds.
		`[0]`, `[0,1]`, `[[],[[]],{}]`, `[null,1,"1",{},[],true,false]`, `[""]`, ` [ 0 , 1 ] `,
		// 6: numbers.
		`-0`, `0.0`, `-0.0`, `10`, `1234567890`, `-1`, `0.1`, `1.5`, `1e1`, `1E1`, `1e+1`, `1e-1`, `1E-01`, `0e0`, `0e+1`, `-1.5e-10`, `1.000`, `100e00`,
		`18446744073709551616`, `1e308`, `-1e308`, `1e-400`, `0e9999999`, `0.00000000000000000000000000000000000000001`,
		strings.Repeat("9", 308), "0." + strings.Repeat("0", 400) + "1", "-" + strings.Repeat("1", 300) + ".5e-300",
		// 7: strings.
		`"a"`, `" "`, `"/"`, `"\""`, `"\\"`, `"\/"`, `"\b\f\n\r\t"`, `"\u0041"`, `"\u00e9\u00E9\uAbCd"`, `"\u0000"`, `"\u001f"`, `"\u007f"`, "\"\x7f\"", `"\uffff"`,
		`"\ud800\udc00"`, `"\uDBFF\uDFFF"`, `"\ud83d\ude00\ud83d\ude00"`, `"\\u0041"`, `"\\\""`, `"a\\"`, `"'"`, `"{[,:]}"`, `"//"`, `"\u2028"`,
		// 8.1: UTF-8, of which the caller judges.
		`"é"`, `"日本"`, `"😀"`, "\"\u2028\u2029\"", "\"\ufeff\"", "\"\uffff\"", "{\"é\":\"é\"}",
	} {
		if err := scan(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestInvalid has texts that are not JSON, and the byte from which on they are not.
func TestInvalid(t *testing.T) {
	for text, at := range map[string]int{
		// no value, or more than one
		"": 0, " ": 1, "\n\t": 2, "0 0": 2, "{}{}": 2, "[][]": 2, "null,": 4, "[],": 2, "{} x": 3, "[]]": 2, "\x00": 0, "0\x00": 1, "\ufeff{}": 0, "{}\ufeff": 2,
		// white space that is none
		"\v0": 0, "\f0": 0, "\u00a00": 0, "\u2028[]": 0, "[\v]": 1,
		// literals
		"t": 1, "tru": 3, "True": 0, "TRUE": 0, "truе": 3, "nul": 3, "nulll": 4, "nil": 1, "None": 0, "undefined": 0, "fals": 4, "false1": 5, "truefalse": 4,
		// objects
		"{": 1, "{,}": 1, "{0:0}": 1, "{null:0}": 1, "{a:0}": 1, "{'a':0}": 1, `{"a"}`: 4, `{"a":}`: 5, `{"a" 0}`: 5, `{"a":0`: 6, `{"a":0,}`: 7, `{"a":0,,"b":0}`: 7,
		`{"a":0 "b":0}`: 7, `{"a":0]`: 6, `{"a":0;"b":0}`: 6, `{"a"::0}`: 5, `{"a","b"}`: 4, `{"a":0,"b"`: 10, `{[]:0}`: 1, `{"a":0}}`: 7, `{:0}`: 1, `{"a":0/**/}`: 6, `{/**/}`: 1,
		// arrays
		"[": 1, "]": 0, "[,": 1, "[,]": 1, "[0,]": 3, "[0,,0]": 3, "[0 0]": 3, "[0": 2, "[0,": 3, "[}": 1, "[0}": 2, "[0:0]": 2, "[[]": 3, "[0;0]": 2, `[""`: 3, "[//\n]": 1, "[...]": 1,
		// numbers
		"-": 1, "+1": 0, "--1": 1, "01": 1, "-01": 2, "00": 1, ".5": 0, "-.5": 1, "5.": 2, "5.e1": 2, "1e": 2, "1e+": 3, "1E-": 3, "1e1.5": 3, "1.2.3": 3, "0x10": 1, "1_000": 1,
		"1,5": 1, "- 1": 1, "1 .5": 2, "1e 1": 2, "Infinity": 0, "-Infinity": 1, "NaN": 0, "nan": 1, "1a": 1, "１": 0, "1e400": 0, "[1e400]": 1, "-1e400": 0, "1e99999999999999999999": 0, "0.1e400": 0,
		"[" + strings.Repeat("9", 310) + "]": 1, strings.Repeat("9", 200) + "e200": 0, "1" + strings.Repeat("0", 309): 0, "1" + strings.Repeat("0", 309) + ".0": 0,
		// strings
		`"`: 1, `"a`: 2, `"\`: 2, `"\"`: 3, `"\x41"`: 2, `"\'"`: 2, `"\a"`: 2, `"\0"`: 2, `"\N"`: 2, "\"\\\n\"": 2, `"\ "`: 2, "\"\n\"": 1, "\"\t\"": 1, "\"\x00\"": 1, "\"\x1f\"": 1, "\"a\r\"": 2,
		`'a'`: 0, `"\u"`: 1, `"\u0"`: 1, `"\u00"`: 1, `"\u00e"`: 1, `"\u00g0"`: 1, `"\u-001"`: 1, `"\u 041"`: 1, `"\U0041"`: 2, `"\u004`: 1, `"\u00é"`: 1, `a"b"`: 0, `"a"b`: 3, `""""`: 2,
		// halves of surrogate pairs
		`"\ud800"`: 1, `"\udbff"`: 1, `"\udc00"`: 1, `"\udfff"`: 1, `"a\ud800b"`: 2, `"\ud800\u0041"`: 1, `"\ud800\ud800"`: 1, `"\udc00\ud800"`: 1, `"\ud800\n"`: 1, `"\ud800\udbff"`: 1,
		`"\ud800\ue000"`: 1, `"\ud800\u"`: 1, `"\ud800\udc0"`: 1, `"\ud83d\ude00\ude00"`: 13, `"\ud800`: 1, `"\ud800\`: 1, `"\ud800udc00"`: 1,
	} {
		var syntax *SyntaxError
		if err := scan(text); !errors.As(err, &syntax) {
			t.Errorf("%q: %v, want a SyntaxError", text, err)
		} else if syntax.Offset != at {
			t.Errorf("%q: %v, want it at byte %d", text, err, at)
		} else if line := err.Error(); !strings.HasPrefix(line, fmt.Sprintf("at byte %d: ", at)) || strings.ContainsAny(line, "\n\r\t\x00") {
			t.Errorf("%q: the message is %q", text, line)
		}
	}
}

// TestCutShort cuts a text with a token of every kind at every byte. No part of
// it is JSON, and each ends where it was cut, or where a number could.
func TestCutShort(t *testing.T) {
	const text = `{"a":[true,false,null,-1.5e+10,"\u00e9\ud83d\ude00\n"],"b":{}}`
	if err := scan(text); err != nil {
		t.Fatal(err)
	}
	for n := range len(text) {
		if err := scan(text[:n]); err == nil {
			t.Errorf("%q is taken for JSON", text[:n])
		}
	}
}

// TestDepth checks the deepest nesting that is read, and one more, in all the
// ways in which a nesting can be entered.
func TestDepth(t *testing.T) {
	nested := func(open, closing string, n int) string { return strings.Repeat(open, n) + strings.Repeat(closing, n) }
	for name, text := range map[string]string{
		"arrays":  nested("[", "]", 127),
		"objects": strings.Repeat(`{"":`, 126) + "{}" + strings.Repeat("}", 126),
		"both":    strings.Repeat(`[{"":`, 63) + "[]" + strings.Repeat("}]", 63),
		"beside":  "[" + strings.Repeat(nested("[", "]", 126)+",", 100) + "0]",
	} {
		if err := scan(text); err != nil {
			t.Errorf("%s at depth 127: %v", name, err)
		}
	}
	for name, test := range map[string]struct {
		text string
		at   int
	}{
		"arrays":   {nested("[", "]", 128), 127},
		"objects":  {strings.Repeat(`{"":`, 127) + "{}" + strings.Repeat("}", 127), 127 * 4},
		"unclosed": {strings.Repeat("[", 1_000_000), 127},
		"spaced":   {strings.Repeat(" [", 200), 127*2 + 1},
	} {
		var syntax *SyntaxError
		if err := scan(test.text); !errors.As(err, &syntax) || syntax.Offset != test.at || !strings.Contains(syntax.Msg, "127") {
			t.Errorf("%s at depth 128: %v, want it at byte %d", name, err, test.at)
		}
	}
	// The same by Open: what is open counts for what is skipped.
	s := New([]byte(nested("[", "]", 128)))
	for i := range 100 {
		if err := s.Open(Array); err != nil {
			t.Fatalf("at depth %d: %v", i+1, err)
		}
	}
	if _, _, err := s.Skip(); err == nil {
		t.Error("28 arrays in 100 are skipped")
	}
}

// TestWalk takes a text apart token by token, and checks where each stands.
func TestWalk(t *testing.T) {
	const text = ` {"a" : [1, -2.5e3 , "x\ny"], "b":null, "":{ } } `
	s := New([]byte(text))
	var got []string
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	say := func(what string, begin, end int) { got = append(got, fmt.Sprintf("%s %q", what, s.Text(begin, end))) }
	if k := s.Next(); k != Object || s.Pos() != 1 {
		t.Fatalf("%v at %d", k, s.Pos())
	}
	check(s.Open(Object))
	for first := true; ; first = false {
		more, err := s.More(Object, first)
		check(err)
		if !more {
			break
		}
		key, err := s.Key()
		check(err)
		say("key", key.Begin, key.End)
		if s.Next() != Array {
			begin, kind, err := s.Skip()
			check(err)
			say(kind.String(), begin, s.Pos())
			continue
		}
		check(s.Open(Array))
		for first := true; ; first = false {
			more, err := s.More(Array, first)
			check(err)
			if !more {
				break
			}
			if s.Next() == String {
				str, err := s.Str()
				check(err)
				say(fmt.Sprintf("string, escaped %v,", str.Escaped), str.Begin, str.End)
				continue
			}
			num, err := s.Num()
			check(err)
			say(fmt.Sprintf("number, integer %v,", num.Integer), num.Begin, num.End)
		}
	}
	check(s.End())
	want := []string{
		`key "a"`, `number, integer true, "1"`, `number, integer false, "-2.5e3"`, `string, escaped true, "x\\ny"`,
		`key "b"`, `null "null"`, `key ""`, `an object "{ }"`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if s.Pos() != len(text) {
		t.Errorf("the end is at %d, want %d", s.Pos(), len(text))
	}
}

// TestSkipLeavesTheRest skips each member of an array, and finds the next one.
func TestSkipLeavesTheRest(t *testing.T) {
	members := []string{`{"a":[{}]}`, `[[],[0]]`, `"]"`, `-1.5`, `true`, `false`, `null`, `0`}
	kinds := []Kind{Object, Array, String, Number, True, False, Null, Number}
	s := New([]byte("[ " + strings.Join(members, " , ") + " ]"))
	if err := s.Open(Array); err != nil {
		t.Fatal(err)
	}
	for i, want := range members {
		if more, err := s.More(Array, i == 0); !more || err != nil {
			t.Fatal(more, err)
		}
		begin, kind, err := s.Skip()
		if got := string(s.Text(begin, s.Pos())); err != nil || got != want || kind != kinds[i] {
			t.Errorf("%v %q, %v; want %v %q", kind, got, err, kinds[i], want)
		}
	}
	if more, err := s.More(Array, false); more || err != nil {
		t.Error(more, err)
	}
	if err := s.End(); err != nil {
		t.Error(err)
	}
}

// TestOpenOfAnother checks that what is expected is named, and what is there.
func TestOpenOfAnother(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: `at byte 0: expected an object, found '['`,
		`  `: `at byte 2: expected an object, found the end`,
		` 1`: `at byte 1: expected an object, found '1'`,
	} {
		s := New([]byte(text))
		if err := s.Open(Object); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestKindString(t *testing.T) {
	for k, want := range map[Kind]string{Object: "an object", Array: "an array", String: "a string", Number: "a number",
		True: "true", False: "false", Null: "null", 0: "nothing", 'x': "nothing"} {
		if got := k.String(); got != want {
			t.Errorf("%q is %q, want %q", byte(k), got, want)
		}
	}
	for text, want := range map[string]Kind{"": 0, " ": 0, "x": 0, ",": 0, "}": 0, "{": Object, "\n[": Array, `"`: String, "-": Number, "7": Number, "t": True, "f": False, "n": Null} {
		s := New([]byte(text))
		if got := s.Next(); got != want {
			t.Errorf("%q begins %v, want %v", text, got, want)
		}
	}
}

// TestSeek goes back to a place that was passed.
func TestSeek(t *testing.T) {
	s := New([]byte(`[1,2]`))
	if err := s.Open(Array); err != nil {
		t.Fatal(err)
	}
	at := s.Pos()
	for range 2 {
		s.Seek(at)
		if n, err := s.Num(); err != nil || n.Begin != 1 || n.End != 2 {
			t.Errorf("%+v, %v", n, err)
		}
	}
}

// TestNoAllocations checks that a text without a fault costs nothing.
func TestNoAllocations(t *testing.T) {
	text := []byte(`{"a":[1,2.5,"x\n\u00e9",{"b":[true,false,null]}],"c":18446744073709551615,"é":""}`)
	if n := testing.AllocsPerRun(100, func() {
		s := New(text)
		if _, _, err := s.Skip(); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
