// S3: endpoints, regions and signatures.

package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// An s3 knows the location of a bucket and the credentials for it. Its environment variables and
// files are the same as for the AWS programs.
type s3 struct {
	shared   *fetch.Shared
	config   *awsConfig
	name     string
	endpoint *url.URL // nil for AWS
	virtual  bool     // the host name contains that of the bucket
	variant  string   // of AWS's endpoints: "", "-fips", ".dualstack" or both

	mu     sync.Mutex
	region string
	sought bool // the credentials
	keys   *credentials.Credentials
	failed error // of finding credentials
}

func openS3(shared *fetch.Shared, ref store.Ref) (store.Store, error) {
	config, err := readAWSConfig(shared)
	if err != nil {
		return nil, err
	}
	if bundle := config.setting("ca_bundle", "AWS_CA_BUNDLE"); bundle != "" {
		if shared, err = shared.WithRoots(bundle); err != nil {
			return nil, fmt.Errorf("remote: AWS_CA_BUNDLE: %w", err)
		}
	}
	s := &s3{shared: shared, config: config, name: ref.Root}
	if err := s.locate(ref.Scheme == "r2"); err != nil {
		return nil, err
	}
	return &bucket{
		pool: fetch.Pool{Shared: shared}, ref: ref, version: "versionId",
		checksums: &fetch.Checksums{Ask: http.Header{"X-Amz-Checksum-Mode": {"ENABLED"}}, Tag: s.md5},
		base:      s.base, access: s.sign, moved: s.moved, known: s.isKnown,
		login: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
	}, nil
}

// locate finds out the endpoint and the region.
func (s *s3) locate(r2 bool) error {
	given, err := s.config.endpoint("s3", "AWS_ENDPOINT_URL_S3")
	if err != nil {
		return err
	}
	s.region = s.config.setting("region", "AWS_REGION", "AWS_DEFAULT_REGION")
	if r2 && given == "" {
		account := s.shared.Env("CLOUDFLARE_ACCOUNT_ID")
		if account == "" || !isHostLabel(account) {
			return errors.New("remote: r2:// needs the ID of the account in CLOUDFLARE_ACCOUNT_ID, or AWS_ENDPOINT_URL")
		}
		given, s.region = "https://"+account+".r2.cloudflarestorage.com", "auto"
	}
	style := s.config.profile["s3.addressing_style"]
	if given != "" {
		var ok bool
		if s.endpoint, ok = auth.Endpoint(given); !ok {
			return errors.New("remote: the endpoint of S3 (AWS_ENDPOINT_URL, or endpoint_url in the AWS configuration) " +
				"is not an http or https URL")
		}
		// Other servers know all buckets below one host, unless they are configured otherwise.
		s.virtual = style == "virtual" || style != "path" && s3utils.IsVirtualHostSupported(*s.endpoint, s.name)
		s.region = cmp.Or(s.region, s3utils.GetRegionFromURL(*s.endpoint))
	} else {
		// AWS has no certificate for the host of a bucket with dots.
		s.virtual = style != "path" && !strings.Contains(s.name, ".") && isHostLabel(s.name)
		if s.config.isSet("use_fips_endpoint", "AWS_USE_FIPS_ENDPOINT") {
			s.variant = "-fips"
		}
		if s.config.isSet("use_dualstack_endpoint", "AWS_USE_DUALSTACK_ENDPOINT") {
			s.variant += ".dualstack"
		}
	}
	if s.region = cmp.Or(s.region, "us-east-1"); s.region == "aws-global" {
		s.region = "us-east-1"
	}
	if !isHostLabel(s.region) {
		return fmt.Errorf("remote: %q is not the name of an AWS region", s.region)
	}
	return nil
}

// isHostLabel reports whether s can be a part of a host name, as regions are.
func isHostLabel(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// awsDomain returns the domain of AWS's servers in a region.
func awsDomain(region string) string {
	for prefix, domain := range map[string]string{
		"cn-": "amazonaws.com.cn", "us-iso-": "c2s.ic.gov", "us-isob-": "sc2s.sgov.gov", "us-isof-": "csp.hci.ic.gov",
		"eu-isoe-": "cloud.adc-e.uk", "eusc-": "amazonaws.eu",
	} {
		if strings.HasPrefix(region, prefix) {
			return domain
		}
	}
	return "amazonaws.com"
}

// md5 returns the MD5 in an ETag, or "". An ETag has one if the object was uploaded in one part
// and is not encrypted with a key of the user's. Directory buckets have other ETags.
func (s *s3) md5(etag string, h http.Header) string {
	encryption := h.Get("X-Amz-Server-Side-Encryption")
	if encryption != "" && encryption != "AES256" || h.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") != "" ||
		strings.HasSuffix(s.name, "--x-s3") || !strings.HasPrefix(etag, `"`) {
		return ""
	}
	return strings.Trim(etag, `"`)
}

// base returns the URL of the bucket.
func (s *s3) base() *url.URL {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := url.URL{Scheme: "https", Host: "s3" + s.variant + "." + s.region + "." + awsDomain(s.region)}
	if s.endpoint != nil {
		u = *s.endpoint
	}
	if s.virtual {
		u.Host = s.name + "." + u.Host
	} else {
		u.Path += "/" + s.name
	}
	return &u
}

// moved takes the region of the bucket from a refusal, and reports whether it is a new one.
func (s *s3) moved(region string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if region == s.region || !isHostLabel(region) {
		return false
	}
	s.region = region
	return true
}

// sign signs a request to the bucket, and leaves other requests unchanged. A signature is
// valid for one request and does not reveal the key.
func (s *s3) sign(r *http.Request) error {
	if fetch.Origin(r.URL) != fetch.Origin(s.base()) {
		return nil
	}
	value, err := s.value(r.Context())
	if err != nil || value.AccessKeyID == "" || value.SecretAccessKey == "" {
		return err
	}
	s.mu.Lock()
	region := s.region
	s.mu.Unlock()
	const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of an empty body
	r.Header.Set("X-Amz-Content-Sha256", empty)
	r.Header = signer.SignV4(*r, value.AccessKeyID, value.SecretAccessKey, value.SessionToken, region).Header
	return nil
}

// value returns the keys to sign with, or empty ones for anonymous access.
func (s *s3) value(ctx context.Context) (credentials.Value, error) {
	keys, err := s.credentials()
	if err != nil || keys == nil {
		return credentials.Value{}, err
	}
	client := &http.Client{Transport: s.shared.Transport()}
	value, err := keys.GetWithContext(&credentials.CredContext{Client: client, Context: ctx})
	if err != nil {
		return value, fmt.Errorf("no credentials for AWS: %w", stsInWords(err))
	}
	return value, nil
}

func (s *s3) isKnown() bool {
	keys, _ := s.credentials()
	return keys != nil
}
