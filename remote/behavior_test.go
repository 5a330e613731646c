// What servers answer after the first answer: the right bytes or an error, never wrong bytes.

package remote_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote"
	"github.com/weightools/safetensors/remote/remotetest"
)

// A change makes an answer another one.
type change func(*remotetest.Reply)

// all makes several changes.
func all(changes ...change) change {
	return func(a *remotetest.Reply) {
		for _, c := range changes {
			c(a)
		}
	}
}

// field sets a field of the header, or removes it if the value is "".
func field(name, value string) change {
	return func(a *remotetest.Reply) {
		a.Header.Del(name)
		if value != "" {
			a.Header.Set(name, value)
		}
	}
}

// isStatus changes the status of an answer, and leaves its body.
func isStatus(code int) change { return func(a *remotetest.Reply) { a.Status = code } }

// instead answers with another body.
func instead(code int, body string) change {
	return func(a *remotetest.Reply) {
		a.Status, a.Body, a.Length = code, []byte(body), len(body)
		a.Header.Del("Content-Range")
	}
}

func length(n int) change { return func(a *remotetest.Reply) { a.Length = n } }

// An opening is how a server answers the first request.
type opening struct {
	name   string
	ranges bool
	fields change
}

const (
	oldDate = "Mon, 02 Jan 2006 15:04:05 GMT"
	newDate = "Tue, 03 Jan 2006 15:04:05 GMT"
)

// openings are the columns of the table.
var openings = []opening{
	{"ranges, ETag and date", true, all(field("ETag", `"v1"`), field("Last-Modified", oldDate))},
	{"ranges, ETag", true, field("ETag", `"v1"`)},
	{"ranges, weak ETag", true, field("ETag", `W/"v1"`)},
	{"ranges, date", true, field("Last-Modified", oldDate)},
	{"ranges", true, all()},
	{"no ranges, ETag and date", false, all(field("ETag", `"v1"`), field("Last-Modified", oldDate))},
	{"no ranges", false, all()},
}

// What has to come of an answer. Where nothing tells versions apart, wrong bytes cannot be
// noticed, and that is said.
const (
	right   = '='
	changed = 'c' // ErrChanged
	failed  = 'e' // another error
	silent  = 'n' // a notice
	either  = '?' // the right bytes or any error
	skipped = '.'
)

