// Meters: what reading has cost, and how much it may.

package remote

import (
	"errors"
	"fmt"
	"sync"
)

// A Meter counts what the stores of one [Opener] cost, and may bound it. It may be read
// at any time. The zero Meter has no bounds.
type Meter struct {
	// MaxRequests is how many requests are made at most, redirects among them, and
	// MaxBytes how many bytes of answers are read. Past either, reading ends with
	// a *[BudgetError]. 0 means no bound.
	MaxRequests, MaxBytes int64

	mu      sync.Mutex
	cost    Cost
	granted int64 // bytes that requests under way may yet read
}

// A Cost is what was spent.
type Cost struct {
	Requests int64 // redirects among them
	Bytes    int64 // of the bodies of answers, as far as they were read
	Hits     int64 // reads and openings that cost no request, since the bytes were there
}

// Cost returns what was spent so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cost
}

// errBudget is what a BudgetError is to errors.Is.
var errBudget = errors.New("the budget is spent")

// A BudgetError is that of a request that would cost more than a [Meter] allows.
type BudgetError struct {
	What string // "requests" or "bytes"
	Max  int64
}

// Error returns which budget was spent, in one line.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("the budget of %d %s is spent: allow more, or ask for less", e.Max, e.What)
}

// Unwrap returns an error of this package.
func (e *BudgetError) Unwrap() error { return errBudget }

// begin counts a request, which may read as many bytes as it returns before it asks
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

// left returns how many bytes nobody was granted yet. The caller has the lock.
func (m *Meter) left() int64 { return m.MaxBytes - m.cost.Bytes - m.granted }

// most returns n, or as many bytes as are left if these are fewer and some: a request
// that is made on speculation may as well ask for less.
func (m *Meter) most(n int64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if left := m.left(); m.MaxBytes > 0 && left > 0 {
		return min(n, left)
	}
	return n
}

// more grants n more bytes, or as many as there are.
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

// read counts bytes that were granted.
func (m *Meter) read(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost.Bytes += int64(n)
	m.granted -= int64(n)
}

// giveBack takes back what was granted and not read.
func (m *Meter) giveBack(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.granted -= n
}

// hit counts what cost no request.
func (m *Meter) hit() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cost.Hits++
}
