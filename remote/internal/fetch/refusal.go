// What the statuses of refusals mean.

package fetch

import (
	"errors"
	"io/fs"
	"net/http"
)

// Refusal returns the error for an answer that is not the one requested.
func (a *Answer) Refusal() *Error {
	e := a.Errorf("the server refused the request")
	if a.Status/100 == 3 {
		e.Err = errors.New("the server redirects without a location")
	}
	switch a.Status {
	case http.StatusNotFound, http.StatusGone:
		e.Err = Reason(fs.ErrNotExist, "no such object")
	case http.StatusUnauthorized:
		e.Err = Reason(fs.ErrPermission, "the server requires a token, or does not accept the one it was sent")
	case http.StatusForbidden:
		e.Err = Reason(fs.ErrPermission, "access denied; a signed URL may have expired")
	case http.StatusPreconditionFailed:
		e.Err = ErrChanged
	case http.StatusRequestTimeout, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.Err = errors.New("the server is busy or broken; try again later")
		e.again, e.after = true, waitOf(a.Header)
	}
	return e
}