// laters are the rows: how a server answers later requests, and what has to come of it for
// each opening.
var laters = []struct {
	name  string
	other bool // the bytes are those of another version
	want  string
	how   change
}{
	{"as before", false, "=======", all()},
	{"other bytes", true, "......n", all()},
	{"no ETag", true, "ccc..c.", field("ETag", "")},
	{"another ETag", true, "ccccccc", field("ETag", `"v2"`)},
	{"another weak ETag", true, "ccccccc", field("ETag", `W/"v2"`)},
	{"the ETag is weak now", true, "cc...c.", field("ETag", `W/"v1"`)},
	{"the ETag is strong now", true, "..cccc.", all(field("Last-Modified", ""), field("ETag", `"v1"`))},
	{"another date", true, "ccccccc", field("Last-Modified", newDate)},
	{"no date", true, "c..c.c.", field("Last-Modified", "")},
	{"neither ETag nor date", true, "ccccnc.", all(field("ETag", ""), field("Last-Modified", ""))},
	{"another size", true, "ccccc..", func(a *remotetest.Reply) {
		a.Header.Set("Content-Range", strings.Replace(a.Header.Get("Content-Range"), "/200001", "/200002", 1))
	}},
	{"no range, longer", true, "ccccccc", instead(200, strings.Repeat("x", size+1))},
	{"no range, shorter", true, "ccccccc", instead(200, strings.Repeat("x", size-1))},
	{"no range, another ETag", true, "ccccccc", all(wholeOf, field("ETag", `"v2"`))},
	{"no range any more", false, "=======", wholeOf},
	{"no range and no size", false, "ccccccc", all(wholeOf, length(remotetest.Chunked))},
	{"no range, until the connection ends", false, "ccccccc", all(wholeOf, length(remotetest.UntilClose))},
	{"a login page", true, "ccccccc", all(instead(200, "<html>log in</html>"), field("Content-Type", "text/html"),
		length(remotetest.Chunked))},
	{"a login page of the same size", true, "ccccccc", all(instead(200, strings.Repeat("<", size)),
		field("Content-Type", "text/html; charset=utf-8"))},
	{"a part of a login page", true, "ccccc..", field("Content-Type", "application/xhtml+xml")},
	{"200 with Content-Range", true, "eeeee..", isStatus(200)},
	{"whole, with Content-Range", true, "eeeeeee", all(wholeOf, field("Content-Range", "bytes 0-200000/200001"))},
	{"no Content-Range", false, "eeeee..", field("Content-Range", "")},
	{"Content-Range of other bytes", true, "eeeee..", field("Content-Range", "bytes 0-65535/200001")},
	{"Content-Range of no bytes", true, "eeeee..", field("Content-Range", "bytes */200001")},
	{"Content-Range in other units", true, "eeeee..", func(a *remotetest.Reply) {
		a.Header.Set("Content-Range", strings.Replace(a.Header.Get("Content-Range"), "bytes", "items", 1))
	}},
	{"Content-Range in Bytes", false, "=====..", func(a *remotetest.Reply) {
		a.Header.Set("Content-Range", strings.Replace(a.Header.Get("Content-Range"), "bytes", "Bytes", 1))
	}},
	{"Content-Range without the size", false, "=====..", func(a *remotetest.Reply) {
		a.Header.Set("Content-Range", strings.Replace(a.Header.Get("Content-Range"), "/200001", "/*", 1))
	}},
	{"several parts", true, "eeeee..", all(field("Content-Range", ""),
		field("Content-Type", "multipart/byteranges; boundary=x"))},
	{"one byte", false, "eeeee..", func(a *remotetest.Reply) {
		begin, _, _ := strings.Cut(strings.TrimPrefix(a.Header.Get("Content-Range"), "bytes "), "-")
		a.Header.Set("Content-Range", fmt.Sprintf("bytes %s-%s/200001", begin, begin))
		a.Body, a.Length = a.Body[:1], 1
	}},
	{"in chunks", false, "=====..", length(remotetest.Chunked)},
	{"in chunks, and too short", false, "eeeee..", all(length(remotetest.Chunked),
		func(a *remotetest.Reply) { a.Body = a.Body[:10] })},
	{"until the connection ends", false, "=====..", length(remotetest.UntilClose)},
	{"cut off", false, "eeeeeee", func(a *remotetest.Reply) { a.Body, a.Close = nil, true }},
	{"a shorter length than the range", false, "eeeee..", func(a *remotetest.Reply) { a.Length -= 5 }},
	{"a longer length than the range", false, "eeeee..", func(a *remotetest.Reply) { a.Length += 5 }},
	// Whether the connection is used again is a race.
	{"surplus bytes", false, "???????", func(a *remotetest.Reply) { a.Extra = []byte("HTTP/1.1 200 OK\r\n\r\nEVIL") }},
	{"gzip", true, "eeeeeee", field("Content-Encoding", "gzip")},
	{"aws-chunked and gzip", true, "eeeeeee", field("Content-Encoding", "aws-chunked,gzip")},
	{"aws-chunked", false, "=======", field("Content-Encoding", "aws-chunked")},
	{"identity", false, "=======", field("Content-Encoding", "identity")},
	{"416", false, "cccccc.", all(instead(416, ""), field("Content-Range", "bytes */5"))},
	{"412", false, "ccccccc", instead(412, "")},
	{"304", false, "eeeeeee", instead(304, "")},
	{"204", false, "eeeeeee", instead(204, "")},
	{"202", false, "eeeeeee", instead(202, "come back later")},
	{"404", false, "eeeeeee", instead(404, "gone")},
	{"410", false, "eeeeeee", instead(410, "gone")},
	{"401", false, "eeeeeee", instead(401, "")},
	{"403", false, "eeeeeee", instead(403, "")},
	{"500", false, "eeeeeee", instead(500, "")},
	{"redirect in a circle", false, "eeeeeee", all(instead(302, ""), field("Location", "/model"))},
	{"redirect to nowhere", false, "eeeeeee", instead(302, "")},
	{"redirect to a script", false, "eeeeeee", all(instead(302, ""), field("Location", "javascript:x"))},
	{"redirect to the same", false, "=======", all(instead(307, ""), field("Location", "http://other.example/same"))},
	{"redirect to another version", true, "ccccccc", all(instead(302, ""),
		field("Location", "http://other.example/new"))},
}

