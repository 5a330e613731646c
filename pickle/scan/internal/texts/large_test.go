package texts

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// A sign is found wherever it is, also where two blocks meet, and a text that is not in UTF-8 is not searched.
func TestLarge(t *testing.T) {
	const block = 64 << 10
	filler := strings.Repeat("a", block-4)
	const gap = "the text has 131,072 bytes, more than are read"
	for _, test := range []struct{ text, want string }{
		{filler, ""},
		{filler + "_target_", "65532 " + gap + ", and contains \"_target_\""},
		{"\xff\xfe" + filler, "0 " + gap},
	} {
		text := []byte(test.text + strings.Repeat("b", 2*block-len(test.text)))
		v := &visitor{left: 1 << 30}
		if err := (&Reader{Visitor: v}).Large(bytes.NewReader(text), int64(len(text))); err != nil {
			t.Fatal(err)
		}
		var want []string
		if test.want != "" {
			want = []string{test.want}
		}
		if !slices.Equal(v.found, want) {
			t.Errorf("%.10q…: %q, want %q", test.text, v.found, want)
		}
	}
}
