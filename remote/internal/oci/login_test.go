// Credentials: challenges, tokens, configurations and helpers.

package oci

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// docker writes a configuration of Docker with an entry for a registry, and returns the setting for it.
func docker(t *testing.T, f *fake, entry string) string {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf(`{"auths":{%q:%s}}`, strings.TrimPrefix(f.URL, "http://"), entry)
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return "DOCKER_CONFIG=" + dir
}

// The ways to log in, each with how often the registry is asked: without credentials, for a token, and for the manifest
// and the layer.
func TestLogin(t *testing.T) {
	basic := fmt.Sprintf(`{"auth":%q}`, base64.StdEncoding.EncodeToString([]byte("user:SECRET")))
	for _, test := range []struct {
		name     string
		registry *fake
		entry    string
		requests int
	}{
		{"public", &fake{}, "", 2},
		{"public with credentials", &fake{}, basic, 2}, // which are not sent unless the registry asks
		{"anonymous token", &fake{kind: "Bearer"}, "", 4},
		{"token", &fake{kind: "Bearer", user: "user:SECRET"}, basic, 4},
		{"user and password", &fake{kind: "Bearer", user: "user:SECRET"}, `{"username":"user","password":"SECRET"}`, 4},
		{"basic", &fake{kind: "Basic", user: "user:SECRET"}, basic, 3},
		{"identity token", &fake{kind: "Bearer", user: "user:SECRET", identity: "SECRET"}, `{"identitytoken":"SECRET"}`, 4},
		{"identity token without form", &fake{kind: "Bearer", user: "<token>:SECRET"}, `{"identitytoken":"SECRET"}`, 5},
		{"registry token", &fake{kind: "Bearer", user: "nobody:", issued: 1}, `{"registrytoken":"token-1"}`, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := test.registry.push("v1", fakeLayer{rawType, "a", []byte("content")}).start(t)
			var settings []string
			if test.entry != "" {
				settings = append(settings, docker(t, f, test.entry))
			}
			o, err := f.open(t, "v1", settings...).Open(t.Context(), "a")
			if got := remotetest.Read(t, o, err); got != "content" {
				t.Errorf("read %q", got)
			}
			if n := len(f.asked()); n != test.requests {
				t.Errorf("%d requests, want %d", n, test.requests)
			}
		})
	}
}

// A token that the registry does not accept any more is replaced once.
func TestExpiredToken(t *testing.T) {
	f := (&fake{kind: "Bearer"}).push("v1", layers(map[string][]byte{"a": []byte("1"), "b": []byte("2")})...).start(t)
	s := f.open(t, "v1")
	if _, err := s.Open(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.expired = f.issued
	f.mu.Unlock()
	o, err := s.Open(t.Context(), "b")
	if got := remotetest.Read(t, o, err); got != "2" {
		t.Errorf("read %q", got)
	}
	f.mu.Lock()
	f.user, f.expired = "other:", f.issued
	f.mu.Unlock()
	if _, err := f.open(t, "v1").Open(t.Context(), "a"); !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
}

// Refusals say what to do, and contain no secrets.
func TestRefusals(t *testing.T) {
	entry := `{"username":"user","password":"SECRET"}`
	login := func(f *fake) string { return "`docker login " + strings.TrimPrefix(f.URL, "http://") + "`" }
	for _, kind := range []string{"Bearer", "Basic", "Negotiate"} {
		f := (&fake{kind: kind, user: "other:password"}).push("v1", fakeLayer{rawType, "a", nil}).start(t)
		for _, settings := range [][]string{nil, {docker(t, f, entry)}} {
			_, err := f.open(t, "v1", settings...).Open(t.Context(), "a")
			want := "requires a login: run " + login(f)
			if settings != nil && kind != "Negotiate" {
				want = "does not accept the credentials for "
			}
			if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), want) ||
				!strings.Contains(err.Error(), login(f)) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("%s: %v; want %q", kind, err, want)
			}
		}
	}
	f := new(fake).push("v1").start(t)
	if _, err := f.open(t, "v2").Open(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), `there is no tag or manifest "v2"`) {
		t.Error(err)
	}
	ref := f.ref("")
	ref.Root = strings.Replace(ref.Root, "model", "other", 1)
	s, _ := Open(f.open(t, "").(*artifact).shared, ref)
	for _, err := range s.(store.Lister).List(t.Context(), "") {
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `no repository "org/other" in 127.0.0.1`) {
			t.Error(err)
		}
	}
}

