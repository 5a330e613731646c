// Tokens of Microsoft Entra ID, for service principals, workload identities and managed identities.

package azure

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// resource is what tokens are for: the data of all accounts, in all clouds.
const resource = "https://storage.azure.com"

// Tokens obtain tokens and keep them until shortly before they expire.
type tokens struct {
	what   string // for errors
	obtain func(context.Context) (auth.Token, error)

	mu   sync.Mutex
	held auth.Token
}

func (t *tokens) identity() *identity {
	return &identity{kind: byToken, what: t.what, access: t.authorize}
}

// authorize adds a token to a request.
func (t *tokens) authorize(r *http.Request) error {
	if !isPrivate(r.URL) {
		return fetch.Reason(fs.ErrPermission, "tokens are sent over https only")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.held.Valid() {
		token, err := t.obtain(r.Context())
		if err != nil {
			return err
		}
		t.held = token
	}
	t.held.Authorize(r)
	return nil
}

// findTokens returns the source of tokens that the environment selects, or nil. The order follows
// Azure's DefaultAzureCredential.
func findTokens(s *fetch.Shared, a *account) (*tokens, error) {
	env := s.Env
	f := &form{shared: s, query: url.Values{"resource": {resource}}, header: make(http.Header)}
	tenant, client := env("AZURE_TENANT_ID"), env("AZURE_CLIENT_ID")
	secret, file := env("AZURE_CLIENT_SECRET"), env("AZURE_FEDERATED_TOKEN_FILE")
	switch {
	case tenant != "" && client != "" && (secret != "" || file != ""):
		var err error
		if f.url, err = authority(env, a, tenant); err != nil {
			return nil, err
		}
		f.query = url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "scope": {resource + "/.default"}}
		if secret != "" {
			f.what, f.secret = "the service principal in AZURE_CLIENT_ID", secret
			f.query.Set("client_secret", secret)
		} else {
			f.what, f.file = "the workload identity in AZURE_FEDERATED_TOKEN_FILE", file
			f.query.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
		}
		return &tokens{what: f.what, obtain: f.send}, nil
	case env("IDENTITY_ENDPOINT") != "" && env("IDENTITY_HEADER") != "": // App Service, Functions, Container Apps
		f.url = env("IDENTITY_ENDPOINT")
		f.query.Set("api-version", "2019-08-01")
		f.header.Set("X-IDENTITY-HEADER", env("IDENTITY_HEADER"))
	case env("MSI_ENDPOINT") != "" && env("MSI_SECRET") != "": // Azure Machine Learning
		f.url = env("MSI_ENDPOINT")
		f.query.Set("api-version", "2017-09-01")
		f.query.Set("clientid", cmp.Or(client, env("DEFAULT_IDENTITY_CLIENT_ID")))
		f.header.Set("secret", env("MSI_SECRET"))
	case isAzureMachine() || env("AZURE_TOKEN_CREDENTIALS") == "ManagedIdentityCredential":
		f.url = "http://169.254.169.254/metadata/identity/oauth2/token"
		f.query.Set("api-version", "2018-02-01")
		f.header.Set("Metadata", "true")
	default:
		return nil, nil
	}
	if client != "" && !f.query.Has("clientid") {
		f.query.Set("client_id", client)
	}
	f.what = "the managed identity of this machine"
	return &tokens{what: f.what, obtain: f.send}, nil
}

// authority returns the URL for tokens of a tenant.
func authority(env func(string) string, a *account, tenant string) (string, error) {
	host := env("AZURE_AUTHORITY_HOST")
	switch name := a.endpoint.Hostname(); {
	case host != "":
	case strings.HasSuffix(name, ".chinacloudapi.cn"):
		host = "https://login.chinacloudapi.cn"
	case strings.HasSuffix(name, ".usgovcloudapi.net"):
		host = "https://login.microsoftonline.us"
	default:
		host = "https://login.microsoftonline.com"
	}
	u, ok := auth.Endpoint(host)
	if !ok || !isPrivate(u) {
		return "", errors.New("remote: the environment variable AZURE_AUTHORITY_HOST is not an https URL")
	}
	return u.JoinPath(url.PathEscape(tenant), "oauth2/v2.0/token").String(), nil
}

// isAzureMachine reports whether Linux says that this machine is one of Azure, by the tag that Azure gives to all of
// them. Elsewhere the request to the metadata service would hang until its timeout.
func isAzureMachine() bool {
	text, err := os.ReadFile("/sys/class/dmi/id/chassis_asset_tag")
	return err == nil && strings.TrimSpace(string(text)) == "7783-7084-3265-9085-8269-3286-77"
}

// A form is a request for a token.
type form struct {
	shared *fetch.Shared
	what   string
	url    string
	query  url.Values // if there is a grant_type, it is sent as the body of a POST request
	header http.Header
	secret string // never part of errors
	file   string // of the assertion, which is replaced from time to time; "" if there is none
}

// send obtains a token.
func (f *form) send(ctx context.Context) (auth.Token, error) {
	status, text, err := auth.Request(ctx, f.shared, func() (*http.Request, error) { return f.request(ctx) })
	switch {
	case err != nil:
		return auth.Token{}, fmt.Errorf("no token for %s: %w", f.what, err)
	case status != http.StatusOK:
		return auth.Token{}, f.refused(status, text)
	}
	token, err := auth.ParseToken(text)
	if err != nil {
		err = fmt.Errorf("no token for %s: the answer is not one with a token", f.what)
	}
	return token, err
}

func (f *form) request(ctx context.Context) (*http.Request, error) {
	if f.file != "" {
		assertion, err := os.ReadFile(f.file)
		if err != nil {
			return nil, err
		}
		f.secret = strings.TrimSpace(string(assertion))
		f.query.Set("client_assertion", f.secret)
	}
	method, u, body := http.MethodGet, f.url+"?"+f.query.Encode(), ""
	if f.query.Has("grant_type") {
		method, u, body = http.MethodPost, f.url, f.query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, u, strings.NewReader(body))
	if err != nil {
		return nil, errors.New("the URL for tokens is invalid")
	}
	r.Header = f.header.Clone()
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r, nil
}

// refused returns the error for a refusal, which is a JSON object with a description.
func (f *form) refused(status int, text []byte) error {
	var answer struct {
		Description string `json:"error_description"`
		Message     string // of App Service
	}
	_ = json.Unmarshal(text, &answer)
	reason, _, _ := strings.Cut(cmp.Or(answer.Description, answer.Message), "\n") // then come numbers for support
	if f.secret != "" {
		reason = strings.ReplaceAll(reason, f.secret, "...")
	}
	reason = strings.Map(func(c rune) rune {
		if c < ' ' || c == '\x7f' {
			return -1
		}
		return c
	}, reason[:min(len(reason), 300)])
	return fetch.Reason(fs.ErrPermission, fmt.Sprintf("no token for %s: %s", f.what,
		cmp.Or(reason, fmt.Sprintf("%d %s", status, http.StatusText(status)))))
}
