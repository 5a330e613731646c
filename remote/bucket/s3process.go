// S3: logins by other programs: single sign-on, and programs that print credentials.

package bucket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/weightools/safetensors/remote/internal/auth"
	"github.com/weightools/safetensors/remote/internal/fetch"
)

// An sso takes the token that the AWS programs have left after a single sign-on.
type sso struct{ credentials.FileAWSCredentials }

// RetrieveWithCredContext implements credentials.Provider.
func (s *sso) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	value, err := s.FileAWSCredentials.RetrieveWithCredContext(cc)
	if err != nil {
		err = fetch.Reason(fs.ErrPermission, fmt.Sprintf("the single sign-on of the AWS profile %q fails: run "+
			"`aws sso login --profile %s`; the reason is %.200q", s.Profile, s.Profile, err))
	}
	return value, err
}

// A process runs the credential_process of a profile. The provider of minio-go splits the command line without regard
// to quotes.
type process struct {
	credentials.Expiry
	profile, command string
}

// Retrieve implements credentials.Provider.
func (p *process) Retrieve() (credentials.Value, error) {
	return p.RetrieveWithCredContext(new(credentials.CredContext))
}

// RetrieveWithCredContext implements credentials.Provider. Errors have no output of the program, which may be secret.
func (p *process) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	ctx := cc.Context
	if ctx == nil {
		ctx = context.Background()
	}
	args, err := splitCommand(p.command)
	if err != nil {
		return credentials.Value{}, p.failed(err)
	}
	text, failure, err := auth.Run(ctx, "", args[0], args[1:]...)
	if failure != "" {
		err = fmt.Errorf("%q fails: run it to see why", args[0])
	}
	if err != nil {
		return credentials.Value{}, p.failed(err)
	}
	var is struct {
		Version                                    int
		AccessKeyId, SecretAccessKey, SessionToken string
		Expiration                                 time.Time
	}
	if json.Unmarshal(text, &is) != nil || is.Version != 1 || is.AccessKeyId == "" || is.SecretAccessKey == "" {
		return credentials.Value{}, p.failed(fmt.Errorf("%q does not print credentials in version 1 of their format",
			args[0]))
	}
	if !is.Expiration.IsZero() {
		p.SetExpiration(is.Expiration, credentials.DefaultExpiryWindow)
	} else {
		p.SetExpiration(time.Now().AddDate(1, 0, 0), 0) // not in the lifetime of this program
	}
	return credentials.Value{AccessKeyID: is.AccessKeyId, SecretAccessKey: is.SecretAccessKey,
		SessionToken: is.SessionToken, Expiration: is.Expiration, SignerType: credentials.SignatureV4}, nil
}

// failed returns an error with the name of the profile.
func (p *process) failed(err error) error {
	return fmt.Errorf("credential_process of the AWS profile %q: %w", p.profile, err)
}

// splitCommand splits a command line as a shell does: at spaces outside of quotes. A backslash escapes a character
// outside of single quotes.
func splitCommand(line string) (args []string, err error) {
	var arg strings.Builder
	quote, escaped, begun := rune(0), false, false
	for _, r := range line {
		switch {
		case escaped:
			arg.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, begun = true, true
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '\''):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t'):
			if begun {
				args = append(args, arg.String())
			}
			arg.Reset()
			begun = false
		default:
			arg.WriteRune(r)
			begun = true
		}
	}
	if begun {
		args = append(args, arg.String())
	}
	if quote != 0 || escaped || len(args) == 0 {
		return nil, errors.New("the command ends within quotes, or is empty")
	}
	return args, nil
}
