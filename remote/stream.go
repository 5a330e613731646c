// Reading from servers that know no ranges: from front to back, and no further.

package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// maxSkip is how many bytes are read and thrown away, at most, to get to others.
const maxSkip = 64 << 20

// A stream is an answer with the whole object, as far as it was read. It is kept between
// reads, so that one who reads on from where the last read ended costs no request.
type stream struct {
	mu      sync.Mutex
	*answer // nil if there is none
	end     context.CancelFunc
	at      int64 // offset of the next byte of the body
}

// read fills p with the bytes at off.
func (s *stream) read(ctx context.Context, o *content, p []byte, off int64) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.answer == nil || off < s.at || off-s.at > maxSkip {
		if err := s.begin(ctx, o, off); err != nil {
			return 0, err
		}
	}
	// The request is not this read's alone, but its waiting is.
	stop := context.AfterFunc(ctx, s.end)
	defer stop()
	skipped, err := io.CopyN(io.Discard, s.body, off-s.at)
	s.at += skipped
	if err == nil {
		n, err = s.answer.fill(p)
		s.at += int64(n)
	} else if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = s.answer.torn(int(s.at), int(off)+len(p))
	}
	if err != nil {
		s.closeInTurn()
		if ctx.Err() != nil {
			err = broken(ctx, o.source.url, err)
		}
	}
	return n, err
}

// begin makes the request for all of the object.
func (s *stream) begin(ctx context.Context, o *content, off int64) error {
	s.closeInTurn()
	if off > maxSkip {
		return &Error{Method: http.MethodGet, URL: shown(o.source.url), Err: fmt.Errorf(
			"the server knows no ranges: to read byte %d, all before it would have to be, which is more than %d bytes: fetch the whole file first", off, int64(maxSkip))}
	}
	// A body ends with its context, and this one is to outlive the read.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	defer stop()
	a, err := o.ask(lasting, o.headers(-1, -1), 0)
	if err == nil {
		if err = o.accept(a); err == nil && a.status != http.StatusOK {
			err = o.source.refused(a)
		}
		if err != nil {
			a.body.Close()
		}
	}
	if err != nil {
		end()
		if ctx.Err() != nil {
			err = broken(ctx, o.source.url, err)
		}
		return err
	}
	a.body.release() // it may be long until the next read, and others are waiting
	s.answer, s.end, s.at = a, end, 0
	return nil
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeInTurn()
}

// closeInTurn closes what is open. The caller has the lock.
func (s *stream) closeInTurn() {
	if s.answer != nil {
		s.body.Close()
		s.end()
		s.answer = nil
	}
}
