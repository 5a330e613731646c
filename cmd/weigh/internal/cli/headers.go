// Header fields for web servers: --header, WEIGH_HEADERS and .netrc.

package cli

import (
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/store"
)

// A fields value holds the header fields for the web servers of targets. They are sent to the
// servers that targets name, and not to those that these redirect to.
type fields struct {
	env    func(string) string
	given  []string               // the values of --header
	named  map[string]http.Header // with an origin, from --header and WEIGH_HEADERS
	plain  http.Header            // without one, from --header
	logins []login                // from .netrc

	mu      sync.Mutex
	targets []string // origins
}

// The forms of --header and of the lines of WEIGH_HEADERS. Errors never contain what was written,
// because it is a secret as a rule.
const (
	lineForm   = `"https://host NAME: VALUE"`
	headerForm = `"NAME: VALUE", or ` + lineForm
)

// read parses the flag, the variable and the file. It is called before the first request.
func (f *fields) read() error {
	f.named, f.plain = make(map[string]http.Header), make(http.Header)
	for i, text := range f.given {
		origin, name, value, err := parseField(text, headerForm)
		switch {
		case err != "":
			return Usagef("--header number %d %s", i+1, err)
		case origin == "":
			f.plain.Add(name, value)
		default:
			f.add(origin, name, value)
		}
	}
	n := 0
	for line := range strings.Lines(f.env("WEIGH_HEADERS")) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		origin, name, value, err := parseField(line, lineForm)
		if err == "" && origin == "" {
			err = "does not begin with the server that it is for: write " + lineForm
		}
		if err != "" {
			return Usagef("line %d of the environment variable WEIGH_HEADERS %s", n, err)
		}
		f.add(origin, name, value)
	}
	if text, err := readSmall(netrcFile(f.env), 1<<20); err == nil {
		f.logins = parseNetrc(string(text))
	}
	return nil
}

// add adds a field for an origin.
func (f *fields) add(origin, name, value string) {
	if f.named[origin] == nil {
		f.named[origin] = make(http.Header)
	}
	f.named[origin].Add(name, value)
}

// ours are the fields that reading depends on.
var ours = []string{"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "If-Match",
	"If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade"}

// parseField parses "[ORIGIN ]NAME: VALUE". It describes what is wrong without the text, and advises
// to use the form.
func parseField(text, form string) (origin, name, value, wrong string) {
	text = strings.TrimSpace(text)
	if first, rest, ok := strings.Cut(text, " "); ok && strings.Contains(first, "://") {
		u, err := url.Parse(first)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.User != nil ||
			strings.Trim(u.Path, "/") != "" || u.RawQuery != "" {
			return "", "", "", "begins with a URL that is not just a scheme and a host: write " + form
		}
		origin, text = remote.Origin(u), rest
	}
	name, value, ok := strings.Cut(text, ":")
	name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
	notToken := func(r rune) bool {
		return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	switch {
	case !ok || name == "" || strings.ContainsFunc(name, notToken):
		return "", "", "", "is not a header field: write " + form
	case value == "" || strings.ContainsFunc(value, unicode.IsControl):
		return "", "", "", "has no value, or control characters in it: write " + form
	case slices.Contains(ours, name):
		return "", "", "", "sets " + name + ", which weigh sets itself: leave it out"
	}
	return origin, name, value, ""
}

// target records the origin of a target.
func (f *fields) target(ref store.Ref) error {
	u, err := ref.URL()
	if err != nil {
		return nil // not on a web server
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	origin := remote.Origin(u)
	if slices.Contains(f.targets, origin) {
		return nil
	}
	if len(f.targets) > 0 && len(f.plain) > 0 {
		return Usagef("--header is for one server, and the targets are on %s and %s: write the server in front, as in %s",
			f.targets[0], origin, "--header 'https://host NAME: VALUE'")
	}
	f.targets = append(f.targets, origin)
	return nil
}

// header implements remote.Opener.Header.
func (f *fields) header(origin string) http.Header {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(f.targets, origin) {
		return nil
	}
	h := f.plain.Clone()
	for name, values := range f.named[origin] {
		h[name] = values
	}
	if h.Get("Authorization") == "" {
		f.login(origin, h)
	}
	return h
}

// login adds the user name and password of .netrc. They are for a host and not for an origin,
// so they are not sent without encryption.
func (f *fields) login(origin string, h http.Header) {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "https" && !isLoopback(u.Hostname()) {
		return
	}
	for _, l := range f.logins {
		if strings.EqualFold(l.machine, u.Hostname()) {
			r := http.Request{Header: h}
			r.SetBasicAuth(l.user, l.password)
			return
		}
	}
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// netrcFile returns the name of the file with logins: NETRC, or the usual one.
func netrcFile(env func(string) string) string {
	if file := env("NETRC"); file != "" {
		return file
	}
	name, home := ".netrc", env("HOME")
	if runtime.GOOS == "windows" {
		name, home = "_netrc", env("USERPROFILE")
	}
	if home == "" {
		return os.DevNull
	}
	return filepath.Join(home, name)
}
