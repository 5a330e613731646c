// Buckets: credentials, signatures, regions and refusals. Package internal/fakes3 tests reading.

package remote_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
	"github.com/weightools/safetensors/store"
)

// A profile is what the AWS programs keep in a file.
func TestProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[work]\naws_access_key_id = AKID\naws_secret_access_key = secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	inBubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { ranged(w, r, pattern(10)) }), func(t *testing.T, b *bubble) {
		b.Env = remotetest.Env("AWS_SHARED_CREDENTIALS_FILE="+file, "AWS_PROFILE=work", "AWS_ENDPOINT_URL=http://s3.example")
		if _, err := open(t, &b.Opener, "s3://weights").Open(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if got := b.asked()[0].Header.Get("Authorization"); !strings.HasPrefix(got, "AWS4-HMAC-SHA256 Credential=AKID/") {
			t.Errorf("the request is signed %q", got)
		}
	})
}

// TestSignature is Amazon's example "GET Object" of signature version 4, but for the
// headers that differ: it shows that the range is signed, and for the bucket's host alone.
func TestSignature(t *testing.T) {
	inBubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "s3.example" {
			w.Header().Set("Location", "http://elsewhere.example/a")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		ranged(w, r, pattern(10))
	}), func(t *testing.T, b *bubble) {
		b.Env = remotetest.Env("AWS_ACCESS_KEY_ID=AKID", "AWS_SECRET_ACCESS_KEY=secret", "AWS_ENDPOINT_URL=http://s3.example")
		if _, err := open(t, &b.Opener, "s3://weights").Open(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		if got := b.asked()[0].Header.Get("Authorization"); !strings.Contains(got, "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date") {
			t.Errorf("the request is signed %q", got)
		}
		if got := b.asked()[1].Header.Get("Authorization"); got != "" {
			t.Errorf("another host was shown %q", got)
		}
	})
}

// TestRegion: a bucket of another region says which.
func TestRegion(t *testing.T) {
	var hosts []string
	tr := roundTrip(func(r *http.Request) (*http.Response, error) {
		hosts = append(hosts, r.URL.Host)
		h := http.Header{"X-Amz-Bucket-Region": {"eu-west-3"}}
		if r.URL.Host != "weights.s3.eu-west-3.amazonaws.com" {
			return &http.Response{StatusCode: http.StatusMovedPermanently, Header: h, Body: http.NoBody}, nil
		}
		return &http.Response{StatusCode: http.StatusOK, Header: h, ContentLength: 1, Body: io.NopCloser(strings.NewReader("x"))}, nil
	})
	s := open(t, &remote.Opener{Transport: tr, Env: remotetest.Env("AWS_EC2_METADATA_DISABLED=1")}, "s3://weights")
	if _, err := s.Open(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(hosts); got != "[weights.s3.us-east-1.amazonaws.com weights.s3.eu-west-3.amazonaws.com]" {
		t.Errorf("asked %s", got)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestNoCredentials(t *testing.T) {
	for ref, want := range map[string]string{"s3://weights": "set AWS_ACCESS_KEY_ID", "gs://weights": "gcloud auth application-default login"} {
		inBubble(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }), func(t *testing.T, b *bubble) {
			b.Env = remotetest.Env("AWS_ENDPOINT_URL=http://s3.example", "STORAGE_EMULATOR_HOST=gcs.example")
			s := open(t, &b.Opener, ref)
			_, err := s.Open(t.Context(), "a")
			if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", ref, err, want)
			}
			for _, err := range s.(store.Lister).List(t.Context(), "") {
				if !errors.Is(err, fs.ErrPermission) {
					t.Errorf("listing %s: %v", ref, err)
				}
			}
		})
	}
}

// A listing that ends before its last page is an error. Servers with only the first version of S3's ListObjects send
// no token for the next page.
func TestTruncatedListing(t *testing.T) {
	for _, next := range []string{"", "<NextContinuationToken>t</NextContinuationToken>", "<NextMarker>a</NextMarker>"} {
		o := (&awsTest{config: "[default]\n" + awsKeys}).opener(t, func(*http.Request) (*http.Response, error) {
			return said(http.StatusOK, "<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>a</Key>"+
				"<Size>1</Size></Contents>"+next+"</ListBucketResult>"), nil
		})
		var err error
		for _, err = range open(t, o, "s3://weights").(store.Lister).List(t.Context(), "") {
			if err != nil {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), "the listing is incomplete") {
			t.Errorf("with %q: %v", next, err)
		}
	}
}
