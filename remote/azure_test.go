// Azure: what requests for tokens cost, and that versions are not mixed. Package internal/azure tests the rest.

package remote_test

import (
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// login is the environment of a service principal and an account on the server of a bubble.
var login = remotetest.Env("AZURE_STORAGE_SERVICE_ENDPOINT=http://127.0.0.1/acct",
	"AZURE_AUTHORITY_HOST=http://127.0.0.1",
	"AZURE_TENANT_ID=tenant", "AZURE_CLIENT_ID=id", "AZURE_CLIENT_SECRET=SECRET")

// azureServer sends tokens, and blobs to those who have one.
func azureServer(status int, blobs func(w http.ResponseWriter, r *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/tenant/oauth2/v2.0/token":
			w.WriteHeader(status)
			fmt.Fprint(w, `{"access_token":"TOKEN","expires_in":3599,
				"error_description":"AADSTS7000222: The secret has expired."}`)
		case r.Header.Get("Authorization") != "Bearer TOKEN":
			w.Header().Set("X-Ms-Error-Code", "NoAuthenticationInformation")
			w.WriteHeader(http.StatusUnauthorized)
		default:
			blobs(w, r)
		}
	})
}

// A token is one request, which is counted. Blobs have checksums that downloads verify.
func TestAzureToken(t *testing.T) {
	content := pattern(100_000)
	sum := md5.Sum(content)
	h := azureServer(http.StatusOK, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"0x8D"`)
		w.Header().Set("X-Ms-Blob-Content-MD5", base64.StdEncoding.EncodeToString(sum[:]))
		ranged(w, r, content)
	})
	inBubble(t, h, func(t *testing.T, b *bubble) {
		b.Env = login
		o, err := open(t, &b.Opener, "az://acct/weights").Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		check(t, o, content, 90_000, 10_000)
		if got := b.Meter.Cost(); got.Requests != 3 {
			t.Errorf("%d requests, want one for the token and two for ranges", got.Requests)
		}
		if got := store.Checksum(t.Context(), o); got == nil || got.String() != fmt.Sprintf("MD5 %x", sum) {
			t.Errorf("the checksum is %v, want MD5 %x", got, sum)
		}
		if _, err := new(remote.Download).Run(t.Context(), o, filepath.Join(t.TempDir(), "a")); err != nil {
			t.Error(err)
		}
	})
}

// A login that is refused is not repeated, and what is public needs none.
func TestAzureLoginRefused(t *testing.T) {
	inBubble(t, azureServer(http.StatusUnauthorized, nil), func(t *testing.T, b *bubble) {
		b.Env = login
		_, err := open(t, &b.Opener, "az://acct/weights").Open(t.Context(), "a")
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "AADSTS7000222: The secret has expired.") ||
			strings.Contains(err.Error(), "SECRET") {
			t.Errorf("the error is %v", err)
		}
		if got := b.Meter.Cost().Requests; got != 2 {
			t.Errorf("%d requests, want one for a token and an anonymous one", got)
		}
	})
}

// Azure answers without an ETag that a blob has not changed.
func TestAzureNotModified(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []int64{2, 2} { // with one for the token
		h := azureServer(http.StatusOK, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("If-None-Match") == `"0x8D"` {
				w.Header().Set("X-Ms-Error-Code", "ConditionNotMet")
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set("ETag", `"0x8D"`)
			w.Header().Set("Last-Modified", "Sat, 05 Sep 1998 11:30:57 GMT")
			ranged(w, r, pattern(1000))
		})
		inBubble(t, h, func(t *testing.T, b *bubble) {
			b.Env, b.CacheDir = login, dir
			o, err := open(t, &b.Opener, "az://acct/weights").Open(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			check(t, o, pattern(1000), 500, 500)
			o.Close()
			if got := b.Meter.Cost().Requests; got != want {
				t.Errorf("%d requests, want %d", got, want)
			}
		})
	}
}

// A blob that is replaced while it is read is reported by its ETag.
func TestAzureReplaced(t *testing.T) {
	etag := `"0x8D1"`
	h := azureServer(http.StatusOK, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", etag)
		if match := r.Header.Get("If-Match"); match != "" && match != etag {
			w.Header().Set("X-Ms-Error-Code", "ConditionNotMet")
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		ranged(w, r, pattern(200_000))
	})
	inBubble(t, h, func(t *testing.T, b *bubble) {
		b.Env = login
		o, err := open(t, &b.Opener, "az://acct/weights").Open(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		etag = `"0x8D2"`
		if _, err := o.ReaderAt(t.Context()).ReadAt(make([]byte, 10), 150_000); !errors.Is(err, remote.ErrChanged) {
			t.Errorf("the error is %v, want that it changed", err)
		}
	})
}
