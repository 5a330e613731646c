// The data: every byte of every set, read once by two goroutines.

package check

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/stats"
	"github.com/weightools/safetensors/store"
)

// sideBySide is how many goroutines read and count.
const sideBySide = 2

// A verdict is what is kept of a tensor's numbers.
type verdict struct {
	counted  bool // there are numbers, and they were counted
	zero     bool // all are zero
	constant bool // all are one other number
	below    bool // of infinities, there are negative ones alone
	full     bool // the largest is the largest byte
	nan, inf int64
}

// judgeData reads the data of all sets, and judges it. Bytes that two sets share, by
// an index each, are read for one.
func (r *repository) judgeData(ctx context.Context) {
	read, digested := make(map[string]bool), make(map[string]bool)
	for _, m := range r.models {
		var down []lora
		for i := range m.shards {
			s := &m.shards[i]
			if s.header == nil || read[s.path] {
				continue
			}
			read[s.path] = true
			verdicts, err := m.count(ctx, s, digested)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				r.failed(s.path, err)
				continue
			}
			m.judgeNumbers(s, verdicts)
			down = append(down, loras(s.header, verdicts)...)
		}
		m.judgeChange(down)
		m.judgeTied(ctx)
	}
	r.judgeBlobs(ctx, digested)
}

// count reads the tensors of a shard, and counts their numbers. The digest of the
// file is made of the same reads, if anything tells what it should be.
func (m *weights) count(ctx context.Context, s *shard, digested map[string]bool) ([]verdict, error) {
	object, err := m.from.Open(ctx, s.path)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	d, ok := m.expect(ctx, s.path)
	switch {
	case !ok:
		return m.countBeside(ctx, s, object)
	case d.rule == RuleBlobDigest && digested[d.want]:
		return nil, nil // it is the same file as another, by another link
	}
	made := d.hash(object.Size())
	verdicts, err := m.countInOrder(newDigester(object.ReaderAt(ctx), made), s)
	if err == nil {
		m.check(s.path, object.Size(), d, made)
	}
	digested[d.want] = true
	return verdicts, err
}

// countBeside counts tensors side by side, each by one goroutine.
func (m *weights) countBeside(ctx context.Context, s *shard, object store.Object) ([]verdict, error) {
	tensors := s.header.Tensors
	verdicts, errs := make([]verdict, len(tensors)), make([]error, len(tensors))
	from := object.ReaderAt(ctx)
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range min(sideBySide, len(tensors)) {
		workers.Go(func() {
			c := stats.Counter{Workers: 1}
			for i := next.Add(1) - 1; i < int64(len(tensors)) && !failed.Load(); i = next.Add(1) - 1 {
				verdicts[i], errs[i] = m.countOne(&c, from, s, &tensors[i])
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	return verdicts, cmp.Or(errs...)
}

// countInOrder reads a file from its start to its end: the header, and then one
// tensor after the other, each by two goroutines.
func (m *weights) countInOrder(from io.ReaderAt, s *shard) ([]verdict, error) {
	if _, err := io.Copy(io.Discard, io.NewSectionReader(from, 0, s.header.DataStart())); err != nil {
		return nil, err
	}
	order := make([]int, len(s.header.Tensors))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(s.header.Tensors[a].Offsets.Begin, s.header.Tensors[b].Offsets.Begin)
	})
	verdicts := make([]verdict, len(order))
	c := stats.Counter{Workers: sideBySide}
	for _, i := range order {
		ti := &s.header.Tensors[i]
		var err error
		if ti.Dtype == safetensors.BOOL {
			_, err = io.Copy(io.Discard, s.section(from, ti))
		} else {
			verdicts[i], err = m.countOne(&c, from, s, ti)
		}
		if err != nil {
			return nil, err
		}
	}
	return verdicts, nil
}

// section returns a reader of a tensor's bytes.
func (s *shard) section(from io.ReaderAt, ti *safetensors.TensorInfo) *io.SectionReader {
	at := s.header.FileSpan(ti)
	return io.NewSectionReader(from, at.Begin, at.Len())
}

// countOne counts the numbers of one tensor. Those of BOOL are judged with their file,
// by what their bytes are.
func (m *weights) countOne(c *stats.Counter, from io.ReaderAt, s *shard, ti *safetensors.TensorInfo) (verdict, error) {
	if m.opts.Progress != nil {
		defer m.opts.Progress(ti.Size())
	}
	if ti.Dtype == safetensors.BOOL || ti.Size() == 0 {
		return verdict{}, nil
	}
	sum, err := c.Of(&safetensors.Tensor{TensorInfo: *ti, ReaderAt: s.section(from, ti)})
	if err != nil {
		return verdict{}, fmt.Errorf("tensor %s: %w", quote(ti.Name), err)
	}
	v := verdict{counted: true, nan: sum.NaN, inf: sum.PosInf + sum.NegInf, below: sum.PosInf == 0}
	for _, flag := range sum.Flags() {
		v.zero = v.zero || flag == stats.AllZero
		v.constant = v.constant || flag == stats.Constant
	}
	v.full = ti.Dtype == safetensors.U8 && sum.Max.Float64() == 255
	return v, nil
}
