// Data: reading every byte of every set once, with several goroutines.

package check

import (
	"cmp"
	"context"
	"fmt"
	"hash"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/hashing"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/stats"
	"github.com/weightools/safetensors/store"
)

// workers returns the number of goroutines that read and count. Each needs about 2 MiB.
func workers() int { return min(max(runtime.GOMAXPROCS(0), 2), 16) }

// A dataJudge judges the data of sets.
type dataJudge struct {
	progress func(done, total int64)
	done     atomic.Int64
	sizes    map[string]int64 // the bytes of tensors of each file
	total    int64
	read     map[string]bool // the files that were read: two indexes may share shards
	digested map[string]bool // the digests that were checked
}

// expect adds the tensors of a set to the total.
func (d *dataJudge) expect(m *weights) {
	if d.sizes == nil {
		d.sizes = make(map[string]int64)
	}
	for _, s := range m.shards {
		if _, known := d.sizes[s.path]; known || s.header == nil {
			continue
		}
		for i := range s.header.Tensors {
			d.sizes[s.path] += max(s.header.Tensors[i].Size(), 0)
		}
		d.total += d.sizes[s.path]
	}
}

// A reading is a shard to read, and what was found.
type reading struct {
	counted
	want tree.Digest // of the file; the zero value if it is not known
	made hash.Hash   // nil if it was not computed
	size int64       // of the file, if made is not nil
	err  error
}

