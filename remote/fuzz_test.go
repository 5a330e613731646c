// Servers that answer anything: no bytes but those that they said to send, and none past
// the budget.

package remote_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
)

// byteAt is the byte that the object of a version has at an offset. It is never 0xff,
// which is what stands where a server does not say what it sends.
func byteAt(version byte, off int64) byte {
	return byte((uint64(off)*2654435761>>7 + uint64(version)*101) % 255)
}

// A liar is a transport whose answers a script makes up: six bytes for each. When the
// script is over, it answers as it should.
type liar struct {
	script   []byte
	field    string // a Content-Range of the fuzzer's own
	size     int64  // of the object
	requests int64
	came     int64 // bytes that were read
}

// saidRange is what RFC 9110 has a Content-Range be, in numbers that are no sizes of files
// otherwise.
var saidRange = regexp.MustCompile(`^bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)$`)

func (l *liar) RoundTrip(r *http.Request) (*http.Response, error) {
	l.requests++
	var lie [6]byte
	l.script = l.script[copy(lie[:], l.script):]
	var begin, last int64
	n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &begin, &last)
	end := min(last+1, l.size)
	resp := &http.Response{Request: r, Header: make(http.Header), StatusCode: http.StatusPartialContent}
	if n < 2 {
		resp.StatusCode, begin, end = http.StatusOK, 0, l.size
	}
	statuses := [...]int{206, 206, 200, 200, 416, 404, 403, 500, 503, 302, 304, 204, 412, 429}
	if i := int(lie[0]); i > 0 {
		resp.StatusCode = statuses[i%len(statuses)]
	}
	version := lie[5] & 1
	resp.Header.Set("ETag", fmt.Sprintf(`"%d"`, version))
	if lie[5]&6 == 6 {
		resp.Header.Set("Content-Encoding", "gzip")
	}
	if resp.StatusCode == http.StatusFound {
		resp.Header.Set("Location", []string{"/model", "http://other.example/model", "", "ftp://x/"}[lie[1]%4])
	}
	field := [...]string{
		fmt.Sprintf("bytes %d-%d/%d", begin, end-1, l.size), fmt.Sprintf("bytes %d-%d/*", begin, end-1), l.field, "",
		fmt.Sprintf("bytes %d-%d/%d", begin, begin+int64(lie[2]), l.size), fmt.Sprintf("bytes %d-%d/%d", lie[2], end, l.size+1),
		fmt.Sprintf("bytes %d-%d/%d", begin, int64(1)<<62, int64(1)<<62+1), fmt.Sprintf("bytes */%d", l.size),
		fmt.Sprintf("bytes %d-%d/%d", begin+int64(lie[2]), end-1, l.size),
	}[lie[1]%9]
	if resp.StatusCode == http.StatusPartialContent || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
		resp.Header.Set("Content-Range", field)
	}
	body := &lieBody{liar: l, version: version, at: -1, left: max(end-begin, 0)}
	resp.ContentLength = body.left
	if said := saidRange.FindStringSubmatch(field); resp.StatusCode == http.StatusPartialContent && said != nil && lie[5]&6 != 6 {
		body.at, _ = strconv.ParseInt(said[1], 10, 64)
		if last, _ := strconv.ParseInt(said[2], 10, 64); lie[1] != 0 {
			resp.ContentLength = last + 1 - body.at
		}
	} else if resp.StatusCode == http.StatusOK && lie[5]&6 != 6 {
		body.at, body.left, resp.ContentLength = 0, l.size, l.size
	}
	body.left = [...]int64{body.left, body.left / 2, int64(lie[3]), 1 << 50, 0}[lie[3]%5]
	resp.ContentLength = [...]int64{resp.ContentLength, -1, int64(lie[4]), 1 << 50}[lie[4]%4]
	body.torn = resp.ContentLength > body.left
	if resp.ContentLength >= 0 { // package http sees to it that there is no more
		body.left = min(body.left, resp.ContentLength)
	}
	resp.Body = body
	return resp, nil
}

