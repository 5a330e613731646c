// Patches: which headers have room, and what becomes of them.

package edit

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// startOf returns the start of a file with this header.
func startOf(text string) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...)
}

// applied returns the header's text after a patch.
func (p *patch) applied(start []byte) string {
	b := bytes.Clone(start)
	if !bytes.Equal(b[p.at:][:len(p.was)], p.was) {
		return "the patch is of other bytes"
	}
	copy(b[p.at:], p.now)
	return string(b[8:])
}

const entryText = `"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}`

func TestPatches(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		m                map[string]string
	}{
		{"another value", `{"__metadata__":{"a":"1"},` + entryText + `}`, `{"__metadata__":{"a":"2"},` + entryText + `}`, map[string]string{"a": "2"}},
		{"a shorter one", `{"__metadata__":{"a":"123"},` + entryText + `}`, `{"__metadata__":{"a":""}   ,` + entryText + `}`, map[string]string{"a": ""}},
		{"a longer one, with spaces behind", `{"__metadata__":{"a":""}   ,` + entryText + `} `, `{"__metadata__":{"a":"123"},` + entryText + `} `, map[string]string{"a": "123"}},
		{"a longer one, with spaces at the end", `{"__metadata__":{"a":""} ,` + entryText + `}  `, `{"__metadata__":{"a":"123"},` + entryText + `}`, map[string]string{"a": "123"}},
		{"too long", `{"__metadata__":{"a":""} ,` + entryText + `} `, "", map[string]string{"a": "123"}},
		{"no metadata", `{` + entryText + `}` + strings.Repeat(" ", 25), `{"__metadata__":{"a":"1"},` + entryText + `}`, map[string]string{"a": "1"}},
		{"no metadata and a space too few", `{` + entryText + `}` + strings.Repeat(" ", 24), "", map[string]string{"a": "1"}},
		{"no metadata and no tensor", `{}` + strings.Repeat(" ", 24), `{"__metadata__":{"a":"1"}}`, map[string]string{"a": "1"}},
		{"no metadata, no tensor, and spaces", `{  }` + strings.Repeat(" ", 24), `{"__metadata__":{"a":"1"}  }`, map[string]string{"a": "1"}},
		{"null", `{"__metadata__":null,` + entryText + `}     `, `{"__metadata__":{"a":"1"},` + entryText + `}`, map[string]string{"a": "1"}},
		{"at the end", `{` + entryText + `,"__metadata__":{"a":"1"}}`, `{` + entryText + `,"__metadata__":{}       }`, map[string]string{}},
		{"an escaped name", `{"\u005f_metadata__":{"a":"1"},` + entryText + `}`, `{"__metadata__":{"a":"2"}     ,` + entryText + `}`, map[string]string{"a": "2"}},
		{"other white space", "{\n  \"__metadata__\" : {\"a\":\"1\"}\n,\t" + entryText + `}`, "{\n  \"__metadata__\":{\"a\":\"2\"}  \n,\t" + entryText + `}`, map[string]string{"a": "2"}},
		{"a tensor that is called like it", `{"__metadata":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}` + strings.Repeat(" ", 25),
			`{"__metadata__":{"a":"1"},"__metadata":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, map[string]string{"a": "1"}},
	} {
		start := startOf(test.text)
		p, err := patchOf(start, test.m)
		switch {
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		case p == nil && test.want != "", p != nil && p.applied(start) != padded(test.want, len(test.text)):
			t.Errorf("%s: the header is %+v, want %q", test.name, p, test.want)
		}
	}
}

func padded(text string, n int) string { return text + strings.Repeat(" ", max(0, n-len(text))) }

// What changes has to lie in one block of 4096 bytes.
func TestPatchesKeepToOneBlock(t *testing.T) {
	for _, test := range []struct {
		before int // bytes of the key before the value
		ok     bool
	}{{0, true}, {4000, true}, {4065, true}, {4066, false}, {4067, true}, {5000, true}} {
		// The value begins at 8 + len(`{"__metadata__":{"`) + before + len(`":"`), which is
		// 29 + before, and has two bytes: with 4066 they are at 4095 and 4096.
		key := strings.Repeat("k", test.before)
		start := startOf(`{"__metadata__":{"` + key + `":"12"},` + entryText + `}`)
		p, err := patchOf(start, map[string]string{key: "34"})
		if err != nil || (p != nil) != test.ok {
			t.Errorf("with %d bytes before the value the patch is %v, %v", test.before, p, err)
		}
		if p != nil && (p.at != int64(29+test.before) || string(p.now) != "34") {
			t.Errorf("with %d bytes before the value the patch is %d, %q", test.before, p.at, p.now)
		}
	}
}

// TestPatchesAgainstJSON has headers as writers make them, with room and without, and
// reads what becomes of them with encoding/json.
func TestPatchesAgainstJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	metadata := func() map[string]string {
		if r.IntN(5) == 0 {
			return nil
		}
		m := make(map[string]string)
		for range r.IntN(4) {
			m[strings.Repeat("k\"ü", r.IntN(3))] = strings.Repeat("v\n😀", r.IntN(40))
		}
		return m
	}
	fit := 0
	for range 3000 {
		e := safetensors.Encoder{Metadata: metadata(), Slack: r.IntN(2) == 0, Align: 1 << r.IntN(10)}
		h, err := e.Plan(&safetensors.Tensor{TensorInfo: safetensors.TensorInfo{Name: "t", Dtype: "U8", Shape: []int64{0}}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := e.Encode(&b, &safetensors.Tensor{TensorInfo: h.Tensors[0]}); err != nil {
			t.Fatal(err)
		}
		m := metadata()
		if m == nil {
			m = map[string]string{}
		}
		p, err := patchOf(b.Bytes(), m)
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			continue
		}
		fit++
		checkPatched(t, b.Bytes(), p, m)
	}
	if fit < 1000 {
		t.Errorf("of 3000 headers %d had room", fit)
	}
}

// checkPatched reads a patched header as JSON.
func checkPatched(t *testing.T, start []byte, p *patch, m map[string]string) {
	t.Helper()
	text := p.applied(start)
	var was, now map[string]json.RawMessage
	if err := json.Unmarshal(start[8:], &was); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &now); err != nil {
		t.Fatalf("%q became %q: %v", start[8:], text, err)
	}
	got := make(map[string]string)
	if err := json.Unmarshal(now["__metadata__"], &got); err != nil || !maps.Equal(got, m) {
		t.Errorf("%q has the metadata %q, want %q: %v", text, got, m, err)
	}
	delete(was, "__metadata__")
	delete(now, "__metadata__")
	if !maps.EqualFunc(was, now, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Errorf("%q became %q", start[8:], text)
	}
	if len(p.now) > 0 && p.at/block != (p.at+int64(len(p.now))-1)/block {
		t.Errorf("the patch of %d bytes at %d is in two blocks", len(p.now), p.at)
	}
}

// FuzzPatch patches any header that our parser accepts.
func FuzzPatch(f *testing.F) {
	f.Add(`{"__metadata__":{"a":"1"},`+entryText+`}  `, "a", "23")
	f.Add(`{ "t" : {"dtype":"U8","shape":[1],"data_offsets":[0,1]} }`+strings.Repeat(" ", 40), "k", "v")
	f.Add(`{"__metadata__":{}                                     ,`+entryText+`}`, "\x00", "\u2028")
	f.Fuzz(func(t *testing.T, text, key, value string) {
		start := startOf(text)
		h, err := safetensors.ReadHeader(bytes.NewReader(start))
		if err != nil {
			return
		}
		p, err := patchOf(start, map[string]string{key: value})
		if p == nil {
			return // no room, or what is not UTF-8
		}
		if err != nil {
			t.Fatal(err)
		}
		f := &file{header: h, metadata: map[string]string{key: value}, patch: p}
		if err := f.tryPatch(bytes.Clone(start)); err != nil {
			t.Errorf("%q became %q: %v", text, p.applied(start), err)
		}
	})
}
