// Servers that misbehave: the right bytes, or an error that says what is wrong.

package remote_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/weightools/safetensors/remote"
)

// size is that of the object of these tests: more than a block, and no multiple of one.
const size = 200_001

// faults are servers of one object. Each of these is opened, and read from byte 100,000
// on, 5,000 bytes, and then again at its end. So unless it fails there are three runs.
var faults = []struct {
	name   string
	answer func(w http.ResponseWriter, r *http.Request, n int, b []byte) // n counts the requests
	want   string                                                        // of the error; "" for none
	is     error
	least  time.Duration // that it takes
	most   int           // requests; 0 for any number
}{
	{name: "well-behaved", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) { ranged(w, r, b) }, most: 3},
	{name: "breaks off", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n%2 == 1 {
			w = &torn{w, 10_000}
		}
		ranged(w, r, b)
	}, most: 6},
	{name: "breaks off at the first byte", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n%2 == 1 {
			w = &torn{w, 0}
		}
		ranged(w, r, b)
	}},
	{name: "always breaks off", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		ranged(&torn{w, 0}, r, b)
	}, want: "EOF", most: 6},
	{name: "is busy", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n < 3 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		ranged(w, r, b)
	}, least: 14 * time.Second, most: 5},
	{name: "is busy until a date", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n == 1 {
			w.Header().Set("Retry-After", time.Now().Add(20*time.Second).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		ranged(w, r, b)
	}, least: 19 * time.Second},
	{name: "limits requests as the Hub does", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n == 2 {
			w.Header().Set("RateLimit", `"resolvers";r=0;t=55`)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		ranged(w, r, b)
	}, least: 55 * time.Second, most: 4},
	{name: "says that it will limit", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n == 1 {
			w.Header().Set("RateLimit", `"resolvers";r=0;t=40`)
		}
		ranged(w, r, b)
	}, least: 40 * time.Second, most: 3},
	{name: "wants to be left alone for a day", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	}, want: "the server asks to wait for 24h0m0s: try again then", most: 1},
	{name: "is broken for good", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.WriteHeader(http.StatusBadGateway)
	}, want: "502 Bad Gateway", most: 5},
	{name: "falls silent", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n == 2 {
			ranged(&slow{w, time.Hour, r}, r, b)
		}
		ranged(w, r, b)
	}, least: 30 * time.Second, most: 4},
	{name: "never answers", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		<-r.Context().Done()
	}, want: "the server stopped sending", least: 150 * time.Second, most: 5},
	{name: "drips", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		ranged(&slow{w, 20 * time.Second, r}, r, b)
	}, least: time.Minute, most: 3},
	{name: "compresses", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("Content-Encoding", "gzip")
		ranged(w, r, b)
	}, want: `sends the object with encoding "gzip"`, most: 1},
	{name: "compresses all of it", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("Content-Encoding", "br")
		w.Write(b)
	}, want: `sends the object with encoding "br"`, most: 1},
	{name: "knows no ranges", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		w.Write(b)
	}, most: 3},
	{name: "knows no ranges and no size", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.(http.Flusher).Flush()
		w.Write(b)
	}, want: "does not support ranges: download it with another program, such as curl", most: 1},
	{name: "forgets ranges later", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if n > 1 {
			r.Header.Del("Range")
		}
		w.Header().Set("Content-Length", fmt.Sprint(len(b)))
		ranged(w, r, b)
	}},
	{name: "sends less than is asked for", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		begin, end, _ := asked(r, len(b))
		end = min(end, begin+20_000)
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", begin, end-1))
		ranged(w, r, b)
	}},
	{name: "sends byte by byte", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		begin, _, _ := asked(r, len(b))
		r.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", begin, begin))
		ranged(w, r, b)
	}, want: "the server sends 1 bytes, and ", most: 6},
	{name: "never ends", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		for n := 0; n < 1<<30; n += len(b) {
			if _, err := w.Write(b); err != nil {
				return
			}
		}
	}, want: "does not send the size", most: 1},
	{name: "drips far too slowly", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		begin, end, _ := asked(r, len(b))
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, end-1, len(b)))
		w.Header().Set("Content-Length", fmt.Sprint(end-begin))
		w.WriteHeader(http.StatusPartialContent)
		for ; begin < end && r.Context().Err() == nil; begin++ {
			w.Write(b[begin : begin+1])
			w.(http.Flusher).Flush()
			select {
			case <-time.After(time.Second):
			case <-r.Context().Done():
			}
		}
	}, want: "less than 100 bytes per second", least: 150 * time.Second, most: 6},
	{name: "does not say which part", answer: lies("", ""), want: "invalid Content-Range"},
	{name: "sends another part", answer: lies("bytes 1-65536/200001", ""), want: "sends bytes from 1 on"},
	{name: "does not say of how many", answer: lies("bytes 0-65535/*", ""), want: "does not send the size"},
	{name: "sends several parts", answer: lies("", "multipart/byteranges; boundary=x"), want: "sends several"},
	{name: "sends more than it says", answer: lies("bytes 0-99/200001", ""), want: "labels them as bytes 0 to 99"},
	{name: "says what no part can be", answer: lies("bytes 0-65535/100", ""), want: "invalid Content-Range"},
	{name: "says a negative size", answer: lies("bytes 0-65535/-1", ""), want: "invalid Content-Range"},
	{name: "says what overflows", answer: lies("bytes 0-9223372036854775807/9223372036854775807", ""), want: "invalid Content-Range"},
	{name: "replaces the object", answer: tagged(func(n int) string { return fmt.Sprintf(`"v%d"`, n) }), is: remote.ErrChanged, want: "changed while it was read", most: 2},
	{name: "replaces the object, and says so", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("ETag", `"v1"`)
		if n > 1 && r.Header.Get("If-Match") == `"v1"` {
			w.WriteHeader(http.StatusPreconditionFailed)
			return
		}
		ranged(w, r, b)
	}, is: remote.ErrChanged, want: "412", most: 2},
	{name: "has weak tags", answer: tagged(func(n int) string { return `W/"same"` }), most: 3},
	{name: "replaces what has a weak tag", answer: tagged(func(n int) string { return fmt.Sprintf(`W/"v%d"`, n) }), is: remote.ErrChanged, want: "changed while it was read"},
	{name: "replaces what has a date", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("Last-Modified", time.Unix(int64(n), 0).UTC().Format(http.TimeFormat))
		ranged(w, r, b)
	}, is: remote.ErrChanged, want: "changed while it was read"},
	{name: "replaces the object by a longer one", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		ranged(w, r, append(b, make([]byte, n)...))
	}, is: remote.ErrChanged, want: "its size is 200003 bytes, and was 200002"},
	{name: "has nothing", answer: status(http.StatusNotFound), is: fs.ErrNotExist, want: "404 Not Found: no such object", most: 1},
	{name: "has it no more", answer: status(http.StatusGone), is: fs.ErrNotExist, want: "410", most: 1},
	{name: "wants a token", answer: status(http.StatusUnauthorized), is: fs.ErrPermission, want: "401", most: 1},
	{name: "forbids it", answer: status(http.StatusForbidden), is: fs.ErrPermission, want: "403", most: 1},
	{name: "redirects in a circle", answer: redirects("/model"), want: "more than 10 redirects", most: 11},
	{name: "redirects to nowhere", answer: redirects(""), want: "the server redirects without a location", most: 1},
	{name: "redirects to a file", answer: redirects("file:///etc/passwd"), want: "redirects to", most: 1},
	{name: "redirects to what cannot be parsed", answer: redirects("http://%zz/?secret"), want: "redirects to an invalid URL", most: 1},
	{name: "redirects to another host", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		if r.Host == "weights.example" {
			redirects("http://cdn.example/x?signature=secret")(w, r, n, b)
			return
		}
		ranged(w, r, b)
	}, most: 4},
	{name: "lets signatures expire", answer: func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		switch {
		case r.Host == "weights.example":
			redirects(fmt.Sprintf("http://cdn.example/x?signature=%d", n))(w, r, n, b)
		case r.URL.RawQuery == fmt.Sprintf("signature=%d", n-1): // good once
			ranged(w, r, b)
		default:
			w.WriteHeader(http.StatusForbidden)
		}
	}, most: 8},
}

