// Paths in the variables of huggingface_hub.

package hub

import (
	"path/filepath"
	"testing"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// TestExpandedPaths: as in huggingface_hub, "~" is the home folder and variables are replaced.
func TestExpandedPaths(t *testing.T) {
	for _, test := range []struct{ name, value, want string }{
		{"HF_HUB_CACHE", "~/cache", "/home/me/cache"},
		{"HF_HUB_CACHE", "$SCRATCH/cache", "/scratch/cache"},
		{"HF_HUB_CACHE", "${SCRATCH}cache", "/scratchcache"},
		{"HF_HUB_CACHE", "/a/$ABSENT/~", "/a/$ABSENT/~"},
		{"HF_HUB_CACHE", "~other/cache", "~other/cache"},
		{"HF_HOME", "~", "/home/me/hub"},
		{"HF_HOME", "$HOME/hf", "/home/me/hf/hub"},
		{"XDG_CACHE_HOME", "~/xdg", "/home/me/xdg/huggingface/hub"},
	} {
		vars := map[string]string{"HOME": "/home/me", "SCRATCH": "/scratch", test.name: test.value}
		s := fetch.NewShared(fetch.Options{Env: func(name string) string { return vars[name] }})
		if got := filepath.ToSlash(cacheFolder(s)); got != test.want {
			t.Errorf("%s=%s: the cache is %s; want %s", test.name, test.value, got, test.want)
		}
	}
}
