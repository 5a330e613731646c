// Retries: which failures, how often, and after how long.

package fetch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	firstPause = 500 * time.Millisecond
	lastPause  = 30 * time.Second

	// progress is the number of bytes after which failures are counted from zero again.
	progress = 64 << 10
)

// persist calls try until it succeeds, fails permanently, or fails too often. Try returns how
// many bytes it got; a transfer that makes progress between its failures is not given up.
func (c *client) persist(ctx context.Context, try func() (int64, error)) error {
	pause := firstPause
	got := int64(0) // since failures were counted from zero
	for failures := 0; ; {
		n, err := try()
		var e *Error
		if err == nil || !errors.As(err, &e) || !e.again {
			return err
		}
		if got += n; got >= progress {
			failures, got, pause = 0, 0, firstPause
		}
		if failures++; failures > c.retries {
			return err
		}
		if e.after > longest {
			err := fmt.Errorf("the server asks to wait for %v: try again then", e.after)
			return &Error{Method: e.Method, URL: e.URL, Status: e.Status, Err: err}
		}
		// The server's waiting time is added in hop. The random part spreads out requests
		// that were refused together.
		if err := sleep(ctx, pause/2+rand.N(pause)); err != nil {
			return &Error{Method: e.Method, URL: e.URL, Err: err}
		}
		pause = min(pause*3/2, lastPause)
	}
}
