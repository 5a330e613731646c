// What the stores of one remote.Opener share.

package fetch

import (
	"cmp"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options configure what the stores of one Opener share. The fields and defaults are the
// same as in remote.Opener.
type Options struct {
	Transport http.RoundTripper
	Private   func(netip.Addr) bool
	Env       func(name string) string
	CacheSize int64
	CacheDir  string
	Parallel  int
	Retries   int
	Silence   time.Duration
	Offline   bool
	Meter     *Meter
	Notice    func(line string)
}

// Shared is what the stores of one Opener have in common: connections, limits, caches and
// the environment. It is safe for concurrent use.
type Shared struct {
	client *client
	cache  *cache
	disk   *disk
	env    func(name string) string
}

// NewShared returns what stores with these options share.
func NewShared(o Options) *Shared {
	s := &Shared{env: o.Env, cache: &cache{limit: cmp.Or(o.CacheSize, 64<<20)}}
	if s.env == nil {
		s.env = os.Getenv
	}
	parallel := cmp.Or(o.Parallel, 64)
	if o.Transport == nil {
		o.Transport = newTransport(parallel)
	}
	if o.Private == nil {
		o.Private = IsPrivate
	}
	s.client = &client{transport: newGuard(o.Transport, o.Private), slots: make(Slots, parallel),
		meter: o.Meter, pauses: new(pauses), unversioned: new(sync.Once), retries: cmp.Or(o.Retries, 4),
		silence: o.Silence, offline: o.Offline, notice: o.Notice}
	if s.client.meter == nil {
		s.client.meter = new(Meter)
	}
	if s.client.notice == nil {
		s.client.notice = func(string) {}
	}
	if s.client.silence == 0 {
		s.client.silence = s.timeout()
	}
	if o.CacheDir != "" {
		const limit = 256 << 20
		s.disk = &disk{dir: o.CacheDir, limit: limit, added: -1}
	}
	return s
}

// timeout returns how long a server may send nothing, by the environment.
func (s *Shared) timeout() time.Duration {
	if n, err := strconv.ParseUint(s.env("HF_HUB_DOWNLOAD_TIMEOUT"), 10, 20); err == nil && n > 0 {
		return time.Duration(n) * time.Second
	}
	return 30 * time.Second
}

// Env returns the value of an environment variable.
func (s *Shared) Env(name string) string { return s.env(name) }

// EnvIsTrue reports whether an environment variable is set to 1, ON, YES or TRUE.
func (s *Shared) EnvIsTrue(name string) bool {
	return slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(s.env(name)))
}

// Offline reports whether requests are forbidden.
func (s *Shared) Offline() bool { return s.client.offline }

// Notice passes a line on to the user.
func (s *Shared) Notice(line string) { s.client.notice(line) }

// Hit counts an answer that needed no request.
func (s *Shared) Hit() { s.client.meter.hit() }

// Saved returns the document that Save kept for u, or nil.
func (s *Shared) Saved(u *url.URL) []byte {
	if e := s.disk.load(u); e != nil {
		return e.data
	}
	return nil
}

// Save keeps a document on disk as the content of u. Errors are ignored.
func (s *Shared) Save(u *url.URL, data []byte) {
	s.disk.store(u, &entry{Size: int64(len(data)), Len: int64(len(data)), data: data})
}
