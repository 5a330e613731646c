// Remote targets: flags, credentials, cache and cost.

package cli

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/bucket"
	"github.com/weightools/safetensors/store"
)

// A network holds the flags for remote targets, and the opener that all of them share.
type network struct {
	offline, cost bool
	tokenFile     string
	maxBytes      ByteSize
	maxRequests   int64
	timeout       duration
	fields        fields

	began  time.Time
	once   sync.Once
	opener *remote.Opener
	failed error // error of making the opener
}

// register adds the flags to the root command.
func (n *network) register(root *cobra.Command) {
	n.began = time.Now()
	f := root.PersistentFlags()
	f.BoolVar(&n.offline, "offline", false, "make no requests; use only the local cache")
	f.BoolVar(&n.cost, "cost", false, "print the number of requests, bytes and seconds to standard error")
	f.StringArrayVar(&n.fields.given, "header", nil,
		"send `FIELD`, such as 'NAME: VALUE', to the web server of the target (repeatable)")
	f.StringVar(&n.tokenFile, "token-file", "", "read the Hugging Face Hub token from `FILE`")
	f.Var(&n.maxBytes, "max-bytes", "download at most `SIZE`, such as 10MB; fail if more is needed")
	f.Int64Var(&n.maxRequests, "max-requests", 0, "make at most `N` requests; fail if more are needed")
	f.Var(&n.timeout, "timeout", "fail if a server sends nothing for `TIME`, such as 90s or 5m (default 30s)")
}

// Resolve opens the store of a remote reference.
func (s *Session) Resolve(ctx context.Context, ref store.Ref) (store.Store, error) {
	n := &s.network
	n.once.Do(func() { n.opener, n.failed = s.newOpener() })
	if n.failed != nil {
		return nil, n.failed
	}
	if err := n.fields.target(ref); err != nil {
		return nil, err
	}
	return n.opener.Open(ctx, ref)
}

func (s *Session) newOpener() (*remote.Opener, error) {
	n := &s.network
	if n.maxRequests < 0 {
		return nil, Usagef("--max-requests cannot be negative: %d", n.maxRequests)
	}
	n.fields.env = s.env
	if err := n.fields.read(); err != nil {
		return nil, err
	}
	o := &remote.Opener{
		Header:  n.fields.header,
		Buckets: bucket.Open,
		Env:     s.env, Offline: n.offline, CacheDir: cacheDir(s.env), Silence: time.Duration(n.timeout),
		Meter:  &remote.Meter{MaxBytes: int64(n.maxBytes), MaxRequests: n.maxRequests},
		Notice: func(line string) { s.Notice("%s", line) },
	}
	if s.env("WEIGH_PRIVATE_REDIRECTS") == "allow" {
		o.Private = func(netip.Addr) bool { return false }
	}
	if n.tokenFile != "" {
		text, err := s.ReadSmall(n.tokenFile, 64<<10)
		if err != nil {
			return nil, err
		}
		if o.HubToken = strings.TrimSpace(string(text)); o.HubToken == "" || strings.ContainsAny(o.HubToken, " \t\r\n") {
			return nil, Usagef("--token-file %q does not contain exactly one token", n.tokenFile)
		}
	}
	return o, nil
}

// Remember keeps in the cache that the file at path has the bytes of a remote object.
func (s *Session) Remember(o store.Object, path string) {
	if s.opener != nil {
		s.opener.Remember(o, path)
	}
}

// Remembers reports whether the file at path has the bytes of this version of a remote object, and
// whether that is known.
func (s *Session) Remembers(o store.Object, path string) (same, known bool) {
	if s.opener == nil {
		return false, false
	}
	return s.opener.Remembers(o, path)
}

// cacheDir returns the cache directory: WEIGH_CACHE, or a directory of the user's. It returns ""
// if there is none or WEIGH_CACHE is "off".
func cacheDir(env func(string) string) string {
	if dir := env("WEIGH_CACHE"); dir == "off" {
		return ""
	} else if dir != "" {
		return dir
	}
	dir := env("XDG_CACHE_HOME")
	if dir == "" {
		var err error
		if dir, err = os.UserCacheDir(); err != nil {
			return ""
		}
	}
	return filepath.Join(dir, "weigh")
}

// Cost returns what remote targets have cost so far.
func (s *Session) Cost() remote.Cost {
	if s.opener == nil {
		return remote.Cost{}
	}
	return s.opener.Meter.Cost()
}

// PrintCost prints the cost of the run if --cost is set.
func (s *Session) PrintCost() {
	n := &s.network
	if !n.cost {
		return
	}
	spent := s.Cost()
	fmt.Fprintf(s.Stderr, "weigh: cost: %s, %s, %s, %.2f s\n",
		typeset.Plural(spent.Requests, "request"), typeset.ExactBytes(spent.Bytes),
		typeset.Plural(spent.Hits, "cache hit"), time.Since(n.began).Seconds())
}
