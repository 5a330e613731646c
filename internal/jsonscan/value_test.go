// Values: members found where encoding/json finds them.

package jsonscan

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestValueGet(t *testing.T) {
	v, err := Parse([]byte(` {"a":{"b":[1,"x\n",true,4.0]},"c":null,"a\u0062":7,"c":"last"} `))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []Kind
	for e := range v.Get("a").Get("b").Elements() {
		kinds = append(kinds, e.Kind())
	}
	if want := []Kind{Number, String, True, Number}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %q, want %q", kinds, want)
	}
	if s, ok := v.Get("c").Str(); s != "last" || !ok {
		t.Errorf("of two members the last is meant, got %q, %v", s, ok)
	}
	if n, ok := v.Get("ab").Int(); n != 7 || !ok {
		t.Errorf("an escaped name is %d, %v", n, ok)
	}
	for _, absent := range []Value{{}, v.Get("z"), v.Get("c").Get("z"), v.Get("a").Get("b").Get("z"), v.Get("z").Get("z")} {
		if _, ok := absent.Int(); absent.Kind() != 0 || ok {
			t.Errorf("%q is taken for a value", absent.Text())
		}
	}
}

func TestValuePick(t *testing.T) {
	v, err := Parse([]byte(`{"a":1,"b":2,"a":3,"\u0063":4}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, m := range v.Pick("c", "z", "a") {
		n, _ := m.Int()
		got = append(got, n)
	}
	if want := []int64{4, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("picked %d, want %d", got, want)
	}
}

func TestValueInt(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "4": 4, "4.0": 4, "128.000": 128, "9223372036854775807": 1<<63 - 1,
		"-1": -1, "4.5": -1, "9223372036854775808": -1, "1e3": -1, `"4"`: -1, "true": -1, "[4]": -1, "null": -1,
	} {
		v, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := v.Int(); ok != (want >= 0) || ok && n != want {
			t.Errorf("%s is %d, %v", text, n, ok)
		}
	}
}

func TestValueBool(t *testing.T) {
	for text, want := range map[string][2]bool{"true": {true, true}, "false": {false, true}, "null": {}, "1": {}, `"true"`: {}} {
		v, _ := Parse([]byte(text))
		if b, ok := v.Bool(); b != want[0] || ok != want[1] {
			t.Errorf("%s is %v, %v", text, b, ok)
		}
	}
}

func TestParseRefusesWhatIsNoJSON(t *testing.T) {
	for _, text := range []string{"", " ", "{", "{}x", `{"a":}`, "NaN", "[1,]"} {
		if v, err := Parse([]byte(text)); err == nil || v.Kind() != 0 {
			t.Errorf("%q is taken for JSON", text)
		}
	}
}

// The texts on the left are what Python 3.12 prints: json.dumps({"a": [float("nan"),
// float("inf"), -float("inf")], "NaN": "Infinity"}).
func TestWithoutNaN(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": [NaN, Infinity, -Infinity], "NaN": "Infinity"}`: `{"a": [0  , 0       , -0       ], "NaN": "Infinity"}`,
		`{"\"NaN": "\\", "b": NaN}`:                            `{"\"NaN": "\\", "b": 0  }`,
		`[Na, Nope, I]`:                                        `[Na, Nope, I]`,
		`"\`:                                                   `"\`,
	} {
		before := []byte(text)
		if got := WithoutNaN(before); string(got) != want {
			t.Errorf("%s becomes %s", text, got)
		}
		if string(before) != text {
			t.Errorf("%s was written to", text)
		}
	}
}

// FuzzValue finds every member that encoding/json finds in an object, and no other.
func FuzzValue(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":1,"b":{"c":[]}}`, `{"a":1,"a":"2"}`, `[1,2]`, `"x"`, `{"":null}`, `{"\u0061":true}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := Parse(text)
		if err != nil {
			return
		}
		var want map[string]json.RawMessage
		if v.Kind() != Object || json.Unmarshal(text, &want) != nil {
			return
		}
		n := 0
		for name := range v.Members() {
			if n++; n > 100 {
				return // looking each up takes the square of that
			}
			// Bytes that are no UTF-8 are left as they are here, and replaced there.
			if raw, ok := want[name]; ok && string(v.Get(name).Text()) != string(raw) {
				t.Fatalf("%q is %s, want %s", name, v.Get(name).Text(), raw)
			}
		}
		if n < len(want) {
			t.Fatalf("%d members, want at least %d", n, len(want))
		}
	})
}
