// Errors and costs of requests.

package remote

import (
	"net/netip"

	"github.com/weightools/safetensors/remote/internal/fetch"
)

// An Error is a failed request. Its fields are Method, URL (without query, fragment, user name
// and password), Status (0 if there was no answer) and Err, the cause. It wraps
// [fs.ErrNotExist] if the server says that the object does not exist, and [fs.ErrPermission]
// if it requires a token or another token. Temporary reports whether the same request may
// succeed later.
type Error = fetch.Error

// Errors that an *[Error] wraps.
var (
	// ErrChanged means that an object was replaced while it was read.
	ErrChanged = fetch.ErrChanged

	// ErrOffline means that bytes are not cached and that requests are forbidden.
	ErrOffline = fetch.ErrOffline

	// ErrPrivate means that a public server redirects to a private address; see
	// [Opener].Private.
	ErrPrivate = fetch.ErrPrivate
)

// IsPrivate reports whether an address is private, loopback, link-local or of another special
// purpose, which are addresses that a server on the internet should not redirect to.
func IsPrivate(a netip.Addr) bool { return fetch.IsPrivate(a) }

// A Meter counts the requests and bytes of the stores of one [Opener]. Its fields MaxRequests
// and MaxBytes limit them; beyond a limit, reading fails with a *[BudgetError], and 0 means no
// limit. The zero Meter has no limits. Its method Cost returns what was spent so far. A Meter
// is safe for concurrent use.
type Meter = fetch.Meter

// A Cost is the sum of what was spent: Requests including redirects, Bytes of bodies as far as
// they were read, and Hits, the calls to read or open that needed no request.
type Cost = fetch.Cost

// A BudgetError is the error of a request that would exceed a limit of a [Meter]. Its fields
// are What, "requests" or "bytes", and Max, the limit.
type BudgetError = fetch.BudgetError
