// S3: endpoints, regions, credentials and signatures.

package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// An s3 knows the location of a bucket and the credentials for it. Its environment variables
// have the same names as for the AWS programs.
type s3 struct {
	shared   *fetch.Shared
	name     string
	endpoint *url.URL // nil for AWS

	mu     sync.Mutex
	region string
	sought bool // the credentials
	keys   *credentials.Credentials
}

func openS3(shared *fetch.Shared, ref store.Ref) (store.Store, error) {
	s := &s3{shared: shared, name: ref.Root, region: cmp.Or(shared.Env("AWS_REGION"), shared.Env("AWS_DEFAULT_REGION"),
		"us-east-1")}
	if given := cmp.Or(shared.Env("AWS_ENDPOINT_URL_S3"), shared.Env("AWS_ENDPOINT_URL")); given != "" {
		var err error
		if s.endpoint, err = url.Parse(strings.TrimSuffix(given, "/")); err != nil || s.endpoint.Host == "" ||
			!strings.HasPrefix(s.endpoint.Scheme, "http") {
			return nil, errors.New("remote: the environment variable AWS_ENDPOINT_URL is not an http or https URL")
		}
	}
	if account := shared.Env("CLOUDFLARE_ACCOUNT_ID"); ref.Scheme == "r2" && s.endpoint == nil {
		if account == "" {
			return nil, errors.New("remote: r2:// needs the environment variable CLOUDFLARE_ACCOUNT_ID or AWS_ENDPOINT_URL")
		}
		s.region, s.endpoint = "auto", &url.URL{Scheme: "https", Host: account + ".r2.cloudflarestorage.com"}
	}
	return &bucket{
		pool: fetch.Pool{Shared: shared}, ref: ref,
		checksums: &fetch.Checksums{Ask: http.Header{"X-Amz-Checksum-Mode": {"ENABLED"}}, Tag: s.md5},
		base:      s.base, access: s.sign, moved: s.moved, known: s.isKnown,
		login: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
	}, nil
}

// md5 returns the MD5 that an ETag contains: that of an object that was uploaded in one part
// and is not encrypted with a key of the user's. Directory buckets have other ETags.
func (s *s3) md5(etag string, h http.Header) string {
	encryption := h.Get("X-Amz-Server-Side-Encryption")
	if encryption != "" && encryption != "AES256" || h.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") != "" ||
		strings.HasSuffix(s.name, "--x-s3") || !strings.HasPrefix(etag, `"`) {
		return ""
	}
	return strings.Trim(etag, `"`)
}

// base returns the URL of the bucket. Only AWS has a host for each bucket.
func (s *s3) base() *url.URL {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.endpoint != nil:
		u := *s.endpoint
		u.Path += "/" + s.name
		return &u
	case strings.Contains(s.name, "."): // AWS has no certificate for such a host
		return &url.URL{Scheme: "https", Host: "s3." + s.region + ".amazonaws.com", Path: "/" + s.name}
	}
	return &url.URL{Scheme: "https", Host: s.name + ".s3." + s.region + ".amazonaws.com"}
}

// moved takes the region of the bucket from an answer, and reports whether it is a new one.
func (s *s3) moved(a *fetch.Answer) bool {
	region := a.Header.Get("X-Amz-Bucket-Region")
	s.mu.Lock()
	defer s.mu.Unlock()
	if region == "" || region == s.region || strings.Trim(region, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return false
	}
	s.region = region
	return true
}

// sign signs a request to the bucket, and leaves other requests unchanged. A signature is
// valid for one request and does not reveal the key.
func (s *s3) sign(r *http.Request) error {
	keys := s.credentials()
	if keys == nil || fetch.Origin(r.URL) != fetch.Origin(s.base()) {
		return nil
	}
	value, err := keys.GetWithContext(&credentials.CredContext{Client: &http.Client{Transport: s.shared.Transport()}})
	if err != nil {
		return fmt.Errorf("no credentials for AWS: %w", err)
	}
	if value.SignerType.IsAnonymous() {
		return nil
	}
	s.mu.Lock()
	region := s.region
	s.mu.Unlock()
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of an empty body
	r.Header.Set("X-Amz-Content-Sha256", empty)
	r.Header = signer.SignV4(*r, value.AccessKeyID, value.SecretAccessKey, value.SessionToken, region).Header
	return nil
}

func (s *s3) isKnown() bool { return s.credentials() != nil }

// credentials returns the credentials to sign with, or nil for anonymous access.
func (s *s3) credentials() *credentials.Credentials {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sought {
		s.sought, s.keys = true, s.findCredentials()
	}
	return s.keys
}

func (s *s3) findCredentials() *credentials.Credentials {
	env := s.shared.Env
	if s.shared.EnvIsTrue("AWS_NO_SIGN_REQUEST") {
		return nil
	}
	if id, secret := env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY"); id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, env("AWS_SESSION_TOKEN"))
	}
	file := env("AWS_SHARED_CREDENTIALS_FILE")
	folder := filepath.Join(cmp.Or(env("HOME"), env("USERPROFILE")), ".aws")
	if file != "" || env("AWS_PROFILE") != "" || exists(filepath.Join(folder, "credentials")) {
		return credentials.NewFileAWSCredentials(file, env("AWS_PROFILE"))
	}
	for _, name := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		if env(name) != "" {
			return credentials.NewIAM("")
		}
	}
	// Elsewhere, the request to the metadata service would hang until its timeout.
	if !s.shared.EnvIsTrue("AWS_EC2_METADATA_DISABLED") && isMadeBy("Amazon EC2") {
		return credentials.NewIAM("")
	}
	return nil
}
