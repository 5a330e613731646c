// S3: where the keys come from.

package bucket

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// credentials returns the credentials to sign with, or nil for anonymous access.
func (s *s3) credentials() (*credentials.Credentials, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sought {
		s.sought = true
		s.keys, s.failed = s.findCredentials()
	}
	return s.keys, s.failed
}

// findCredentials looks for credentials in the order of the AWS programs.
func (s *s3) findCredentials() (*credentials.Credentials, error) {
	if s.shared.EnvIsTrue("AWS_NO_SIGN_REQUEST") {
		return nil, nil
	}
	if keys := s.fromEnvironment(); keys != nil {
		return keys, nil
	}
	if keys, err := s.fromProfile(s.config.name, nil); keys != nil || err != nil {
		return keys, err
	}
	return s.fromMachine(), nil
}

func (s *s3) fromEnvironment() *credentials.Credentials {
	env := s.shared.Env
	if id, secret := env("AWS_ACCESS_KEY_ID"), env("AWS_SECRET_ACCESS_KEY"); id != "" && secret != "" {
		return credentials.NewStaticV4(id, secret, cmp.Or(env("AWS_SESSION_TOKEN"), env("AWS_SECURITY_TOKEN")))
	}
	return nil
}

// fromMachine returns the credentials of the container or the virtual machine, or nil.
func (s *s3) fromMachine() *credentials.Credentials {
	for _, name := range []string{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		if s.shared.Env(name) != "" {
			return credentials.NewIAM("")
		}
	}
	// Elsewhere, the request to the metadata service would hang until its timeout.
	if !s.shared.EnvIsTrue("AWS_EC2_METADATA_DISABLED") && isMadeBy("Amazon EC2") {
		return credentials.NewIAM("")
	}
	return nil
}

// fromProfile returns the credentials of a profile, or nil if it has none. Profiles may name each
// other as the source of a role; users are those that led here.
func (s *s3) fromProfile(name string, users []string) (*credentials.Credentials, error) {
	p := s.config.profiles[name]
	tokenFile := p["web_identity_token_file"]
	if len(users) == 0 {
		tokenFile = s.config.setting("web_identity_token_file", "AWS_WEB_IDENTITY_TOKEN_FILE")
	}
	id, secret := p["aws_access_key_id"], p["aws_secret_access_key"]
	switch {
	case p["role_arn"] != "" && tokenFile == "":
		// A profile may have both a role and keys, and name itself as the source.
		if source := p["source_profile"]; source != name || id == "" {
			return s.assume(name, p, users)
		}
		return s.role(name, p, credentials.NewStaticV4(id, secret, p["aws_session_token"]))
	case tokenFile != "":
		return s.webIdentity(p, tokenFile)
	case id != "" && secret != "":
		return credentials.NewStaticV4(id, secret, cmp.Or(p["aws_session_token"], p["aws_security_token"])), nil
	case id != "" || secret != "":
		return nil, fmt.Errorf("the AWS profile %q has only one of aws_access_key_id and aws_secret_access_key", name)
	case p["sso_session"] != "" || p["sso_start_url"] != "":
		return credentials.New(&sso{credentials.FileAWSCredentials{Filename: s.config.file, Profile: name}}), nil
	case p["credential_process"] != "":
		return credentials.New(&process{profile: name, command: p["credential_process"]}), nil
	}
	return nil, nil
}

// assume returns the credentials of the role of a profile.
func (s *s3) assume(name string, p section, users []string) (*credentials.Credentials, error) {
	const most = 8 // profiles in a chain
	source := p["source_profile"]
	var keys *credentials.Credentials
	var err error
	switch {
	case source != "" && len(users) == most:
		return nil, fmt.Errorf("the AWS profile %q has more than %d source profiles in a row", s.config.name, most)
	case source != "" && s.config.profiles[source] == nil:
		return nil, s.config.unknown(source)
	case source != "":
		keys, err = s.fromProfile(source, append(users, name))
	case p["credential_source"] == "Environment":
		keys = s.fromEnvironment()
	case p["credential_source"] != "":
		keys = credentials.NewIAM("")
	default:
		return nil, fmt.Errorf("the AWS profile %q has a role, but neither source_profile nor credential_source", name)
	}
	if err == nil && keys == nil {
		err = fmt.Errorf("the AWS profile %q has a role, but its source has no keys", name)
	}
	if err != nil {
		return nil, err
	}
	return s.role(name, p, keys)
}

// role returns the credentials of a role for one with other credentials.
func (s *s3) role(name string, p section, keys *credentials.Credentials) (*credentials.Credentials, error) {
	if p["mfa_serial"] != "" {
		return nil, fmt.Errorf("the AWS profile %q needs a code of a device, which only the AWS programs ask for: run "+
			"`aws configure export-credentials --profile %s --format env`, and set the variables that it prints", name, name)
	}
	endpoint, err := s.tokenService()
	if err != nil {
		return nil, err
	}
	return credentials.New(&assumedRole{source: keys, STSAssumeRole: credentials.STSAssumeRole{
		STSEndpoint: endpoint, Options: credentials.STSAssumeRoleOptions{
			Location: s.tokenRegion(), RoleARN: p["role_arn"], ExternalID: p["external_id"],
			RoleSessionName: cmp.Or(p["role_session_name"], "weigh"),
		},
	}}), nil
}

// webIdentity returns the credentials for the token in a file.
func (s *s3) webIdentity(p section, file string) (*credentials.Credentials, error) {
	endpoint, err := s.tokenService()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(file); err != nil {
		return nil, fmt.Errorf("no credentials for AWS: the file of the web identity token: %w", err)
	}
	keys := &credentials.IAM{Endpoint: endpoint}
	keys.EKSIdentity.TokenFile, keys.EKSIdentity.RoleARN = file, cmp.Or(s.shared.Env("AWS_ROLE_ARN"), p["role_arn"])
	keys.EKSIdentity.RoleSessionName = cmp.Or(s.shared.Env("AWS_ROLE_SESSION_NAME"), p["role_session_name"], "weigh")
	if keys.EKSIdentity.RoleARN == "" {
		return nil, errors.New("no credentials for AWS: there is a web identity token, but no AWS_ROLE_ARN")
	}
	return credentials.New(keys), nil
}

// tokenService returns the URL of STS. A configured endpoint without a service includes STS.
func (s *s3) tokenService() (string, error) {
	endpoint, err := s.config.endpoint("sts", "AWS_ENDPOINT_URL_STS")
	region := s.tokenRegion()
	return cmp.Or(endpoint, "https://sts."+region+"."+awsDomain(region)), err
}

// tokenRegion returns the region of STS: the configured one, because the bucket's may differ.
func (s *s3) tokenRegion() string {
	region := s.config.setting("region", "AWS_REGION", "AWS_DEFAULT_REGION")
	if !isHostLabel(region) || region == "aws-global" || region == "auto" {
		return "us-east-1"
	}
	return region
}

// An assumedRole asks for the credentials of a role with other credentials, which may expire, too.
type assumedRole struct {
	credentials.STSAssumeRole
	source *credentials.Credentials
}

// RetrieveWithCredContext implements credentials.Provider.
func (r *assumedRole) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	value, err := r.source.GetWithContext(cc)
	if err != nil {
		return value, err
	}
	o := &r.Options
	o.AccessKey, o.SecretKey, o.SessionToken = value.AccessKeyID, value.SecretAccessKey, value.SessionToken
	return r.STSAssumeRole.RetrieveWithCredContext(cc)
}
