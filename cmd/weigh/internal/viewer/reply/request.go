// Requests and their parameters.

package reply

import (
	"context"
	"net/http"
	"strconv"
)

// A Request is a request with its parameters.
type Request struct {
	*http.Request
	W http.ResponseWriter // for answers that are not JSON
}

// Ctx returns the context, which ends when the page goes.
func (r *Request) Ctx() context.Context { return r.Context() }

// Has reports whether a parameter is given.
func (r *Request) Has(name string) bool { return r.FormValue(name) != "" }

// Number returns a parameter between two bounds, or the usual value if it is not given.
func (r *Request) Number(name string, least, most, usual int64) (int64, error) {
	text := r.FormValue(name)
	if text == "" {
		return usual, nil
	}
	return parse(name, text, least, most)
}

// parse parses the number of a parameter.
func parse(name, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, Wrong("%s must be a number from %d to %d, not %s", name, least, most, Quoted(text))
	}
	return n, nil
}

// Wants reports whether a repeatable parameter has a number, or is absent.
func (r *Request) Wants(name string, i, n int) (bool, error) {
	if err := r.ParseForm(); err != nil {
		return false, Wrong("the query cannot be read: %v", err)
	}
	if len(r.Form[name]) == 0 {
		return true, nil
	}
	for _, text := range r.Form[name] {
		at, err := parse(name, text, 0, int64(n)-1)
		if err != nil {
			return false, err
		}
		if int(at) == i {
			return true, nil
		}
	}
	return false, nil
}

// Window reads offset and limit.
func (r *Request) Window(usual, most int64) (offset, limit int, err error) {
	from, err := r.Number("offset", 0, 1<<40, 0)
	if err != nil {
		return 0, 0, err
	}
	n, err := r.Number("limit", 0, most, usual)
	return int(from), int(n), err
}
