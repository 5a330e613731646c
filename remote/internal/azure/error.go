// Refusals of Azure, in words.

package azure

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// advice is what to do if anonymous access is refused.
const advice = "set AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or log in with `az login`"

// errPrivate is the error of anonymous requests for what may exist. Azure does not say whether it does.
var errPrivate = fetch.Reason(fs.ErrNotExist, "no such object, or it is not public: "+advice)

// isRefusal reports whether another identity may be accepted.
func isRefusal(err error) bool { return errors.Is(err, fs.ErrPermission) || errors.Is(err, errPrivate) }

// explain turns a refusal into an error that says what to do. What it does not know gets Azure's code.
func (c *container) explain(i *identity, a *fetch.Answer) *fetch.Error {
	e := a.Refusal()
	code := a.Header.Get("X-Ms-Error-Code")
	if e.Temporary() || a.Status == http.StatusPreconditionFailed || code == "BlobNotFound" ||
		strings.Trim(code, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return e
	}
	switch code {
	case "":
	case "ContainerNotFound":
		e.Err = fetch.Reason(fs.ErrNotExist, fmt.Sprintf("there is no container %q in account %q", c.name, c.account.name))
	case "InvalidResourceName":
		e.Err = fetch.Reason(fs.ErrNotExist, fmt.Sprintf("%q cannot be the name of a container", c.name))
	case "ResourceNotFound":
		if i.kind == anonymous {
			e.Err = errPrivate
		}
	case "BlobArchived":
		e.Err = errors.New("it is in the archive tier: move it to another one with `az storage blob set-tier --tier Hot`")
	case "BlobBeingRehydrated":
		e.Err = errors.New("it is being moved from the archive tier, which takes hours: try again later")
	default:
		server, err := http.ParseTime(a.Header.Get("Date"))
		if err != nil {
			server = time.Now()
		}
		text := i.refusal(code, server)
		if tenant := tenantOf(a.Header.Get("Www-Authenticate")); tenant != "" && i.kind == byToken && text != "" {
			text += "; the account belongs to the tenant " + tenant
		}
		switch is := errors.Is(e.Err, fs.ErrPermission); {
		case text != "":
			e.Err = fetch.Reason(fs.ErrPermission, text)
		case is, errors.Is(e.Err, fs.ErrNotExist):
			e.Err = fetch.Reason(e.Err, e.Err.Error()+" ("+code+")")
		default:
			e.Err = errors.New("the server refused the request (" + code + ")")
		}
	}
	return e
}

// refusal returns in words why Azure refuses an identity, or "" if the code is another one.
func (i *identity) refusal(code string, server time.Time) string {
	if i.kind == bySAS && !i.expires.IsZero() && i.expires.Before(server) {
		return fmt.Sprintf("%s expired on %s", i.what, i.expires.UTC().Format("2006-01-02 15:04 MST"))
	}
	switch code {
	case "NoAuthenticationInformation", "PublicAccessNotPermitted":
		return "it is not public: " + advice
	case "AuthenticationFailed", "InvalidAuthenticationInfo":
		return i.invalid(server)
	case "AuthorizationPermissionMismatch":
		if i.kind == bySAS {
			return i.what + " does not permit it; it needs the permissions to read and to list (sp=rl)"
		}
		return i.what + " may not read it: assign the role \"Storage Blob Data Reader\" for the account or the container"
	case "AuthorizationFailure":
		return "the firewall of the account does not admit this machine, or the credentials do not allow it"
	case "KeyBasedAuthenticationNotPermitted":
		return "the account permits neither keys nor signatures of keys: unset AZURE_STORAGE_KEY, and log in with `az login`"
	case "AuthorizationSourceIPMismatch":
		return i.what + " is not for the address of this machine"
	case "AuthorizationProtocolMismatch":
		return i.what + " is for https only"
	case "AuthorizationServiceMismatch", "AuthorizationResourceTypeMismatch":
		return i.what + " is not for blobs; it needs the service b and the types co (ss=b, srt=co)"
	case "AccountIsDisabled":
		return "the account is disabled"
	}
	return ""
}

// invalid returns in words why Azure does not accept the signature or token itself.
func (i *identity) invalid(server time.Time) string {
	// Azure accepts signatures for 15 minutes.
	if skew := time.Since(server).Round(time.Minute); i.kind == byKey && skew.Abs() > 13*time.Minute {
		direction := "ahead of"
		if skew < 0 {
			direction = "behind"
		}
		return fmt.Sprintf("the clock of this machine is %v %s the server's: set it", skew.Abs(), direction)
	}
	switch i.kind {
	case byKey:
		return i.what + " is not one of the account"
	case bySAS:
		return i.what + " has expired, or is not for this account and container"
	case byToken:
		return i.what + " is not accepted: set AZURE_TENANT_ID, or log in with `az login --tenant TENANT`"
	}
	return "it is not public: " + advice
}

// tenantOf returns the tenant in a challenge for tokens, or "".
func tenantOf(challenge string) string {
	_, after, _ := strings.Cut(challenge, "authorization_uri=https://")
	elems := strings.SplitN(after, "/", 3)
	if len(elems) < 3 || strings.Trim(elems[1], "0123456789abcdefABCDEF-") != "" {
		return ""
	}
	return elems[1]
}