// wholeOf answers with the whole object. The matrix replaces the body.
func wholeOf(a *remotetest.Reply) {
	a.Status, a.Body, a.Length = 200, nil, size
	a.Header.Del("Content-Range")
}

// answerOf returns the answer of a row to a later request.
func answerOf(o *opening, how change, content []byte, r *http.Request) *remotetest.Reply {
	if !o.ranges {
		r.Header.Del("Range")
	}
	a := remotetest.RangeOf(r, content)
	o.fields(a)
	switch r.URL.Path {
	case "/same":
	case "/new":
		a.Header.Set("ETag", `"v2"`)
	default:
		how(a)
	}
	if a.Status == 200 && a.Body == nil && a.Header.Get("Content-Range") == "" && !a.Close {
		a.Body = content
	}
	return a
}

// TestBehaviors has more than 300 behaviors.
func TestBehaviors(t *testing.T) {
	one := pattern(size)
	two := bytes.Repeat([]byte{0xff}, size) // no byte of the other version
	log.SetOutput(io.Discard)               // package http logs surplus bytes
	defer log.SetOutput(os.Stderr)
	n := 0
	for _, later := range laters {
		for i := range openings {
			o, want := &openings[i], later.want[i]
			if want == skipped {
				continue
			}
			n++
			then := one
			if later.other {
				then = two
			}
			t.Run(later.name+"/"+o.name, func(t *testing.T) {
				answer := func(n int, r *http.Request) *remotetest.Reply {
					if n == 1 {
						return answerOf(o, all(), one, r)
					}
					return answerOf(o, later.how, then, r)
				}
				for _, whole := range []bool{false, true} {
					checkBehavior(t, answer, one, want, whole)
				}
			})
		}
	}
	if n < 300 {
		t.Errorf("%d behaviors", n)
	}
}

// checkBehavior reads an object in parts or as a whole.
func checkBehavior(t *testing.T, answer func(int, *http.Request) *remotetest.Reply, content []byte, want byte, whole bool) {
	path := filepath.Join(t.TempDir(), "model")
	serve := func(b *bubble, l net.Listener) { (&remotetest.Raw{Answer: answer}).Serve(l) }
	inNetwork(t, serve, func(t *testing.T, b *bubble) {
		var notices []string
		b.Notice = func(line string) { notices = append(notices, line) }
		err := useObject(t, b, content, path, whole, want == silent)
		switch want {
		case right:
			if err != nil {
				t.Errorf("whole=%t: %v", whole, err)
			}
		case changed:
			if !errors.Is(err, remote.ErrChanged) {
				t.Errorf("whole=%t: %v, want that it was changed", whole, err)
			}
		case failed:
			if err == nil || errors.Is(err, remote.ErrChanged) {
				t.Errorf("whole=%t: %v, want another error", whole, err)
			}
		case silent:
			if len(notices) != 1 || !strings.Contains(notices[0], "neither ETag nor Last-Modified") {
				t.Errorf("whole=%t: the notices are %q, want one that changes cannot be noticed", whole, notices)
			}
		}
	})
}

// useObject opens an object and reads it. It fails the test if other bytes come.
func useObject(t *testing.T, b *bubble, content []byte, path string, whole, blind bool) error {
	if !whole && !blind {
		return readThrice(t, b, "http://weights.example/model?key=secret", content)
	}
	o, err := open(t, &b.Opener, "http://weights.example/").Open(t.Context(), "model")
	if err != nil {
		return err
	}
	defer o.Close()
	_, err = new(remote.Download).Run(t.Context(), o, path)
	got, unread := os.ReadFile(path)
	switch {
	case err != nil && unread == nil:
		t.Errorf("there is a file, and the error %v", err)
	case err == nil && !blind && !bytes.Equal(got, content):
		t.Errorf("the file has other bytes")
	}
	return err
}
