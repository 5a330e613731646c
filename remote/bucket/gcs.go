// Google Cloud Storage: the interface of S3 with Google's tokens.

package bucket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// A gcs has the credentials for Google Cloud Storage.
type gcs struct {
	shared   *fetch.Shared
	endpoint *url.URL

	mu     sync.Mutex
	sought bool // the credentials
	tokens oauth2.TokenSource
	failed error // of finding credentials
}

func openGCS(shared *fetch.Shared, ref store.Ref) (store.Store, error) {
	g := &gcs{shared: shared, endpoint: &url.URL{Scheme: "https", Host: "storage.googleapis.com"}}
	if given := shared.Env("STORAGE_EMULATOR_HOST"); given != "" {
		if !strings.Contains(given, "://") {
			given = "http://" + given
		}
		var ok bool
		if g.endpoint, ok = auth.Endpoint(given); !ok {
			return nil, errors.New("remote: the environment variable STORAGE_EMULATOR_HOST is not a host")
		}
		g.sought = true // an emulator needs no token
	}
	return &bucket{
		pool: fetch.Pool{Shared: shared}, ref: ref, version: "generation", access: g.authorize, known: g.isKnown,
		base: func() *url.URL {
			u := *g.endpoint
			u.Path += "/" + ref.Root
			return &u
		},
		login: "log in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
	}, nil
}

// authorize sends the token to the endpoint and to no other server.
func (g *gcs) authorize(r *http.Request) error {
	tokens, err := g.credentials()
	if err != nil || tokens == nil || fetch.Origin(r.URL) != fetch.Origin(g.endpoint) {
		return err
	}
	token, err := tokens.Token()
	if err != nil {
		return fmt.Errorf("no token for Google Cloud: %w", oauthInWords(err))
	}
	token.SetAuthHeader(r)
	return nil
}

func (g *gcs) isKnown() bool {
	tokens, _ := g.credentials()
	return tokens != nil
}

// credentials returns the source of tokens, or nil for anonymous access. Google's package
// would use the network even without credentials.
func (g *gcs) credentials() (oauth2.TokenSource, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sought {
		return g.tokens, g.failed
	}
	g.sought = true
	folder := g.shared.Env("CLOUDSDK_CONFIG")
	switch {
	case folder != "":
	case runtime.GOOS == "windows":
		folder = filepath.Join(g.shared.Env("APPDATA"), "gcloud")
	default:
		folder = filepath.Join(g.shared.Env("HOME"), ".config", "gcloud")
	}
	file := filepath.Join(folder, "application_default_credentials.json")
	if g.shared.Env("GOOGLE_APPLICATION_CREDENTIALS") == "" && !exists(file) && !isMadeBy("Google") {
		return nil, nil
	}
	// Tokens are requested during the whole life of the store, so the context never ends.
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: g.shared.Transport()})
	found, err := google.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/devstorage.read_only")
	if err != nil {
		g.failed = fmt.Errorf("no credentials for Google Cloud: %w", err)
		return nil, g.failed
	}
	g.tokens = found.TokenSource
	return g.tokens, nil
}
