// Tags with handles and escapes, as in YAML 1.1 and PyYAML's constructor.

package yaml

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A list records the findings in a text.
type list []string

func (l *list) Lambda(off int64) { *l = append(*l, fmt.Sprintf("%d Lambda", off)) }

func (l *list) Tag(tag string, off int64, doubtful bool) {
	*l = append(*l, fmt.Sprintf("%d %s %v", off, tag, doubtful))
}

func (l *list) Crowded(off int64, most int) { *l = append(*l, fmt.Sprintf("%d > %d", off, most)) }

func TestLine(t *testing.T) {
	for _, c := range []struct {
		text string
		want list
	}{
		{"a: !!python/name:os.system", list{"3 name:os.system false"}},
		{"a: !<tag:yaml.org,2002:python/tuple> [1]", list{"3 tuple false"}},
		{"a: !!python%2Fname:x", list{"3 name:x false"}},
		{"a: 'not !!python/name:x'", list{"8 name:x true"}},
		{"# !!python/name:x", list{"2 name:x true"}},
		{"%TAG !e! tag:yaml.org,2002:python/\na: !e!name:x", list{"38 name:x false"}},
		{"a: !ours b", nil},
		{"class_name: Lambda", list{"0 Lambda"}},
		{"{'class_name': Lambda}", nil},
	} {
		var got list
		text := New(&got)
		at := 0
		for line := range strings.SplitSeq(c.text, "\n") {
			text.Line([]byte(line), int64(at))
			at += len(line) + 1
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
