// Google Cloud Storage: S3's language, and tokens of Google's.

package remote

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

	"github.com/weightools/safetensors/store"
)

// A gcs is what is known of who asks Google Cloud Storage.
type gcs struct {
	*Opener
	endpoint *url.URL

	mu     sync.Mutex
	asked  bool // for credentials
	tokens oauth2.TokenSource
	failed error // of finding credentials
}

func (o *Opener) openGCS(ref store.Ref) (store.Store, error) {
	g := &gcs{Opener: o, endpoint: &url.URL{Scheme: "https", Host: "storage.googleapis.com"}}
	if given := o.env("STORAGE_EMULATOR_HOST"); given != "" {
		if !strings.Contains(given, "://") {
			given = "http://" + given
		}
		var err error
		if g.endpoint, err = url.Parse(strings.TrimSuffix(given, "/")); err != nil || g.endpoint.Host == "" {
			return nil, errors.New("remote: the environment variable STORAGE_EMULATOR_HOST is no host")
		}
		g.asked = true // it wants no token
	}
	ref.Path = ""
	return &bucket{
		pool: pool{Opener: o, parts: o.shared()}, ref: ref, access: g.authorize, known: g.isKnown,
		base: func() *url.URL {
			u := *g.endpoint
			u.Path += "/" + ref.Root
			return &u
		},
		login: "log in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS",
	}, nil
}

// authorize shows the token to the endpoint.
func (g *gcs) authorize(r *http.Request) error {
	tokens, err := g.credentials()
	if err != nil || tokens == nil || originOf(r.URL) != originOf(g.endpoint) {
		return err
	}
	token, err := tokens.Token()
	if err != nil {
		return fmt.Errorf("no token for Google Cloud: %w", err)
	}
	token.SetAuthHeader(r)
	return nil
}

func (g *gcs) isKnown() bool {
	tokens, _ := g.credentials()
	return tokens != nil
}

// credentials returns where tokens come from, or nil for one who is nobody in particular.
// Google's package would ask the network to find that out.
func (g *gcs) credentials() (oauth2.TokenSource, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.asked {
		return g.tokens, g.failed
	}
	g.asked = true
	folder := g.env("CLOUDSDK_CONFIG")
	switch {
	case folder != "":
	case runtime.GOOS == "windows":
		folder = filepath.Join(g.env("APPDATA"), "gcloud")
	default:
		folder = filepath.Join(g.env("HOME"), ".config", "gcloud")
	}
	if g.env("GOOGLE_APPLICATION_CREDENTIALS") == "" && !isThere(filepath.Join(folder, "application_default_credentials.json")) && !isMadeBy("Google") {
		return nil, nil
	}
	// Tokens are asked for over this context, as long as the store is in use.
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: g.parts.client.transport})
	found, err := google.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/devstorage.read_only")
	if err != nil {
		g.failed = fmt.Errorf("no credentials for Google Cloud: %w", err)
		return nil, g.failed
	}
	g.tokens = found.TokenSource
	return g.tokens, nil
}
