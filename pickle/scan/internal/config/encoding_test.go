// Surrogate pairs, unpaired surrogates and incomplete code units.

package config

import "testing"

func TestUTF8(t *testing.T) {
	if got := string(UTF8([]byte("\xff\xfea\x00\x34\xd8\x1e\xdd\x00\xd8b\x00c"))); got != "a\U0001d11e\ufffdb" {
		t.Errorf("%q", got)
	}
	if got := UTF8(nil); len(got) > 0 {
		t.Errorf("%q", got)
	}
}