func status(code int) func(http.ResponseWriter, *http.Request, int, []byte) {
	return func(w http.ResponseWriter, r *http.Request, n int, b []byte) { w.WriteHeader(code) }
}

func redirects(to string) func(http.ResponseWriter, *http.Request, int, []byte) {
	return func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// lies answers with the first block, as what field says it is.
func lies(field, kind string) func(http.ResponseWriter, *http.Request, int, []byte) {
	return func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("Content-Range", field)
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Length", "65536")
		w.WriteHeader(http.StatusPartialContent)
		w.Write(b[:65536])
	}
}

func tagged(tag func(n int) string) func(http.ResponseWriter, *http.Request, int, []byte) {
	return func(w http.ResponseWriter, r *http.Request, n int, b []byte) {
		w.Header().Set("ETag", tag(n))
		ranged(w, r, b)
	}
}

// torn is an answer that breaks off after so many bytes.
type torn struct {
	http.ResponseWriter
	left int
}

func (w *torn) Write(p []byte) (int, error) {
	w.ResponseWriter.Write(p[:min(len(p), w.left)])
	w.ResponseWriter.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

// slow is an answer that comes in ten pieces.
type slow struct {
	http.ResponseWriter
	pause time.Duration
	r     *http.Request
}

func (w *slow) Write(p []byte) (int, error) {
	for i := range 10 {
		w.ResponseWriter.Write(p[len(p)*i/10 : len(p)*(i+1)/10])
		w.ResponseWriter.(http.Flusher).Flush()
		select {
		case <-time.After(w.pause):
		case <-w.r.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	return len(p), nil
}

func TestFaults(t *testing.T) {
	content := pattern(size)
	for _, test := range faults {
		t.Run(test.name, func(t *testing.T) {
			var n atomic.Int64
			h := objects(map[string][]byte{"model": content, "x": content}, func(w http.ResponseWriter, r *http.Request, b []byte) {
				test.answer(w, r, int(n.Add(1)), append([]byte(nil), b...))
			})
			inBubble(t, h, func(t *testing.T, b *bubble) {
				began := time.Now()
				err := readThrice(t, b, "http://weights.example/model?key=secret", content)
				switch {
				case test.want == "" && err != nil:
					t.Errorf("the error is %v, want none", err)
				case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
					t.Errorf("the error is %v, want one with %q", err, test.want)
				case test.is != nil && !errors.Is(err, test.is):
					t.Errorf("%v is not %v", err, test.is)
				case err != nil && strings.Contains(err.Error(), "secret"):
					t.Errorf("the error tells what is secret: %v", err)
				}
				if took := time.Since(began); took < test.least {
					t.Errorf("it took %v, want %v at least", took, test.least)
				}
				if test.most > 0 && len(b.asked()) > test.most {
					t.Errorf("%d requests, want %d at most", len(b.asked()), test.most)
				}
			})
		})
	}
}

// readThrice opens an object and reads some of it, in the middle and at its end.
func readThrice(t *testing.T, b *bubble, ref string, content []byte) error {
	o, err := open(t, &b.Opener, ref).Open(t.Context(), "model")
	if err != nil {
		return err
	}
	defer o.Close()
	for _, off := range []int64{0, 100_000, size - 5_000} {
		p := make([]byte, 5_000)
		if _, err := o.ReaderAt(t.Context()).ReadAt(p, off); err != nil {
			return err
		}
		if string(p) != string(content[off:off+5_000]) {
			t.Errorf("other bytes at %d", off)
		}
	}
	return nil
}

// TestNoMoreThanNeeded: of an answer with the whole object, all that is not needed stays
// where it is, but for what the network holds.
func TestNoMoreThanNeeded(t *testing.T) {
	const huge = 1 << 30
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(huge))
		block := make([]byte, 64<<10)
		for range huge / len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	inBubble(t, h, func(t *testing.T, b *bubble) {
		o, err := open(t, &b.Opener, "http://weights.example/").Open(t.Context(), "model")
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		if _, err := o.ReaderAt(t.Context()).ReadAt(make([]byte, 8), 0); err != nil {
			t.Error(err)
		}
		// The first block, and what the buffers of net/http take.
		if n := b.came.Load(); n > 64<<10+16<<10 {
			t.Errorf("%d bytes came, want 64 KiB and a buffer", n)
		}
		_, err = o.ReaderAt(t.Context()).ReadAt(make([]byte, 8), huge-8)
		if err == nil || !strings.Contains(err.Error(), "does not support ranges") {
			t.Errorf("a read at the end: %v, want that there are no ranges", err)
		}
		if n := len(b.asked()); n != 1 {
			t.Errorf("%d requests, want none that cannot succeed", n)
		}
	})
}

// transportError is a transport whose requests fail with the error.
type transportError struct{ error }

func (e transportError) RoundTrip(*http.Request) (*http.Response, error) { return nil, e.error }

// Errors of the network say what to look at, and keep the cause for errors.As.
func TestUnreachable(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9},
		Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	lookup := func(name net.DNSError) error { return &net.OpError{Op: "dial", Net: "tcp", Err: &name} }
	for _, test := range []struct {
		err  error
		want string
	}{
		{refused, "cannot connect to 127.0.0.1:9: " + syscall.ECONNREFUSED.Error()},
		{lookup(net.DNSError{Name: "host.example", Server: "10.0.0.1:53", Err: "no such host", IsNotFound: true}),
			`the host "host.example" does not exist, or the network is down`},
		{lookup(net.DNSError{Name: "host.example", Server: "10.0.0.1:53", Err: "server misbehaving"}),
			`cannot find the address of host "host.example": server misbehaving`},
	} {
		o := &remote.Opener{Transport: transportError{test.err}, Retries: -1}
		_, err := open(t, o, "https://host.example").Open(t.Context(), "model.safetensors")
		if want := "GET https://host.example/model.safetensors: " + test.want; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
		if !errors.Is(err, test.err) {
			t.Errorf("%v does not wrap %v", err, test.err)
		}
	}
}
