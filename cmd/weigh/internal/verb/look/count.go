// Parallel statistics.

package look

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/stats"
)

// sideBySide is the number of tensors processed at once, each by one goroutine. A single tensor is
// split among several; see stats.Counter.
const sideBySide = 2

// errOther cancels the remaining work after an error. It is not reported.
var errOther = errors.New("another tensor could not be counted")

// countTensors computes the statistics of tensors. Rows are in the order of the list. It returns
// the error of the first tensor in the list that has one.
func countTensors(ctx context.Context, sess *cli.Session, c stats.Counter,
	list []*safetensors.Tensor) ([]values.StatsRow, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if len(list) > 1 {
		c.Workers = 1
	}
	rows := make([]values.StatsRow, len(list))
	errs := make([]error, len(list))
	done := new(cli.Progress)
	done.Expect(list)
	defer sess.ShowProgress(done)()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(sideBySide, len(list)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(list)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				t := *list[i]
				t.ReaderAt = &cancelable{ctx, list[i].ReaderAt}
				rows[i].TensorInfo = t.TensorInfo
				var err error
				if rows[i].Summary, err = c.Of(&t); err != nil {
					if !errors.Is(err, errOther) {
						errs[i] = err
						cancel(errOther)
					}
					return
				}
				rows[i].Summary.Exponents = stats.Exponents{} // up to 16 KiB, unused here
				done.Count(t.Size())
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return rows, context.Cause(ctx)
}

// A cancelable reader fails when its context is done.
type cancelable struct {
	ctx context.Context
	io.ReaderAt
}

func (c *cancelable) ReadAt(b []byte, off int64) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.ReaderAt.ReadAt(b, off)
}
