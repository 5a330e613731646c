// Parallel statistics.

package look

import (
	"context"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/stats"
)

// sideBySide is the number of tensors processed at once, each by one goroutine. A single tensor is
// split among several; see stats.Counter.
const sideBySide = 2

// countTensors computes the statistics of tensors. Rows are in the order of the list. It returns
// the error of the first tensor in the list that has one.
func countTensors(ctx context.Context, sess *cli.Session, c stats.Counter,
	list []*safetensors.Tensor) ([]values.StatsRow, error) {
	if len(list) > 1 {
		c.Workers = 1
	}
	rows := make([]values.StatsRow, len(list))
	done := new(cli.Progress)
	done.Expect(list)
	defer sess.ShowProgress(done)()
	return rows, cli.Parallel(ctx, sideBySide, len(list), func(ctx context.Context, i int) (err error) {
		t := *list[i]
		t.ReaderAt = &cancelable{ctx, list[i].ReaderAt}
		rows[i].TensorInfo = t.TensorInfo
		if rows[i].Summary, err = c.Of(&t); err == nil {
			rows[i].Summary.Exponents = stats.Exponents{} // up to 16 KiB, unused here
			done.Count(t.Size())
		}
		return err
	})
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
