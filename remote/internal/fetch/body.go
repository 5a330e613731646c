// Bodies of answers: counted, and bounded in time.

package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// lowestRate is the number of bytes per second that a server has to send, on average over
// the time that it may be silent. It is low because many requests may share a slow line.
const lowestRate = 100

var errSlow = fmt.Errorf("the server sends less than %d bytes per second", lowestRate)

// A body is the body of an answer. It counts what is read, and gives up when the server sends
// nothing or too little for too long. The whole transfer may take any time.
type body struct {
	client  *client
	ctx     context.Context // of the caller
	url     *url.URL
	free    func() // lets another request begin; nil if none waits for this one
	inner   context.Context
	cancel  context.CancelCauseFunc // nil until the request is made
	reader  io.ReadCloser           // nil until there is an answer
	public  bool                    // the server has a public address
	alarm   *time.Timer
	granted int64         // bytes that may be read before asking the meter again
	waited  time.Duration // for the server, since the rate was last looked at
	came    int64         // bytes in that time
	freed   sync.Once
	closed  sync.Once
}

// send makes a request, whose answer b becomes the body of. At most want bytes will be read;
// 0 if their number is unknown. After a redirect of a public server, no private address is
// asked.
func (b *body) send(r *http.Request, want int64, redirected bool) (resp *http.Response, err error) {
	if b.granted, err = b.client.meter.begin(want); err != nil {
		return nil, err
	}
	b.inner, b.cancel = context.WithCancelCause(r.Context())
	b.alarm = time.AfterFunc(b.client.silence, func() { b.cancel(errSilent) })
	resp, b.public, err = b.client.transport.roundTrip(r.WithContext(b.inner), redirected)
	b.alarm.Stop()
	if err != nil {
		return nil, b.why(err)
	}
	b.reader = resp.Body
	return resp, nil
}

// Read returns io.EOF, or the errors of [broken].
func (b *body) Read(p []byte) (int, error) {
	if b.granted < int64(len(p)) {
		more, err := b.client.meter.more(int64(len(p)) - b.granted)
		if err != nil {
			return 0, &Error{Method: http.MethodGet, URL: Shown(b.url), Err: err}
		}
		b.granted += more
		p = p[:b.granted]
	}
	if b.waited >= b.client.silence {
		if float64(b.came) < lowestRate*b.waited.Seconds() {
			b.cancel(errSlow)
			return 0, broken(b.ctx, b.url, errSlow)
		}
		b.waited, b.came = 0, 0
	}
	began := time.Now()
	b.alarm.Reset(b.client.silence)
	n, err := b.reader.Read(p)
	b.alarm.Stop()
	b.waited += time.Since(began)
	b.came += int64(n)
	b.granted -= int64(n)
	b.client.meter.read(n)
	if err != nil && err != io.EOF {
		err = broken(b.ctx, b.url, b.why(err))
	}
	return n, err
}

// why returns errSilent if the alarm ended the request, and err otherwise.
func (b *body) why(err error) error {
	if b.ctx.Err() == nil && context.Cause(b.inner) == errSilent {
		return errSilent
	}
	return err
}

// release lets another request begin while this body is still open.
func (b *body) release() {
	b.freed.Do(func() {
		if b.free != nil {
			b.free()
		}
	})
}

// Close ends the request without waiting for the rest of the body.
func (b *body) Close() error {
	b.closed.Do(func() {
		if b.cancel != nil {
			b.cancel(context.Canceled)
		}
		if b.reader != nil {
			b.reader.Close()
		}
		b.client.meter.giveBack(b.granted)
		b.release()
	})
	return nil
}

// readGrowing reads n bytes, or fewer if the reader ends. It allocates memory as bytes arrive.
func readGrowing(r io.Reader, n int64) ([]byte, error) {
	data := make([]byte, 0, min(n, blockSize))
	for int64(len(data)) < n {
		if len(data) == cap(data) {
			data = append(make([]byte, 0, min(n, 4*int64(cap(data)))), data...)
		}
		m, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+m]
		if err == io.EOF {
			break
		} else if err != nil {
			return data, err
		}
	}
	return data, nil
}
