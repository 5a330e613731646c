// A registry, as far as the OCI Distribution Specification wants it for pulling.

package oci

import (
	"archive/tar"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// A fake is a registry with the repository "org/model".
type fake struct {
	URL       string
	manifests map[string][]byte // by tag and digest
	blobs     map[string][]byte // by digest
	kind      string            // of the challenge: "Bearer", "Basic" or ""
	user      string            // "user:password"; "" if anybody may pull
	identity  string            // identity token that is accepted instead
	storage   string            // URL of another server with the blobs; "" if there is none
	header    http.Header       // of answers with manifests
	expired   int               // number of tokens that have been revoked

	mu       sync.Mutex
	issued   int
	requests []*http.Request
}

func (f *fake) start(t *testing.T) *fake {
	t.Helper()
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.URL = server.URL
	return f
}

// asked returns the requests so far.
func (f *fake) asked() []*http.Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = append(f.requests, r)
	if r.URL.Path == "/token" {
		f.issue(w, r)
		return
	}
	if !f.allows(r) {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`%s realm="%s/token?x=1",service="the, service",`+
			`scope="repository:org/model:pull,push"`, f.kind, f.URL))
		refuse(w, 401, "UNAUTHORIZED")
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, "/v2/org/model/")
	if !ok {
		refuse(w, 404, "NAME_UNKNOWN")
		return
	}
	kind, name, _ := strings.Cut(path, "/")
	if kind == "manifests" {
		text, ok := f.manifests[name]
		if !ok || !strings.Contains(r.Header.Get("Accept"), "application/vnd.oci.image.index.v1+json") {
			refuse(w, 404, "MANIFEST_UNKNOWN")
			return
		}
		w.Header().Set("Docker-Content-Digest", digestOf(text))
		maps.Copy(w.Header(), f.header)
		w.Write(text)
		return
	}
	content, ok := f.blobs[name]
	switch {
	case !ok:
		refuse(w, 404, "BLOB_UNKNOWN")
	case f.storage != "":
		http.Redirect(w, r, f.storage+"/"+name+"?signature=SECRET", http.StatusTemporaryRedirect)
	default:
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"errors":[{"code":%q,"message":"no","detail":{}}]}`, code)
}

// isUser reports whether a request has the user's name and password.
func (f *fake) isUser(r *http.Request) bool {
	return r.Header.Get("Authorization") == "Basic "+base64.StdEncoding.EncodeToString([]byte(f.user))
}

// allows reports whether a request has what the challenge asks for.
func (f *fake) allows(r *http.Request) bool {
	switch f.kind {
	case "Bearer":
		return f.issued > f.expired && r.Header.Get("Authorization") == fmt.Sprintf("Bearer token-%d", f.issued)
	case "Basic":
		return f.isUser(r)
	}
	return f.kind == "" && r.Header.Get("Authorization") == ""
}

// issue issues a token.
func (f *fake) issue(w http.ResponseWriter, r *http.Request) {
	r.ParseForm()
	right := r.Form.Get("scope") == "repository:org/model:pull" && r.Form.Get("service") == "the, service" &&
		r.URL.Query().Get("x") == "1"
	switch {
	case !right:
		refuse(w, 400, "INVALID")
	case r.Method == http.MethodPost && f.identity == "":
		refuse(w, 404, "UNSUPPORTED")
	case r.Method == http.MethodPost && r.PostForm.Get("refresh_token") == f.identity && f.identity != "",
		f.user == "" && r.Header.Get("Authorization") == "", f.user != "" && f.isUser(r):
		f.issued++
		fmt.Fprintf(w, `{"token":"token-%d","expires_in":300}`, f.issued)
	default:
		refuse(w, 401, "UNAUTHORIZED")
	}
}

// A fakeLayer is a layer for push.
type fakeLayer struct {
	mediaType, title string
	content          []byte
}

// push adds an artifact to a fake as a tag, and returns the fake.
func (f *fake) push(tag string, layers ...fakeLayer) *fake {
	config := map[string]any{"mediaType": "application/vnd.oci.empty.v1+json", "digest": digestOf([]byte("{}")), "size": 2}
	m := map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config}
	list := []any{}
	for _, l := range layers {
		f.addBlob(l.content)
		d := map[string]any{"mediaType": l.mediaType, "digest": digestOf(l.content), "size": len(l.content)}
		if l.title != "" {
			d["annotations"] = map[string]string{"org.cncf.model.filepath": l.title}
		}
		list = append(list, d)
	}
	m["layers"] = list
	return f.tag(tag, m)
}

func (f *fake) addBlob(content []byte) {
	if f.blobs == nil {
		f.blobs = make(map[string][]byte)
	}
	f.blobs[digestOf(content)] = content
}

// tag adds a manifest.
func (f *fake) tag(tag string, m any) *fake {
	text, ok := m.(string)
	if !ok {
		encoded, err := json.Marshal(m)
		if err != nil {
			panic(err)
		}
		text = string(encoded)
	}
	if f.manifests == nil {
		f.manifests = make(map[string][]byte)
	}
	f.manifests[tag], f.manifests[digestOf([]byte(text))] = []byte(text), []byte(text)
	return f
}

// open opens a tag or digest. Requests are not repeated. There are no credentials but those of the settings.
func (f *fake) open(t *testing.T, revision string, settings ...string) store.Store {
	t.Helper()
	s, err := Open(fetch.NewShared(fetch.Options{Env: remotetest.Env(settings...), Retries: -1}), f.ref(revision))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (f *fake) ref(revision string) store.Ref {
	return store.Ref{Scheme: "oci", Root: strings.TrimPrefix(f.URL, "http://") + "/org/model", Revision: revision}
}

// archive returns a tar archive of files, in a format.
func archive(t *testing.T, format tar.Format, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h := &tar.Header{Name: name, Size: int64(len(files[name])), Typeflag: tar.TypeReg, Mode: 0o644, Format: format}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		w.Write(files[name])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sharedWith returns what stores share in an environment of settings.
func sharedWith(settings ...string) *fetch.Shared {
	return fetch.NewShared(fetch.Options{Env: remotetest.Env(settings...), Retries: -1})
}
