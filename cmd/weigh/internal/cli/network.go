// The network: how targets elsewhere are read, and what that may cost and has cost.

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/bucket"
	"github.com/weightools/safetensors/store"
)

// A network is the flags about it, and what all targets share.
type network struct {
	offline, cost bool
	tokenFile     string
	maxBytes      byteSize
	maxRequests   int64

	began  time.Time
	once   sync.Once
	opener *remote.Opener
	failed error // of making the opener
}

// register adds the flags to all verbs.
func (n *network) register(root *cobra.Command) {
	n.began = time.Now()
	f := root.PersistentFlags()
	f.BoolVar(&n.offline, "offline", false, "make no requests: read what is on this machine")
	f.BoolVar(&n.cost, "cost", false, "say on standard error what was spent: requests, bytes, time")
	f.StringVar(&n.tokenFile, "token-file", "", "show the Hugging Face Hub the token in `FILE`")
	f.Var(&n.maxBytes, "max-bytes", "fetch `SIZE` at most, such as 10MB, and fail if that is too little")
	f.Int64Var(&n.maxRequests, "max-requests", 0, "make `N` requests at most, and fail if that is too few")
}

// A byteSize is a flag of a number of bytes.
type byteSize int64

// String returns the number.
func (b *byteSize) String() string { return fmt.Sprint(int64(*b)) }

// Type is what the value is called where the usage does not name it.
func (b *byteSize) Type() string { return "size" }

// Set reads a number with or without a unit.
func (b *byteSize) Set(s string) error {
	n, err := humanize.ParseBytes(s)
	if err != nil || n > 1<<62 {
		return errors.New("no number of bytes") // flagError says what is
	}
	*b = byteSize(n)
	return nil
}

// Resolve opens the store of a ref that is not on this machine.
func (s *Session) Resolve(ctx context.Context, ref store.Ref) (store.Store, error) {
	n := &s.network
	n.once.Do(func() { n.opener, n.failed = s.newOpener() })
	if n.failed != nil {
		return nil, n.failed
	}
	return n.opener.Open(ctx, ref)
}

func (s *Session) newOpener() (*remote.Opener, error) {
	n := &s.network
	if n.maxRequests < 0 {
		return nil, Usagef("--max-requests is %d, and cannot be negative", n.maxRequests)
	}
	o := &remote.Opener{
		Buckets: bucket.Open,
		Env:     s.env, Offline: n.offline, CacheDir: cacheDir(s.env),
		Meter:  &remote.Meter{MaxBytes: int64(n.maxBytes), MaxRequests: n.maxRequests},
		Notice: func(line string) { s.Notice("%s", line) },
	}
	if n.tokenFile != "" {
		text, err := os.ReadFile(n.tokenFile)
		if err != nil {
			return nil, err
		}
		if o.HubToken = strings.TrimSpace(string(text)); o.HubToken == "" || strings.ContainsAny(o.HubToken, " \t\r\n") {
			return nil, Usagef("--token-file %q does not hold one token", n.tokenFile)
		}
	}
	return o, nil
}

// cacheDir returns the folder for what is kept of remote files: that of WEIGH_CACHE, or
// one among the user's own. "" is none, as for WEIGH_CACHE=off.
func cacheDir(env func(string) string) string {
	dir := env("WEIGH_CACHE")
	if dir == "off" {
		return ""
	}
	if dir != "" {
		return dir
	}
	switch {
	case runtime.GOOS == "windows":
		dir = env("LOCALAPPDATA")
	case env("XDG_CACHE_HOME") != "":
		dir = env("XDG_CACHE_HOME")
	case env("HOME") != "" && runtime.GOOS == "darwin":
		dir = filepath.Join(env("HOME"), "Library", "Caches")
	case env("HOME") != "":
		dir = filepath.Join(env("HOME"), ".cache")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "weigh")
}

// PrintCost says what was spent, if that was asked for.
func (s *Session) PrintCost() {
	n := &s.network
	if !n.cost {
		return
	}
	var spent remote.Cost
	if n.opener != nil {
		spent = n.opener.Meter.Cost()
	}
	fmt.Fprintf(s.Stderr, "weigh: cost: %s, %s, %s, %.2f s\n",
		typeset.Plural(spent.Requests, "request"), typeset.ExactBytes(spent.Bytes),
		typeset.Plural(spent.Hits, "cache hit"), time.Since(n.began).Seconds())
}