// Whoever answers for a registry cannot have credentials sent to any place.
func TestRealm(t *testing.T) {
	for _, test := range []struct{ origin, realm, want string }{
		{"https://r.example", "https://auth.example/token", ""},
		{"https://r.example", "http://auth.example/token", "over http"},
		{"https://r.example", "http://r.example/token", "over http"},
		{"https://r.example", "https://169.254.169.254/latest", "private network"},
		{"https://r.example", "https://[::ffff:10.0.0.1]/", "private network"},
		{"https://r.example", "https://localhost:80/", "private network"},
		{"https://10.1.2.3", "https://10.1.2.4/token", ""},
		{"http://localhost:5000", "http://localhost:5001/token", ""},
		{"https://r.example", "file:///etc/passwd", "invalid URL"},
		{"https://r.example", "https://user@auth.example/", "invalid URL"},
		{"https://r.example", "", "invalid URL"},
		{"https://r.example", "%zz", "invalid URL"},
	} {
		l := &login{host: "r.example", origin: test.origin, answers: challenge{realm: test.realm}}
		_, err := l.realm()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s names %q: %v; want %q", test.origin, test.realm, err, test.want)
		}
	}
}

// The examples of RFC 9110, section 11.6.1, and of the specification of Docker's tokens.
func TestParseChallenge(t *testing.T) {
	for _, test := range []struct {
		fields []string
		want   challenge
	}{
		{[]string{`Bearer realm="https://auth.docker.io/token",service="registry.docker.io",` +
			`scope="repository:samalba/my-app:pull,push"`},
			challenge{"bearer", "https://auth.docker.io/token", "registry.docker.io"}},
		{[]string{`Basic realm="x"`, `BEARER service=s , realm = "y"`}, challenge{"bearer", "y", "s"}},
		{[]string{`Bearer realm="y"`, `Basic realm="x"`}, challenge{"bearer", "y", ""}},
		{[]string{`Negotiate`, `basic`}, challenge{scheme: "basic"}},
		{[]string{`Newauth realm="apps", type=1`}, challenge{}},
		{nil, challenge{}},
	} {
		if got := parseChallenge(test.fields); got != test.want {
			t.Errorf("%q: %+v, want %+v", test.fields, got, test.want)
		}
	}
}