// judge reads and judges the data of one set.
func (d *dataJudge) judge(ctx context.Context, m *weights) {
	cp := m.set.Open()
	defer cp.Close()
	jobs := d.readings(ctx, m, cp)
	// A digest keeps one goroutine busy, and counting another.
	each := max(2, workers()/max(len(jobs), 1))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(max(workers()/each, 1), len(jobs)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(jobs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				d.count(ctx, m, cp, jobs[i], each)
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return
	}
	var read []counted
	for _, job := range jobs {
		if job.err != nil {
			m.failed(job.path, job.err)
			continue
		}
		if job.made != nil {
			m.Check(job.path, job.size, job.want, job.made)
		}
		read = append(read, job.counted)
	}
	if err := cp.Unchanged(); err != nil {
		m.failed(m.set.Name, err)
	}
	if !isBlank(read) {
		m.judgeValues(read, m.isAdapter())
	}
	m.judgeTied(ctx, cp)
}

// readings returns the shards of a set that were not read yet.
func (d *dataJudge) readings(ctx context.Context, m *weights, cp *checkpoint.Checkpoint) (jobs []*reading) {
	for i := range m.shards {
		s := &m.shards[i]
		if s.header == nil || d.read[s.path] || ctx.Err() != nil {
			continue
		}
		d.read[s.path] = true
		job := &reading{counted: counted{shard: s}}
		want, ok := m.Expect(ctx, s.path)
		switch other, err := cp.Opened(ctx, s.path); {
		case err != nil:
			job.err = err
		case !ok || other != nil: // the reader of another format does not return the bytes of the file
		case want.Rule == RuleBlobDigest && d.digested[want.Want]:
			continue // another link to the same file
		default:
			job.want = want
			d.digested[want.Want] = true
		}
		jobs = append(jobs, job)
	}
	return jobs
}

// count reads the tensors of a shard and counts their values, with so many goroutines. If the digest of the file is
// known, it is computed by the same reads.
func (d *dataJudge) count(ctx context.Context, m *weights, cp *checkpoint.Checkpoint, job *reading, each int) {
	if job.err != nil {
		return
	}
	if job.want.Want == "" {
		var from io.ReaderAt
		if from, job.err = cp.ReaderAt(ctx, job.path); job.err == nil {
			job.verdicts, job.err = d.countParallel(from, job.shard, each)
		}
		return
	}
	object, err := m.From.Open(ctx, job.path)
	if err != nil {
		job.err = err
		return
	}
	defer object.Close()
	job.size = object.Size()
	job.made = hashing.New(job.want.Want, job.size)
	job.verdicts, err = d.countInOrder(hashing.NewReader(object.ReaderAt(ctx), job.made), job.shard, each)
	job.err = cmp.Or(err, store.Unchanged(object))
}

// countParallel counts several tensors at a time, each by one goroutine.
func (d *dataJudge) countParallel(from io.ReaderAt, s *shard, each int) ([]verdict, error) {
	tensors := s.header.Tensors
	verdicts, errs := make([]verdict, len(tensors)), make([]error, len(tensors))
	var next atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for range min(each, len(tensors)) {
		all.Go(func() {
			c := stats.Counter{Workers: 1}
			for i := next.Add(1) - 1; i < int64(len(tensors)) && !failed.Load(); i = next.Add(1) - 1 {
				verdicts[i], errs[i] = d.countOne(&c, from, s, &tensors[i])
				if errs[i] != nil {
					failed.Store(true)
				}
			}
		})
	}
	all.Wait()
	return verdicts, cmp.Or(errs...)
}

// countInOrder reads a file from start to end: the header, and then one tensor after the other, each by several
// goroutines.
func (d *dataJudge) countInOrder(from io.ReaderAt, s *shard, each int) ([]verdict, error) {
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
	c := stats.Counter{Workers: each}
	for _, i := range order {
		ti := &s.header.Tensors[i]
		var err error
		if ti.Dtype == safetensors.BOOL {
			_, err = io.Copy(io.Discard, s.section(from, ti))
			d.tell(ti.Size())
		} else {
			verdicts[i], err = d.countOne(&c, from, s, ti)
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

// tell reports n more bytes.
func (d *dataJudge) tell(n int64) {
	if done := d.done.Add(max(n, 0)); d.progress != nil {
		d.progress(done, d.total)
	}
}

// A toldReader reports the bytes that are read.
type toldReader struct {
	io.ReaderAt
	judge *dataJudge
}

// ReadAt implements io.ReaderAt.
func (r *toldReader) ReadAt(b []byte, off int64) (int, error) {
	n, err := r.ReaderAt.ReadAt(b, off)
	r.judge.tell(int64(n))
	return n, err
}

// countOne counts the values of one tensor. BOOL tensors are judged with their file, by the values of their
// bytes.
func (d *dataJudge) countOne(
	c *stats.Counter, from io.ReaderAt, s *shard, ti *safetensors.TensorInfo,
) (verdict, error) {
	if ti.Dtype == safetensors.BOOL || ti.Size() == 0 {
		d.tell(ti.Size())
		return verdict{}, nil
	}
	sum, err := c.Of(&safetensors.Tensor{TensorInfo: *ti, ReaderAt: &toldReader{s.section(from, ti), d}})
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

// judgeTied compares an output layer with the embedding to which the configuration ties it.
func (m *weights) judgeTied(ctx context.Context, cp *checkpoint.Checkpoint) {
	in, out := m.ends.embedding, m.ends.head
	if !m.described || !m.Tied() || in.info == nil || out.info == nil || !sameKind(in.info, out.info) {
		return
	}
	same, err := m.sameBytes(ctx, cp, in, out)
	switch {
	case err != nil && ctx.Err() == nil:
		m.failed(m.shards[out.shard].path, err)
	case err == nil && !same:
		m.found(m.shards[out.shard].path).Add(RuleTiedDiffers, out.info.Name, out.info.Entry,
			"tensor %s differs from %s, to which %s ties it", quote(out.info.Name), quote(in.info.Name), quote(m.main.Path))
	}
}

// sameBytes reports whether two tensors of the same dtype and shape have the same bytes.
func (m *weights) sameBytes(ctx context.Context, cp *checkpoint.Checkpoint, a, b end) (bool, error) {
	var readers [2]io.ReaderAt
	for i, e := range []end{a, b} {
		from, err := cp.ReaderAt(ctx, m.shards[e.shard].path)
		if err != nil {
			return false, err
		}
		readers[i] = m.shards[e.shard].section(from, e.info)
	}
	at, err := compare.First(ctx, readers[0], readers[1], a.info.Size(), nil)
	return at < 0, err
}
