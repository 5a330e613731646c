package azure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// An issuer answers requests for tokens.
type issuer struct {
	URL    string
	answer func(r *http.Request) (status int, body string)

	mu       sync.Mutex
	requests []*http.Request // with their forms
}

func startIssuer(t *testing.T, answer func(r *http.Request) (int, string)) *issuer {
	t.Helper()
	i := &issuer{answer: answer}
	server := httptest.NewServer(i)
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	i.mu.Lock()
	i.requests = append(i.requests, r)
	i.mu.Unlock()
	status, body := i.answer(r)
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// accepts returns an answer with a token if the request has these values.
func accepts(want url.Values) func(*http.Request) (int, string) {
	return func(r *http.Request) (int, string) {
		for name := range want {
			if got := r.Form.Get(name); got != want.Get(name) {
				return http.StatusBadRequest, fmt.Sprintf(`{"error":"invalid_request","error_description":"%s is %q"}`, name, got)
			}
		}
		return http.StatusOK, `{"token_type":"Bearer","expires_in":3599,"access_token":"TOKEN"}`
	}
}

// Requests for tokens, as in "OAuth 2.0 client credentials flow on the Microsoft identity platform" and "How to use
// managed identities for App Service".
func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "assertion")
	if err := os.WriteFile(file, []byte("eyJ\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, settings string // %s is the URL of the issuer
		path           string
		want           url.Values
		header         [2]string
	}{
		{"secret", "AZURE_AUTHORITY_HOST=%s/ AZURE_TENANT_ID=tenant AZURE_CLIENT_ID=id AZURE_CLIENT_SECRET=a+b " +
			"AZURE_FEDERATED_TOKEN_FILE=x",
			"/tenant/oauth2/v2.0/token",
			url.Values{"grant_type": {"client_credentials"}, "client_id": {"id"}, "client_secret": {"a+b"},
				"scope": {"https://storage.azure.com/.default"}},
			[2]string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"workload", "AZURE_AUTHORITY_HOST=%s AZURE_TENANT_ID=tenant AZURE_CLIENT_ID=id AZURE_FEDERATED_TOKEN_FILE=" + file,
			"/tenant/oauth2/v2.0/token",
			url.Values{"grant_type": {"client_credentials"}, "client_id": {"id"}, "client_assertion": {"eyJ"},
				"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
				"scope":                 {"https://storage.azure.com/.default"}},
			[2]string{"Content-Type", "application/x-www-form-urlencoded"}},
		{"App Service", "IDENTITY_ENDPOINT=%s/msi/token IDENTITY_HEADER=key AZURE_CLIENT_ID=id", "/msi/token",
			url.Values{"api-version": {"2019-08-01"}, "resource": {"https://storage.azure.com"}, "client_id": {"id"}},
			[2]string{"X-Identity-Header", "key"}},
		{"Machine Learning", "MSI_ENDPOINT=%s/msi MSI_SECRET=key DEFAULT_IDENTITY_CLIENT_ID=id", "/msi",
			url.Values{"api-version": {"2017-09-01"}, "resource": {"https://storage.azure.com"}, "clientid": {"id"}},
			[2]string{"Secret", "key"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := startIssuer(t, accepts(test.want))
			f := (&fake{bearer: "TOKEN", files: map[string][]byte{"a": []byte("a"), "b": []byte("b")}}).start(t)
			s := f.open(t, strings.Fields(strings.ReplaceAll(test.settings, "%s", i.URL))...)
			for _, name := range []string{"a", "b"} {
				if _, err := s.Open(t.Context(), name); err != nil {
					t.Fatal(err)
				}
			}
			if len(i.requests) != 1 {
				t.Fatalf("%d tokens were requested, want one", len(i.requests))
			}
			if r := i.requests[0]; r.URL.Path != test.path || r.Header.Get(test.header[0]) != test.header[1] {
				t.Errorf("requested %s with %s %q", r.URL.Path, test.header[0], r.Header.Get(test.header[0]))
			}
		})
	}
}

// The metadata service of virtual machines sends numbers as strings.
func TestMetadataService(t *testing.T) {
	var asked []string
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		switch {
		case r.URL.Host == "169.254.169.254" && r.Header.Get("Metadata") == "true":
			fmt.Fprintf(w, `{"access_token":"TOKEN","expires_in":"86399","expires_on":"%d"}`,
				time.Now().Add(24*time.Hour).Unix())
		case r.Header.Get("Authorization") != "Bearer TOKEN":
			w.WriteHeader(http.StatusForbidden)
		}
		asked = append(asked, r.URL.String())
		return w.Result(), nil
	})
	s, err := Open(fetch.NewShared(fetch.Options{Transport: transport, Retries: -1,
		Env: remotetest.Env("AZURE_TOKEN_CREDENTIALS=ManagedIdentityCredential", "AZURE_CLIENT_ID=id")}),
		store.Ref{Scheme: "az", Root: "acct/weights"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	want := "[http://169.254.169.254/metadata/identity/oauth2/token?api-version=2018-02-01&client_id=id&" +
		"resource=https%3A%2F%2Fstorage.azure.com https://acct.blob.core.windows.net/weights/a]"
	if got := fmt.Sprint(asked); got != want {
		t.Errorf("requested %s, want %s", got, want)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A token is replaced before it expires.
func TestTokenExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		tokens := &tokens{obtain: func(ctx context.Context) (auth.Token, error) {
			n++
			return auth.NewToken(fmt.Sprint(n), time.Hour), nil
		}}
		for _, test := range []struct {
			after time.Duration
			want  string
		}{{0, "Bearer 1"}, {44 * time.Minute, "Bearer 1"}, {2 * time.Minute, "Bearer 2"}} {
			time.Sleep(test.after)
			r := httptest.NewRequest(http.MethodGet, "https://acct.blob.core.windows.net/", nil)
			if err := tokens.authorize(r); err != nil || r.Header.Get("Authorization") != test.want {
				t.Errorf("%s, %v; want %s", r.Header.Get("Authorization"), err, test.want)
			}
		}
		if err := tokens.authorize(httptest.NewRequest(http.MethodGet, "http://gateway.example/", nil)); err == nil {
			t.Error("a token is sent over http")
		}
	})
}

