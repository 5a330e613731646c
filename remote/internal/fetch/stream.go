// Reading from servers that do not support ranges: front to back, and no further than needed.

package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// maxSkip is the maximum number of bytes that are read and discarded to reach others.
const maxSkip = 64 << 20

// A stream is an answer with the whole object, read up to some offset. It stays open between
// reads: a read that continues where the last one ended needs no request.
type stream struct {
	mu      sync.Mutex
	*Answer // nil if there is none
	end     context.CancelFunc
	at      int64 // offset of the next byte of the body
}

// read fills p with the bytes at off.
func (s *stream) read(ctx context.Context, o *content, p []byte, off int64) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Answer == nil || off < s.at || off-s.at > maxSkip {
		if err := s.begin(ctx, o, off); err != nil {
			return 0, err
		}
	}
	// The request outlives this read, but the read must end with its own context.
	stop := context.AfterFunc(ctx, s.end)
	defer stop()
	skipped, err := io.CopyN(io.Discard, s.body, off-s.at)
	s.at += skipped
	if err == nil {
		n, err = s.fill(p)
		s.at += int64(n)
		if err == nil && o.version.unsized && s.at == o.size {
			err = s.ends(s.at)
		}
	} else if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) {
		err = s.torn(int(s.at), int(off)+len(p))
	}
	if err != nil {
		s.drop()
		if ctx.Err() != nil {
			err = broken(ctx, o.source.URL, err)
		}
	}
	return n, err
}

// begin requests the whole object.
func (s *stream) begin(ctx context.Context, o *content, off int64) error {
	s.drop()
	if off > maxSkip {
		return &Error{Method: http.MethodGet, URL: Shown(o.source.URL), Err: fmt.Errorf(
			"the server does not support ranges: reading byte %d would mean reading more than %d bytes before it; "+
				"download the whole file first", off, int64(maxSkip))}
	}
	// A body ends with its context, and this one has to outlive the read.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	defer stop()
	a, err := o.ask(lasting, o.headers(-1, -1), 0)
	if err == nil {
		if err = o.accept(a); err == nil && a.Status != http.StatusOK {
			err = o.refused(a)
		}
		if err != nil {
			a.body.Close()
		}
	}
	if err != nil {
		end()
		if ctx.Err() != nil {
			err = broken(ctx, o.source.URL, err)
		}
		return err
	}
	a.body.release() // the next read may come late, and other requests are waiting
	s.Answer, s.end, s.at = a, end, 0
	return nil
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}

// drop closes the answer, if there is one. The caller holds the lock.
func (s *stream) drop() {
	if s.Answer != nil {
		s.body.Close()
		s.end()
		s.Answer = nil
	}
}
