// JSON in blocks of any size, compared with encoding/json.

package settings

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// read returns the findings in a text that arrives in blocks of n bytes.
func read(text string, n int) (*JSON, []string) {
	var found []string
	j := &JSON{Walker: Walker{Found: func(f Finding) {
		found = append(found, fmt.Sprintf("%d %s=%s @%d", f.Kind, f.Key, f.Text, f.At))
	}}}
	for b := text; len(b) > 0; {
		k := min(n, len(b))
		j.Write([]byte(b[:k]))
		b = b[k:]
	}
	j.End()
	return j, found
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		text, found string
		invalid     bool
	}{
		{`{"_target_": "a.B"}`, "0 _target_=a.B @13", false},
		{`{"\u005ftarget_": "a\u002eB"}`, "0 _target_=a.B @18", false},
		{`{"a": "{\"_target_\": \"x.y\"}"}`, "0 _target_=x.y @6", false},
		{`{"auto_map": {"AutoModel": ["a.B", null]}}`, "2 AutoModel=a.B @28", false},
		{`{"auto_map": "a.B"}`, "2 auto_map=a.B @13", false},
		{`{"trust_remote_code": true}`, "3 trust_remote_code=true @22", false},
		{`{"trust_remote_code": false}`, "", false},
		{`{"a": "{{ x }}"}`, "4 a={{ x }} @6", false},
		{`{"_target_": "a.B", "_target_": "c.D"}`, "0 _target_=a.B @13; 6 _target_=_target_ @20; 0 _target_=c.D @32", false},
		{`{"target": "a.B", "params": {}}`, "0 target=a.B @11", false},
		{`{"target": "a.B"}`, "", false},
		{`{"_target_": "a.B"`, "0 _target_=a.B @13", true},
		{`{'_target_': "a.B"}`, "0 _target_=a.B @13", true},
		{`{_target_: "a.B"}`, "0 _target_=a.B @11", true},
		{`[1, NaN, -Infinity, 1e9, "\ud83d\ude00"]`, "", false},
		{`{"_target_": "a.\ud83d\ude00\ud83d"}`, "0 _target_=a.\U0001f600\ufffd @13", false},
		{`{"_target_": "a\/\b\f\n\r\t\"\\"}`, "0 _target_=a/\b\f\n\r\t\"\\ @13", false},
		{`{"a":1}` + "\n" + `{"a":2}`, "", false},
		{`{"a":1,}`, "", true},
		{`{"a" 1}`, "", true},
		{"{\"a\":\"\n\"}", "", true},
		{`]`, "", true},
		{``, "", false},
	} {
		for _, n := range []int{1, 2, 7, 1 << 20} {
			j, found := read(c.text, n)
			if s := strings.Join(found, "; "); s != c.found || j.Invalid != c.invalid {
				t.Errorf("%s in blocks of %d: %s, invalid %v, want %s, %v", c.text, n, s, j.Invalid, c.found, c.invalid)
			}
		}
	}
}

func TestMark(t *testing.T) {
	if j, found := read("\ufeff"+`{"_target_": "a.B"}`, 1<<20); j.Invalid || fmt.Sprint(found) != "[0 _target_=a.B @16]" {
		t.Error(found)
	}
}

// FuzzJSON checks that blocks make no difference, and that all that encoding/json accepts is valid.
func FuzzJSON(f *testing.F) {
	f.Add(`{"_target_":"a.b","c":[1,{"auto_map":{"d":"e.f"}},"\u00e4\ud83d\ude00"],"g":true}`, 3)
	f.Fuzz(func(t *testing.T, text string, n int) {
		whole, found := read(text, 1<<20)
		parts, again := read(text, max(n%17, 1))
		if fmt.Sprint(found) != fmt.Sprint(again) || whole.Invalid != parts.Invalid {
			t.Errorf("%q: %v, in blocks %v", text, found, again)
		}
		if json.Valid([]byte(text)) && whole.Invalid {
			t.Errorf("%q is valid", text)
		}
	})
}
