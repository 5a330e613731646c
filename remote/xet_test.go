// Files that the Hub keeps in Xet.

package remote_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
	"github.com/weightools/safetensors/store/storetest"
)

// TestXet: what is in Xet comes from its bridge, by ranges and without its protocol. The
// digest and the size are those that the Hub links to, and not those of chunks.
func TestXet(t *testing.T) {
	storetest.Run(t, func(t *testing.T, files map[string][]byte) store.Store {
		h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: files}}, Xet: true, Token: "hf_good"}
		return open(t, serveHub(t, h, "HF_TOKEN=hf_good"), "hf://org/repo")
	})
	content := pattern(300_000)
	h := &remotetest.Hub{Repos: map[string]*remotetest.Repo{"org/repo": {Commit: commit, Files: map[string][]byte{"model": content}}}, Xet: true, Token: "hf_good"}
	opener := serveHub(t, h, "HF_TOKEN=hf_good")
	o, err := open(t, opener, "hf://org/repo").Open(t.Context(), "model")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	check(t, o, content, 200_000, 50_000)
	if digest, ok := store.SHA256(o); !ok || digest != sum(content) || o.Size() != int64(len(content)) {
		t.Errorf("%d bytes of digest %x", o.Size(), digest)
	}
	// The file and its bytes, and after that the bridge alone.
	want := []string{"/org/repo/resolve/main/model", "/xet-bridge-us/org/repo/", "/xet-bridge-us/org/repo/"}
	var paths []string
	for _, seen := range h.Seen() {
		paths = append(paths, seen.Path)
		if isBridge := strings.HasPrefix(seen.Path, "/xet"); isBridge == (seen.Authorization != "") || seen.Range == "" {
			t.Errorf("%s was asked with %+v", seen.Path, seen)
		}
	}
	if len(paths) != len(want) || !slices.EqualFunc(paths, want, strings.HasPrefix) {
		t.Errorf("asked for %q, want %q", paths, want)
	}
	path := filepath.Join(t.TempDir(), "model")
	if got, err := new(remote.Download).Run(t.Context(), o, path); err != nil || !got.Verified {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestXetAlone: of a file of more than 50 GB the bridge sends nothing, and who asks should
// know why.
func TestXetAlone(t *testing.T) {
	for size, want := range map[string]string{"50000000001": "only by Xet", "50000000000": "access denied"} {
		inBubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host != "hub.example" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			w.Header().Set("X-Repo-Commit", commit)
			w.Header().Set("X-Linked-Size", size)
			w.Header().Set("X-Xet-Hash", strings.Repeat("e", 64))
			w.Header().Set("Location", "http://bridge.example/x?X-Amz-Signature=secret")
			w.WriteHeader(http.StatusFound)
		}), func(t *testing.T, b *bubble) {
			b.Env = remotetest.Env("HF_ENDPOINT=http://hub.example")
			if _, err := open(t, &b.Opener, "hf://org/repo").Open(t.Context(), "model"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s bytes: %v, want that it is served %s", size, err, want)
			}
		})
	}
}
