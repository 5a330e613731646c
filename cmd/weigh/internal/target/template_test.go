package target

import (
	"strings"
	"testing"
)

func TestDangerOf(t *testing.T) {
	for text, want := range map[string]string{
		`{% for m in messages %}{{ m["role"] }}: {{ m["content"] }}{% endfor %}`:              "",
		`{{ cycler.__init__.__globals__.os.popen("id").read() }}`:                             "__globals__",
		`{% for i in range(1000000) %}{% for j in range(1000000) %}x{% endfor %}{% endfor %}`: "1e+12 times",
		`{{ x|attr(y) }}`:                  "known only when it runs",
		`__globals__ is an attribute {{}}`: "",
	} {
		if got := dangerOf(text); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
