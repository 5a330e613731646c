// S3: where buckets are, and how requests are signed.

package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/weightools/safetensors/store"
)

// An s3 is what is known of a bucket's place and of who asks. The variables are those of
// the AWS programs.
type s3 struct {
	*Opener
	name     string
	endpoint *url.URL // nil for AWS

	mu     sync.Mutex
	region string
	asked  bool // for credentials
	keys   *credentials.Credentials
}

func (o *Opener) openS3(ref store.Ref) (store.Store, error) {
	s := &s3{Opener: o, name: ref.Root, region: "us-east-1"}
	for _, name := range []string{"AWS_DEFAULT_REGION", "AWS_REGION"} {
		s.region = orElse(o.env(name), s.region)
	}
	if given := orElse(o.env("AWS_ENDPOINT_URL_S3"), o.env("AWS_ENDPOINT_URL")); given != "" {
		var err error
		if s.endpoint, err = url.Parse(strings.TrimSuffix(given, "/")); err != nil || s.endpoint.Host == "" || !strings.HasPrefix(s.endpoint.Scheme, "http") {
			return nil, errors.New("remote: the environment variable AWS_ENDPOINT_URL is no URL of http or https")
		}
	}
	ref.Path = ""
	return &bucket{
		pool: pool{Opener: o, parts: o.shared()}, ref: ref,
		base: s.base, access: s.sign, moved: s.moved, known: s.isKnown,
		login: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
	}, nil
}

// base returns the URL of the bucket. Only AWS has a host for each.
func (s *s3) base() *url.URL {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.endpoint != nil:
		u := *s.endpoint
		u.Path += "/" + s.name
		return &u
	case strings.Contains(s.name, "."): // no certificate is for such a host
		return &url.URL{Scheme: "https", Host: "s3." + s.region + ".amazonaws.com", Path: "/" + s.name}
	}
	return &url.URL{Scheme: "https", Host: s.name + ".s3." + s.region + ".amazonaws.com"}
}

// moved takes note of the region that an answer says the bucket is in.
func (s *s3) moved(a *answer) bool {
	region := a.header.Get("X-Amz-Bucket-Region")
	s.mu.Lock()
	defer s.mu.Unlock()
	if region == "" || region == s.region || strings.Trim(region, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return false
	}
	s.region = region
	return true
}

// sign signs a request to the bucket, and leaves others as they are. A signature is good
// for that one request, and tells nothing of the key.
func (s *s3) sign(r *http.Request) error {
	keys := s.credentials()
	if keys == nil || originOf(r.URL) != originOf(s.base()) {
		return nil
	}
	value, err := keys.GetWithContext(&credentials.CredContext{Client: &http.Client{Transport: s.parts.client.transport}})
	if err != nil {
		return fmt.Errorf("no credentials for AWS: %w", err)
	}
	if value.SignerType.IsAnonymous() {
		return nil
	}
	s.mu.Lock()
	region := s.region
	s.mu.Unlock()
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of no body
	r.Header.Set("X-Amz-Content-Sha256", empty)
	r.Header = signer.SignV4(*r, value.AccessKeyID, value.SecretAccessKey, value.SessionToken, region).Header
	return nil
}

func (s *s3) isKnown() bool { return s.credentials() != nil }

// credentials returns what to sign with, or nil for one who is nobody in particular.
func (s *s3) credentials() *credentials.Credentials {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked {
		s.asked, s.keys = true, s.findCredentials()
	}
	return s.keys
}

func (s *s3) findCredentials() *credentials.Credentials {
	if isTrue(s.env("AWS_NO_SIGN_REQUEST")) {
		return nil
	}
	if id, secret := s.env("AWS_ACCESS_KEY_ID"), s.env("AWS_SECRET_ACCESS_KEY"); id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, s.env("AWS_SESSION_TOKEN"))
	}
	file := s.env("AWS_SHARED_CREDENTIALS_FILE")
	folder := filepath.Join(orElse(s.env("HOME"), s.env("USERPROFILE")), ".aws")
	if file != "" || s.env("AWS_PROFILE") != "" || isThere(filepath.Join(folder, "credentials")) {
		return credentials.NewFileAWSCredentials(file, s.env("AWS_PROFILE"))
	}
	for _, name := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		if s.env(name) != "" {
			return credentials.NewIAM("")
		}
	}
	// On other machines the question would wait for an answer that never comes.
	if !isTrue(s.env("AWS_EC2_METADATA_DISABLED")) && isMadeBy("Amazon EC2") {
		return credentials.NewIAM("")
	}
	return nil
}

// isMadeBy says whether this machine is one of that maker's, as Linux tells.
func isMadeBy(maker string) bool {
	text, err := os.ReadFile("/sys/class/dmi/id/sys_vendor")
	return err == nil && strings.TrimSpace(string(text)) == maker
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