// Where the credentials for a registry are found, by the documentation of Docker and of Podman.
func TestFindCredential(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("helpers are shell scripts")
	}
	bin, home := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	write := func(mode os.FileMode, text string, path ...string) {
		file := filepath.Join(path...)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(0o755, "#!/bin/sh\nread -r server\n"+
		"[ $1 = get ] && printf '{\"Username\":\"of %s\",\"Secret\":\"s\"}' \"$server\"\n", bin, "docker-credential-good")
	write(0o755, "#!/bin/sh\necho '{\"Username\":\"<token>\",\"Secret\":\"i\"}'\n", bin, "docker-credential-token")
	write(0o755, "#!/bin/sh\necho 'credentials not found in native keychain'\nexit 1\n", bin, "docker-credential-none")
	write(0o755, "#!/bin/sh\necho 'locked\nSECRET' >&2\nexit 1\n", bin, "docker-credential-bad")
	write(0o755, "#!/bin/sh\necho SECRET\n", bin, "docker-credential-odd")
	const auth = `"auth":"dXNlcjpwdw=="` // user:pw
	for _, test := range []struct{ host, config, want string }{
		{"r.example", `{}`, "anonymous"},
		{"r.example", `{"auths":{"r.example":{` + auth + `}}}`, "user:pw"},
		{"r.example:5000", `{"auths":{"r.example":{` + auth + `}}}`, "anonymous"},
		{"r.example", `{"auths":{"https://r.example/v1/":{` + auth + `}}}`, "user:pw"},
		{"r.example", `{"auths":{"r.example":{` + auth + `},"r.example/org":{"username":"org"}}}`, "org:"},
		{"r.example", `{"auths":{"r.example/org/model":{"username":"repo"},"r.example/org":{"username":"org"}}}`, "repo:"},
		{"docker.io", `{"auths":{"https://index.docker.io/v1/":{` + auth + `}}}`, "user:pw"},
		{"docker.io", `{"auths":{"docker.io":{` + auth + `}}}`, "user:pw"},
		{"r.example", `{"credHelpers":{"r.example":"good"},"credsStore":"bad"}`, "of r.example:s"},
		{"r.example", `{"auths":{"r.example":{}},"credsStore":"good"}`, "of r.example:s"},
		{"docker.io", `{"credsStore":"good"}`, "of https://index.docker.io/v1/:s"},
		{"r.example", `{"credsStore":"token"}`, "identity i"},
		{"r.example", `{"credsStore":"none"}`, "anonymous"},
		{"r.example", `{"credsStore":"bad"}`, "`docker-credential-bad get` fails for r.example: \"locked\""},
		{"r.example", `{"credsStore":"odd"}`, "prints no credentials"},
		{"r.example", `{"credsStore":"absent"}`, "a credential helper that cannot be run"},
		{"r.example", `{"credsStore":"x/../../evil"}`, "which is not a name"},
		{"r.example", `{"auths":{"r.example":{"auth":"SECRET"}}}`, "are not valid: run `docker login r.example` again"},
		{"r.example", `{"auths":SECRET}`, "is not a configuration of Docker"},
	} {
		write(0o600, test.config, home, ".docker", "config.json")
		found, err := findCredential(t.Context(), sharedWith("HOME="+home), test.host, "org/model")
		var got string
		switch {
		case err != nil:
			got = err.Error()
		case found.what == "":
			got = "anonymous"
		case found.identity != "":
			got = "identity " + found.identity
		default:
			got = found.user + ":" + found.password
		}
		if !strings.Contains(got, test.want) || strings.Contains(got, "SECRET") {
			t.Errorf("%s with %s: %s; want %s", test.host, test.config, got, test.want)
		}
	}
	write(0o600, `{"auths":{"r.example":{"username":"podman"}}}`, home, "run", "containers", "auth.json")
	write(0o600, `{"auths":{"r.example":{"username":"config"}}}`, home, ".config", "containers", "auth.json")
	write(0o600, `{"auths":{"r.example":{"username":"explicit"}}}`, home, "file.json")
	write(0o600, `{"auths":{"other.example":{"username":"docker"}}}`, home, ".docker", "config.json")
	for settings, want := range map[string]string{"": "config", "XDG_RUNTIME_DIR=" + filepath.Join(home, "run"): "podman",
		"REGISTRY_AUTH_FILE=" + filepath.Join(home, "file.json"): "explicit"} {
		found, err := findCredential(t.Context(), sharedWith(settings, "HOME="+home), "r.example", "org/model")
		if err != nil || found.user != want {
			t.Errorf("with %q: %+v, %v; want %q", settings, found, err, want)
		}
	}
}

// Requests for tokens have secrets, and follow no redirects.
func TestTokenRedirect(t *testing.T) {
	var got []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.Path)
	}))
	defer other.Close()
	server := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer server.Close()
	l := &login{shared: sharedWith(), host: "h", origin: server.URL, known: &credential{user: "user", password: "SECRET"},
		answers: challenge{scheme: "bearer", realm: server.URL}}
	err := l.obtain(t.Context())
	if !errors.Is(err, fs.ErrPermission) || len(got) > 0 || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%v, and requests %q", err, got)
	}
}
