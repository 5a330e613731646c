// The Opener: its options, and which store each kind of ref has.

package remote

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/weightools/safetensors/store"
)

// An Opener opens stores that are read over a network. The zero Opener has the defaults.
// It may be used by several goroutines at once, and must not be changed or copied after
// its first use: its stores share connections, memory, bounds and pauses.
type Opener struct {
	// Transport makes the requests, each of which is one hop: redirects are followed
	// here. nil means one like that of package http, which heeds the proxies of the
	// environment.
	Transport http.RoundTripper

	// HubToken is shown to the Hub, and to no other server. "" means the token of the
	// environment, or of the file that logging in has made.
	HubToken string

	// Token returns the bearer token to show a web server, "" for none. The origin is its
	// scheme, its name, and its port if that is not the scheme's own, such as
	// "https://host.example". It is asked for every hop of a redirect. nil means none.
	Token func(origin string) string

	// Env returns the value of an environment variable. nil means [os.Getenv].
	Env func(name string) string

	// CacheSize bounds the bytes that are kept in memory for all objects. 0 means 64 MiB.
	CacheSize int64

	// CacheDir is a folder for the starts of objects, which hold their headers, and for
	// listings. What is there costs a conditional request when it is wanted again, or none
	// if it cannot have changed. Up to 256 MiB are kept. "" means that nothing is.
	CacheDir string

	// Parallel is how many requests are made at once. 0 means 64.
	Parallel int

	// Retries is how often a request that may succeed later is made again. 0 means 4,
	// and -1 never.
	Retries int

	// Silence is for how long a server may send nothing before that is an error. There
	// is no bound on how long all takes. 0 means as many seconds as
	// HF_HUB_DOWNLOAD_TIMEOUT says, or 30.
	Silence time.Duration

	// Offline means that no requests are made: what is on this machine is all there is.
	// HF_HUB_OFFLINE says the same, for the Hub alone.
	Offline bool

	// Meter counts and bounds what is spent. nil means that nothing is bounded.
	Meter *Meter

	// Notice is told in one line what the user may want to know: that a server asks to
	// wait, that a revision could not be pinned. nil means nobody is.
	Notice func(line string)

	once  sync.Once
	parts *parts
}

// The parts are what the stores of one Opener share.
type parts struct {
	client *client
	cache  *cache
	disk   *disk
}

// Resolve opens the store of a ref with the defaults. It is meant for
// checkpoint.Options; each call has connections and memory of its own.
func Resolve(ctx context.Context, ref store.Ref) (store.Store, error) {
	return new(Opener).Open(ctx, ref)
}

// Open returns the store in which ref lies. It makes no request: whether there is such
// a place shows when it is used.
func (o *Opener) Open(ctx context.Context, ref store.Ref) (store.Store, error) {
	switch ref.Scheme {
	case "http", "https":
		return o.openWeb(ref)
	case "hf":
		return o.openHub(ref)
	case "s3":
		return o.openS3(ref)
	case "gs":
		return o.openGCS(ref)
	}
	return nil, fmt.Errorf("remote: %s: scheme %q is not read over a network", ref, ref.Scheme)
}

// shared returns what the stores share, which the first of them makes.
func (o *Opener) shared() *parts {
	o.once.Do(func() {
		c := &client{transport: o.Transport, slots: semaphore.NewWeighted(int64(orElse(o.Parallel, 64))),
			meter: o.Meter, retries: orElse(o.Retries, 4), silence: o.silence(), offline: o.Offline, notice: o.Notice}
		if c.transport == nil {
			c.transport = newTransport(orElse(o.Parallel, 64))
		}
		if c.meter == nil {
			c.meter = new(Meter)
		}
		if c.notice == nil {
			c.notice = func(string) {}
		}
		o.parts = &parts{client: c, cache: &cache{limit: orElse(o.CacheSize, 64<<20)}}
		if o.CacheDir != "" {
			const limit = 256 << 20
			o.parts.disk = &disk{dir: o.CacheDir, limit: limit, added: -1}
		}
	})
	return o.parts
}

// orElse returns v, or the default if v is zero.
func orElse[T comparable](v, usual T) T {
	var zero T
	if v == zero {
		return usual
	}
	return v
}

// silence returns for how long a server may send nothing.
func (o *Opener) silence() time.Duration {
	if n, err := strconv.ParseUint(o.env("HF_HUB_DOWNLOAD_TIMEOUT"), 10, 20); err == nil && n > 0 && o.Silence == 0 {
		return time.Duration(n) * time.Second
	}
	return orElse(o.Silence, 30*time.Second)
}

// newTransport returns a transport that keeps as many connections as are used at once,
// and expects nothing to be compressed.
func newTransport(parallel int) http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // someone has replaced it, and means it
	}
	t = t.Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 2*parallel, parallel
	t.DisableCompression = true
	return t
}

// env returns the value of an environment variable.
func (o *Opener) env(name string) string {
	if o.Env != nil {
		return o.Env(name)
	}
	return os.Getenv(name)
}