// A lieBody is a body of as many bytes as are left, which are those of the object from an
// offset on, or 0xff if that is -1.
type lieBody struct {
	*liar
	version  byte
	at, left int64
	torn     bool // it ends before the length that was said
}

func (b *lieBody) Read(p []byte) (int, error) {
	n := min(int64(len(p)), b.left, 1000)
	if n == 0 && b.torn {
		return 0, io.ErrUnexpectedEOF
	} else if n == 0 {
		return 0, io.EOF
	}
	for i := range p[:n] {
		p[i] = 0xff
		if b.at >= 0 {
			p[i] = byteAt(b.version, b.at+int64(i))
		}
	}
	if b.at >= 0 {
		b.at += n
	}
	b.left -= n
	b.came += n
	return int(n), nil
}

func (b *lieBody) Close() error { return nil }

// FuzzAnswers opens an object and reads of it, at its start, in its middle and at its end.
// What it is given is of one version and stands where the server said, or it is an error.
func FuzzAnswers(f *testing.F) {
	f.Add(int64(200_000), "", []byte{})
	f.Add(int64(200_000), "bytes 0-65535/200001", []byte{206, 2, 0, 0, 0, 0})
	f.Add(int64(70_000), "bytes 65536-69999/70000", []byte{0, 0, 0, 0, 0, 0, 1, 2, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1})
	f.Add(int64(0), "bytes */0", []byte{4, 7, 0, 0, 0, 0})
	f.Add(int64(100), "bytes 0-9223372036854775807/9223372036854775807", []byte{1, 2, 0, 3, 1, 0})
	f.Add(int64(1)<<40, "bytes 0-99/*", []byte{2, 0, 0, 3, 0, 0, 9, 1, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0})
	f.Add(int64(300_000), "", []byte{0, 0, 0, 1, 0, 0, 3, 0, 0, 3, 1, 0, 8, 0, 0, 0, 0, 0, 0, 4, 9, 0, 0, 0})
	f.Fuzz(func(t *testing.T, size int64, field string, script []byte) {
		if size < 0 || size > 1<<50 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			l := &liar{script: script, field: field, size: size}
			o := &remote.Opener{Transport: l, Env: remotetest.Env(), Meter: &remote.Meter{MaxRequests: 20, MaxBytes: 500_000}}
			readAnswers(t, o)
			cost := o.Meter.Cost()
			if l.requests > 20 || l.came > 500_000 || cost.Requests != l.requests || cost.Bytes != l.came {
				t.Errorf("%d requests and %d bytes, of 20 and 500,000; the meter has %+v", l.requests, l.came, cost)
			}
		})
	})
}

// readAnswers reads an object, and says what is wrong with its bytes.
func readAnswers(t *testing.T, o *remote.Opener) {
	object, err := open(t, o, "http://weights.example/").Open(t.Context(), "model")
	if err != nil {
		return
	}
	defer object.Close()
	size := object.Size()
	if size < 0 {
		t.Fatalf("a size of %d", size)
	}
	isOf := [2]bool{true, true}
	for _, off := range []int64{0, size / 2, size - 100, 65_000, 0} {
		for _, n := range []int{1, 3000} {
			if off < 0 {
				continue
			}
			p := bytes.Repeat([]byte{0xff}, n)
			got, err := object.ReaderAt(t.Context()).ReadAt(p, off)
			if got < n && err == nil || got > 0 && off+int64(got) > size {
				t.Fatalf("%d of %d bytes at %d of %d, and no error", got, n, off, size)
			}
			for i := range p[:got] {
				for v := range isOf {
					isOf[v] = isOf[v] && p[i] == byteAt(byte(v), off+int64(i))
				}
			}
			if !isOf[0] && !isOf[1] {
				t.Fatalf("%d bytes at %d of %d are of no version, or of two", got, off, size)
			}
		}
	}
}