// A login that is refused says why, on one line and without secrets. It is not repeated, unless the service is busy.
func TestRefusedLogin(t *testing.T) {
	login := "AZURE_TENANT_ID=tenant AZURE_CLIENT_ID=id AZURE_CLIENT_SECRET=SECRET AZURE_AUTHORITY_HOST=%s"
	for _, test := range []struct {
		settings string
		status   int
		body     string
		want     string
	}{
		{login, 401, `{"error":"invalid_client","error_description":` +
			`"AADSTS7000215: Invalid client secret SECRET provided.\r\nTrace ID: 1"}`,
			"no token for the service principal in AZURE_CLIENT_ID: AADSTS7000215: Invalid client secret ... provided."},
		{login, 302, "", "302 Found"},
		{login, 200, "<html>", "the answer is not one with a token"},
		{login, 200, `{"access_token":"a\r\nb"}`, "the answer is not one with a token"},
		{"IDENTITY_ENDPOINT=%s IDENTITY_HEADER=SECRET", 400, `{"statusCode":400,"message":"No managed identity found\u001b"}`,
			"no token for the managed identity of this machine: No managed identity found"},
		{strings.Replace(login, "AZURE_CLIENT_SECRET=SECRET", "AZURE_FEDERATED_TOKEN_FILE=/absent", 1), 200, "",
			"no token for the workload identity in AZURE_FEDERATED_TOKEN_FILE: open /absent"},
	} {
		i := startIssuer(t, func(*http.Request) (int, string) { return test.status, test.body })
		f := (&fake{}).start(t)
		_, err := f.open(t, strings.Fields(strings.ReplaceAll(test.settings, "%s", i.URL))...).Open(t.Context(), "a")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "SECRET") ||
			strings.ContainsAny(err.Error(), "\r\n\x1b") {
			t.Errorf("%d %s: %v; want %q", test.status, test.body, err, test.want)
		}
		if len(i.requests) > 1 {
			t.Errorf("%d %s: %d requests for tokens, want one", test.status, test.body, len(i.requests))
		}
	}
}

// A header Authorization of the user replaces all other credentials.
func TestHeader(t *testing.T) {
	f := (&fake{bearer: "OURS", files: map[string][]byte{"a": []byte("a")}}).start(t)
	s, err := Open(fetch.NewShared(fetch.Options{Env: f.env("AZURE_STORAGE_KEY=" + testKey), Retries: -1}),
		store.Ref{Scheme: "az", Root: "acct/weights"}, func(origin string) http.Header {
			if !strings.HasPrefix(f.URL, origin+"/") {
				t.Errorf("fields for %s were requested", origin)
			}
			return http.Header{"Authorization": {"Bearer OURS"}}
		})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	f.bearer = "ANOTHER"
	const want = "the header Authorization is not accepted"
	if _, err := s.Open(t.Context(), "b"); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), want) {
		t.Errorf("the error is %v", err)
	}
	if n := len(f.asked()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// The challenge of an account names its tenant.
func TestOtherTenant(t *testing.T) {
	i := startIssuer(t, accepts(nil))
	f := (&fake{challenge: "Bearer authorization_uri=https://login.microsoftonline.com/" +
		"1caf922b-3c7e-424e-bae2-b8c2d442371d/oauth2/authorize resource_id=https://storage.azure.com"}).start(t)
	_, err := f.open(t, "IDENTITY_ENDPOINT="+i.URL, "IDENTITY_HEADER=key").Open(t.Context(), "a")
	const want = "is not accepted: set AZURE_TENANT_ID, or log in with `az login --tenant TENANT`; " +
		"the account belongs to the tenant 1caf922b-3c7e-424e-bae2-b8c2d442371d"
	if !errors.Is(err, fs.ErrPermission) || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("the error is %v", err)
	}
}

// The user of the Azure CLI is asked for what is not public, and only then.
func TestCLI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake CLI is a shell script")
	}
	folder := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >>" + folder + "/log\necho '{\"accessToken\":\"TOKEN\",\"expires_on\":4102444800}'\n"
	if err := errors.Join(os.WriteFile(filepath.Join(folder, "az"), []byte(script), 0o755),
		os.WriteFile(filepath.Join(folder, "azureProfile.json"), []byte("{}"), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	for _, test := range []struct {
		public bool
		want   string
	}{
		{true, ""},
		{false, "account get-access-token --resource https://storage.azure.com --output json\n"},
	} {
		f := (&fake{public: test.public, bearer: "TOKEN", files: map[string][]byte{"a": []byte("a")}}).start(t)
		if _, err := f.open(t, "AZURE_CONFIG_DIR="+folder).Open(t.Context(), "a"); err != nil {
			t.Error(err)
		}
		log, _ := os.ReadFile(filepath.Join(folder, "log"))
		if string(log) != test.want {
			t.Errorf("the CLI was run with %q, want %q", log, test.want)
		}
	}
	// Not logged in any more.
	script = "#!/bin/sh\necho \"ERROR: Please run 'az login' to setup account.\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(folder, "az"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := (&fake{}).start(t).open(t, "AZURE_CONFIG_DIR="+folder).Open(t.Context(), "a")
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "Please run 'az login'") {
		t.Errorf("the error is %v", err)
	}
}
