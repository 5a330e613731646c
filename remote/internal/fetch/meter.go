// Counting and limiting what reading costs.

package fetch

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// A Meter counts requests and bytes, and may limit them. The zero Meter has no limits. It
// is safe for concurrent use.
type Meter struct {
	// MaxRequests limits the number of requests, including redirects, and MaxBytes the
	// bytes of answers that are read. Beyond a limit, reading fails with a
	// *[BudgetError]. 0 means no limit.
	MaxRequests, MaxBytes int64

	mu      sync.Mutex
	cost    Cost
	granted int64 // bytes that requests in flight may still read
}

// A Cost is the sum of what was spent.
type Cost struct {
	Requests int64 // including redirects
	Bytes    int64 // of bodies, as far as they were read
	Hits     int64 // calls to read or open that needed no request
}

// Cost returns what was spent so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cost
}

// A BudgetError is the error of a request that would exceed a limit of a [Meter].
type BudgetError struct {
	What string // "requests" or "bytes"
	Max  int64
}

// Error returns the error as one line.
func (e *BudgetError) Error() string {
	what := e.What
	if e.Max == 1 {
		what = strings.TrimSuffix(what, "s")
	}
	return fmt.Sprintf("the limit of %d %s is reached: raise it, or read less", e.Max, what)
}

// overBudget reports whether err wraps a BudgetError.
func overBudget(err error) bool {
	var e *BudgetError
	return errors.As(err, &e)
}

// begin counts a request. It may read as many bytes as begin returns before it has to ask
// for more.
func (m *Meter) begin(want int64) (granted int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.MaxRequests > 0 && m.cost.Requests >= m.MaxRequests {
		return 0, &BudgetError{"requests", m.MaxRequests}
	}
	if left := m.left(); m.MaxBytes > 0 && (left <= 0 || want > left) {
		return 0, &BudgetError{"bytes", m.MaxBytes}
	}
	m.cost.Requests++
	m.granted += want
	return want, nil
}

// left returns how many bytes are neither read nor granted. The caller holds the lock.
func (m *Meter) left() int64 { return m.MaxBytes - m.cost.Bytes - m.granted }

// most returns n, or the number of bytes left if that is smaller and positive: a
// speculative request can ask for less.
func (m *Meter) most(n int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if left := m.left(); m.MaxBytes > 0 && left > 0 {
		return min(n, left)
	}
	return n
}

// more grants n more bytes, or as many as are left.
func (m *Meter) more(n int64) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.MaxBytes > 0 {
		if n = min(n, m.left()); n <= 0 {
			return 0, &BudgetError{"bytes", m.MaxBytes}
		}
	}
	m.granted += n
	return n, nil
}

// read counts granted bytes as read.
func (m *Meter) read(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost.Bytes += int64(n)
	m.granted -= int64(n)
}

// giveBack returns granted bytes that were not read.
func (m *Meter) giveBack(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.granted -= n
}

// hit counts a call that needed no request.
func (m *Meter) hit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost.Hits++
}
