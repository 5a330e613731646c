// The Opener: its options, and the store for each kind of ref.

package remote

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/weightools/safetensors/remote/internal/azure"
	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/remote/internal/hub"
	"github.com/weightools/safetensors/remote/internal/modelscope"
	"github.com/weightools/safetensors/remote/internal/oci"
	"github.com/weightools/safetensors/store"
)

// An Opener opens stores that are read over a network. The zero Opener uses the defaults. It
// is safe for concurrent use. It must not be changed or copied after its first use, because
// its stores share connections, caches, limits and waiting times.
type Opener struct {
	// Transport makes the requests, one for each redirect. nil means a transport like
	// http.DefaultTransport, which uses the proxies of the environment.
	Transport http.RoundTripper

	// Private reports whether an address is private. Redirects from an address that is not
	// private to one that is fail with [ErrPrivate]: a server on the internet could otherwise
	// make this program send requests within its own network, or to the metadata service of a
	// cloud. The function gets the address of the connection; host names do not matter. nil
	// means [IsPrivate]; a function that returns false allows all redirects. Redirects are not
	// restricted if a proxy makes the connections, or a Transport of another type than
	// *http.Transport.
	Private func(netip.Addr) bool

	// Buckets opens refs with the schemes s3, gs and r2. Set it to bucket.Open from package
	// remote/bucket. nil means that these schemes are unsupported.
	Buckets func(*fetch.Shared, store.Ref) (store.Store, error)

	// HubToken is the token for the Hugging Face Hub, which is sent to no other server. ""
	// means the token from the environment or from the file that `hf auth login` writes.
	HubToken string

	// Header returns header fields to add to requests to a web server, such as Authorization,
	// or to Azure, where Authorization replaces all other credentials.
	// The origin consists of scheme, host name and, if it is not the default, port:
	// "https://host.example". Header is called for every request and every redirect, so fields
	// reach no other origin. The user name and password of a URL take precedence. nil means no
	// fields.
	Header func(origin string) http.Header

	// Env returns the value of an environment variable. nil means [os.Getenv].
	Env func(name string) string

	// CacheSize limits the memory for cached bytes of all objects. 0 means 64 MiB.
	CacheSize int64

	// CacheDir is a folder that caches listings and the starts of objects, which contain
	// their headers. Opening a cached object again takes one conditional request, or none
	// if the object cannot change. The folder grows to 256 MiB. "" disables this cache.
	CacheDir string

	// Parallel is the maximum number of requests in flight. 0 means 64.
	Parallel int

	// Retries is how often a failed request is repeated if it may succeed later. 0 means
	// 4, and -1 none.
	Retries int

	// Silence is how long a server may send nothing before a request fails. The duration
	// of a transfer is not limited. 0 means HF_HUB_DOWNLOAD_TIMEOUT in seconds, or else
	// 30 seconds.
	Silence time.Duration

	// Offline forbids requests: only caches are read. The environment variable
	// HF_HUB_OFFLINE does the same, but only for the Hub.
	Offline bool

	// Meter counts and limits requests and bytes. nil means no limits.
	Meter *Meter

	// Notice receives one-line messages for the user, for example that a server asks to
	// wait. nil discards them.
	Notice func(line string)

	once   sync.Once
	common *fetch.Shared
}

// Resolve opens the store of ref with a new default [Opener]. It is meant for
// checkpoint.Options. Stores of different calls share nothing.
func Resolve(ctx context.Context, ref store.Ref) (store.Store, error) {
	return new(Opener).Open(ctx, ref)
}

// Open returns the store of ref. It makes no request: errors such as an unknown repository
// are returned when the store is used.
func (o *Opener) Open(_ context.Context, ref store.Ref) (store.Store, error) {
	switch ref.Scheme {
	case "http", "https":
		return openWeb(o.shared(), o.Header, ref)
	case "hf":
		return hub.Open(o.shared(), o.HubToken, ref)
	case "az":
		return azure.Open(o.shared(), ref, o.Header)
	case "ms":
		return modelscope.Open(o.shared(), ref)
	case "oci":
		return oci.Open(o.shared(), ref)
	case "s3", "gs", "r2":
		if o.Buckets != nil {
			return o.Buckets(o.shared(), ref)
		}
		return nil, fmt.Errorf("remote: %s: this program does not support buckets", ref)
	}
	return nil, fmt.Errorf("remote: %s: scheme %q is not a network location", ref, ref.Scheme)
}

// shared returns what the stores of o share.
func (o *Opener) shared() *fetch.Shared {
	o.once.Do(func() {
		o.common = fetch.NewShared(fetch.Options{
			Transport: o.Transport, Private: o.Private, Env: o.Env, CacheSize: o.CacheSize, CacheDir: o.CacheDir,
			Parallel: o.Parallel, Retries: o.Retries, Silence: o.Silence, Offline: o.Offline, Meter: o.Meter, Notice: o.Notice,
		})
	})
	return o.common
}
