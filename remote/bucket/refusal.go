// The refusals of stores in words, with what to do.

package bucket

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"golang.org/x/oauth2"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// errMoved is the error of a request that has to be repeated in another region.
var errMoved = errors.New("the bucket is in another region")

// A refusal is the document that a store sends with an error.
type refusal struct {
	XMLName    xml.Name `xml:"Error"`
	Code       string
	Message    string
	Details    string // of Google
	Region     string // where the bucket is
	Endpoint   string // the host of the bucket
	ServerTime string
}

// refusalOf returns the document of an answer. Its fields are empty if there is none.
func refusalOf(a *fetch.Answer) refusal {
	var r refusal
	if xml.Unmarshal([]byte(a.Text()), &r) != nil {
		r = refusal{}
	}
	r.Region = cmp.Or(a.Header.Get("X-Amz-Bucket-Region"), r.Region)
	for _, hop := range a.Hops {
		r.Region = cmp.Or(r.Region, hop.Header.Get("X-Amz-Bucket-Region"))
	}
	return r
}

// explain turns a refusal into an error with advice.
func (b *bucket) explain(a *fetch.Answer) *fetch.Error {
	e, r := a.Refusal(), refusalOf(a)
	isAnonymous := !b.known()
	switch {
	case b.moved != nil && a.Status != http.StatusNotFound && b.moved(r.Region):
		e.Err = errMoved
	case r.Code == "NoSuchBucket":
		e.Err = fetch.Reason(fs.ErrNotExist, fmt.Sprintf("there is no bucket %q: check its name, and the endpoint if one is "+
			"configured", b.ref.Root))
	case r.Code == "NoSuchVersion":
		e.Err = fetch.Reason(fs.ErrNotExist, "the object has no such version")
	case r.Code == "RequestTimeTooSkewed":
		e.Err = fetch.Reason(fs.ErrPermission, "the server refuses the time of this machine, "+
			r.skew(time.Now())+": set the clock")
	case r.Code == "PermanentRedirect" && r.Endpoint != "":
		e.Err = fmt.Errorf("the bucket is at %.100q: set AWS_REGION or the endpoint accordingly", r.Endpoint)
	case advice(r.Code) != "":
		e.Err = fetch.Reason(fs.ErrPermission, advice(r.Code))
	case errors.Is(e, fs.ErrNotExist), e.Temporary(), errors.Is(e, fetch.ErrChanged):
	case errors.Is(e, fs.ErrPermission) && isAnonymous:
		e.Err = fetch.Reason(fs.ErrPermission, "it is not public, or the bucket does not exist: "+b.login)
	case errors.Is(e, fs.ErrPermission):
		e.Err = fetch.Reason(fs.ErrPermission, "the credentials do not allow it, or the bucket does not exist"+
			r.quote(": the server says %.200q"))
	case r.Code != "":
		e.Err = errors.New("the server refused the request" + r.quote(": it says %.200q"))
	}
	return e
}

// advice returns what to do about a code of AWS or of a server with its interface, or "".
func advice(code string) string {
	return map[string]string{
		"ExpiredToken": "the session token has expired: log in again, for example with `aws sso login`, or set new keys",
		"InvalidToken": "the session token is not valid: set AWS_SESSION_TOKEN together with its keys, or log in again",
		"InvalidAccessKeyId": "the server does not know the access key: check AWS_ACCESS_KEY_ID or the profile, and that " +
			"the key belongs to this server",
		"SignatureDoesNotMatch": "the secret key does not fit the access key: check AWS_SECRET_ACCESS_KEY or the profile",
		"AllAccessDisabled":     "the store has disabled all access to the bucket",
		"AccountProblem":        "there is a problem with the account of the bucket's owner: ask the owner",
		"InvalidObjectState": "the object is in an archive: restore it first, for example with " +
			"`aws s3api restore-object`, and wait until that is complete",
		"UserProjectMissing":        "reading the bucket is charged to the reader, which is not supported",
		"KMS.DisabledException":     "the key that encrypts the object is disabled",
		"KMS.NotFoundException":     "the key that encrypts the object does not exist",
		"ServerSideEncryptionError": "the object is encrypted with a key of its owner, which is not supported",
	}[code]
}

// skew says how much the server's clock differs.
func (r refusal) skew(now time.Time) string {
	server, err := time.Parse(time.RFC3339, r.ServerTime)
	if err != nil {
		return "which differs from its own"
	}
	d := server.Sub(now).Round(time.Second)
	if d < 0 {
		return fmt.Sprintf("which is %v ahead of its own", -d)
	}
	return fmt.Sprintf("which is %v behind its own", d)
}

// quote returns the server's words in a format, or "" if there are none.
func (r refusal) quote(format string) string {
	said := strings.Trim(r.Message+" "+r.Details, " .")
	switch {
	case r.Code == "" || said == "Access Denied" || said == "Forbidden":
		return ""
	case said == "":
		said = r.Code
	}
	return fmt.Sprintf(format, said)
}

// stsInWords describes a failed request for credentials of AWS.
func stsInWords(err error) error {
	var sts credentials.ErrorResponse
	if !errors.As(err, &sts) {
		return err
	}
	what := "check the role and its trust policy"
	switch sts.STSError.Code {
	case "ExpiredToken", "ExpiredTokenException":
		what = "the token has expired: log in again, or write a new token"
	case "InvalidClientTokenId", "InvalidAccessKeyId", "SignatureDoesNotMatch":
		what = "check the keys of the source profile"
	case "InvalidIdentityToken", "IDPRejectedClaim":
		what = "check AWS_WEB_IDENTITY_TOKEN_FILE, and that the role trusts its issuer"
	}
	return fetch.Reason(fs.ErrPermission, fmt.Sprintf("the token service of AWS refuses with %.100q: %.200q; %s",
		sts.STSError.Code, strings.TrimSpace(sts.STSError.Message), what))
}

// oauthInWords describes a failed request for a token of Google.
func oauthInWords(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return err
	}
	what := "check the credentials in GOOGLE_APPLICATION_CREDENTIALS"
	if refused.ErrorCode == "invalid_grant" {
		what = "the login has expired or was revoked: run `gcloud auth application-default login`"
	}
	said := cmp.Or(refused.ErrorDescription, refused.ErrorCode, "no reason")
	if refused.Response != nil {
		said = refused.Response.Status + ": " + said
	}
	return fetch.Reason(fs.ErrPermission, fmt.Sprintf("Google refuses the login with %.200q; %s", said, what))
}
