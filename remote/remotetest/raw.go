// A server that sends anything that can be written to a connection.

package remotetest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// A Raw server answers with replies that package http would not send.
type Raw struct {
	// Answer returns the reply to the n-th request, counted from 1.
	Answer func(n int, r *http.Request) *Reply

	requests atomic.Int64
}

// A Reply is an answer. Header has no field for the length of the body: Length says what that
// is to be.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	Length int    // Content-Length if it is not negative, or Chunked or UntilClose
	Extra  []byte // sent after the body, on the same connection
	Close  bool   // close the connection after the body
}

// Values of [Reply].Length: a body in chunks, and one that ends with the connection.
const (
	Chunked    = -1
	UntilClose = -2
)

// RangeOf returns the reply of RFC 9110 to a request for content, which is a part of it if
// the request has a range.
func RangeOf(r *http.Request, content []byte) *Reply {
	a := &Reply{Status: http.StatusOK, Header: make(http.Header), Body: content, Length: len(content)}
	var begin, last int
	if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &begin, &last); n < 2 {
		return a
	}
	if begin >= len(content) {
		a.Header.Set("Content-Range", fmt.Sprintf("bytes */%d", len(content)))
		a.Status, a.Body, a.Length = http.StatusRequestedRangeNotSatisfiable, nil, 0
		return a
	}
	end := min(last+1, len(content))
	a.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", begin, end-1, len(content)))
	a.Status, a.Body, a.Length = http.StatusPartialContent, content[begin:end], end-begin
	return a
}

// Serve answers the requests of all connections until the listener is closed.
func (s *Raw) Serve(l net.Listener) {
	var all sync.WaitGroup
	defer all.Wait()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		all.Go(func() { s.serve(c) })
	}
}

// serve answers the requests of one connection.
func (s *Raw) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		a := s.Answer(int(s.requests.Add(1)), r)
		if _, err := c.Write(a.bytes()); err != nil || a.Close || a.Length == UntilClose {
			return
		}
	}
}

// bytes returns a reply as it is sent.
func (a *Reply) bytes() []byte {
	b := new(bytes.Buffer)
	fmt.Fprintf(b, "HTTP/1.1 %d %s\r\n", a.Status, http.StatusText(a.Status))
	switch {
	case a.Length >= 0:
		fmt.Fprintf(b, "Content-Length: %d\r\n", a.Length)
	case a.Length == Chunked:
		io.WriteString(b, "Transfer-Encoding: chunked\r\n")
	default:
		io.WriteString(b, "Connection: close\r\n")
	}
	a.Header.Write(b)
	io.WriteString(b, "\r\n")
	if a.Length == Chunked && len(a.Body) > 0 {
		fmt.Fprintf(b, "%x\r\n%s\r\n", len(a.Body), a.Body)
	} else {
		b.Write(a.Body)
	}
	if a.Length == Chunked {
		io.WriteString(b, "0\r\n\r\n")
	}
	b.Write(a.Extra)
	return b.Bytes()
}
