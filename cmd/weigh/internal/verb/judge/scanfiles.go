// The files to scan.

package judge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/scanreport"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/pickle/scan"
	"github.com/weightools/safetensors/store"
)

// sideBySide is the largest number of files that are scanned at once. Each may take 64 MiB of memory. A scan of a remote
// file waits most of the time; other files have a processor each.
const sideBySide = 8

// A scanJob is a file to scan.
type scanJob struct {
	path  string         // as the user can open it
	name  string         // in the store
	at    *target.Target // nil for standard input
	links int            // number of further names
	size  int64
	ahead chan opened // gets the open file; nil unless it is remote

	report *scan.Report
	err    error
}

// scanAll scans all files of the targets, and records errors.
func scanAll(ctx context.Context, sess *cli.Session, scanner *scan.Scanner, targets []target.Name,
	found *scanreport.Scan) error {
	list := &scanList{byTime: make(map[int64][]linked), byPath: make(map[string]bool)}
	for _, arg := range targets {
		sess.AddInputs(string(arg))
		if err := list.add(ctx, sess, arg, found); err != nil {
			return err
		}
	}
	for _, job := range list.jobs {
		sess.AddInputs(job.path)
	}
	done := &cli.Progress{Unit: "file", Tensors: int64(len(list.jobs))}
	for _, job := range list.jobs {
		done.Bytes.Add(max(job.size, 0))
	}
	stop := sess.ShowProgress(done)
	scanJobs(ctx, sess, scanner, list.jobs, done)
	stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, job := range list.jobs {
		if job.err != nil {
			found.Unread = append(found.Unread, finding.Unread{File: job.path, Message: cli.Describe(job.err)})
			continue
		}
		found.Files = append(found.Files, scanreport.ScannedFile{Path: job.path, Size: job.size, Links: job.links,
			Report: job.report})
	}
	return nil
}

// scanJobs scans several files at a time.
func scanJobs(ctx context.Context, sess *cli.Session, scanner *scan.Scanner, jobs []*scanJob, done *cli.Progress) {
	var next atomic.Int64
	var workers sync.WaitGroup
	turns, parallel := openAhead(ctx, jobs), sideBySide
	if !slices.ContainsFunc(jobs, func(j *scanJob) bool { return j.ahead != nil }) {
		parallel = min(max(runtime.GOMAXPROCS(0), 2), parallel)
	}
	for range min(parallel, len(jobs)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(jobs)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				jobs[i].run(ctx, sess, scanner, done)
				if jobs[i].ahead != nil {
					<-turns
				}
			}
		})
	}
	workers.Wait()
}

// An opened is an open file, or the error of opening it.
type opened struct {
	store.Object
	err error
}

// openAhead opens remote files before their turn, because each takes a round trip or two. A file that was scanned
// must be taken from the channel that openAhead returns, which limits how far it is ahead.
func openAhead(ctx context.Context, jobs []*scanJob) (turns chan struct{}) {
	const most = 32 // files
	var remote []*scanJob
	for _, j := range jobs {
		if j.at != nil && j.at.Remote() {
			j.ahead = make(chan opened, 1)
			remote = append(remote, j)
		}
	}
	turns = make(chan struct{}, most)
	go func() {
		for _, j := range remote {
			select {
			case turns <- struct{}{}:
			case <-ctx.Done():
				return
			}
			go func() {
				object, err := j.at.Store.Open(ctx, j.name)
				j.ahead <- opened{object, err}
			}()
		}
	}()
	return turns
}

// open returns the open file.
func (j *scanJob) open(ctx context.Context) (store.Object, error) {
	if j.ahead == nil {
		return j.at.Store.Open(ctx, j.name)
	}
	select {
	case o := <-j.ahead:
		return o.Object, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// run scans the file.
func (j *scanJob) run(ctx context.Context, sess *cli.Session, scanner *scan.Scanner, done *cli.Progress) {
	if j.at == nil {
		f, size, err := sess.SpoolStdin()
		if err != nil {
			j.err = err
			return
		}
		defer os.Remove(f.Name())
		defer f.Close()
		j.size = size
		done.Bytes.Add(size)
		r := newScanReader(ctx, f, size, done)
		defer r.finish()
		j.report, j.err = scanner.Scan(r, size, "")
		return
	}
	object, err := j.open(ctx)
	if err != nil {
		j.err = err
		newScanReader(ctx, nil, j.size, done).finish()
		return
	}
	defer object.Close()
	done.Bytes.Add(object.Size() - j.size)
	j.size = object.Size()
	r := newScanReader(ctx, object.ReaderAt(ctx), j.size, done)
	defer r.finish()
	own := *scanner
	own.Beside = func(name string) (scan.File, int64, error) { return j.beside(ctx, name) }
	j.report, j.err = own.Scan(r, j.size, j.path)
	if err := store.Unchanged(object); err != nil {
		j.report, j.err = nil, err
	}
}

// beside opens another file in the folder of the job.
func (j *scanJob) beside(ctx context.Context, name string) (scan.File, int64, error) {
	object, err := j.at.Store.Open(ctx, path.Join(path.Dir(j.name), name))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotRegular) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return besideFile{object.ReaderAt(ctx), object}, object.Size(), nil
}

// A besideFile reads an object with one context.
type besideFile struct {
	io.ReaderAt
	io.Closer
}

// A scanList collects files without duplicates.
type scanList struct {
	jobs   []*scanJob
	byPath map[string]bool
	byTime map[int64][]linked // local files by modification time
}

// A linked is a local file, which may have several names.
type linked struct {
	info fs.FileInfo
	job  *scanJob
}

// add adds the files of a target.
func (l *scanList) add(ctx context.Context, sess *cli.Session, arg target.Name, found *scanreport.Scan) error {
	if arg == "-" {
		l.file(&scanJob{path: "-"})
		return nil
	}
	at, err := target.Open(ctx, sess, arg, checkpoint.Options{})
	var usage cli.UsageError
	if errors.As(err, &usage) {
		return err
	}
	if err == nil {
		at.WarnUnfinished(sess)
		err = l.place(ctx, at, found)
	}
	if err != nil && ctx.Err() == nil {
		found.Unread = append(found.Unread, finding.Unread{File: arg.String(), Message: cli.Describe(err)})
		err = nil
	}
	return err
}

// place adds the files at a location.
func (l *scanList) place(ctx context.Context, at *target.Target, found *scanreport.Scan) error {
	if at.Within != "" {
		object, err := at.Store.Open(ctx, at.Within)
		if err == nil {
			l.file(&scanJob{path: at.Path(at.Within), name: at.Within, at: at, size: max(object.Size(), 0)})
			return object.Close()
		}
		if !errors.Is(err, fs.ErrNotExist) || !at.Remote() {
			return err
		}
	}
	lister, ok := at.Store.(store.Lister)
	if !ok {
		return fmt.Errorf("%q does not list its files; name one of them", at.Path(at.Within))
	}
	before := len(l.byPath)
	for entry, err := range lister.List(ctx, at.Within) {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, store.ErrNotRegular): // devices, pipes and circular links
		case err != nil:
			found.Unread = append(found.Unread, finding.Unread{File: at.Path(entry.Name), Message: cli.Describe(err)})
		default:
			l.file(&scanJob{path: at.Path(entry.Name), name: entry.Name, at: at, size: max(entry.Size, 0)})
		}
	}
	if at.Within != "" && len(l.byPath) == before {
		return &fs.PathError{Op: "open", Path: at.Path(at.Within), Err: fs.ErrNotExist}
	}
	return nil
}

// file adds a file unless the list contains it, by the same name or by another one, as in the
// Hub's cache. It prefers names outside of "blobs", where files are named by digest.
func (l *scanList) file(job *scanJob) {
	if l.byPath[job.path] {
		return
	}
	l.byPath[job.path] = true
	info, err := os.Stat(job.path)
	if job.at == nil || job.at.Remote() || err != nil {
		l.jobs = append(l.jobs, job)
		return
	}
	when := info.ModTime().UnixNano()
	for _, other := range l.byTime[when] {
		if !os.SameFile(other.info, info) {
			continue
		}
		kept := other.job
		if path.Base(path.Dir(kept.path)) == "blobs" && path.Base(path.Dir(job.path)) != "blobs" {
			kept.path, kept.name, kept.at = job.path, job.name, job.at
		}
		kept.links++
		return
	}
	l.byTime[when] = append(l.byTime[when], linked{info, job})
	l.jobs = append(l.jobs, job)
}

// A scanReader counts the bytes of a file that were read: at most its size, though some are read again. It fails when
// the context is done.
type scanReader struct {
	io.ReaderAt
	ctx  context.Context
	done *cli.Progress
	left atomic.Int64 // bytes of the file that are not counted yet
}

// newScanReader returns a reader of a file.
func newScanReader(ctx context.Context, r io.ReaderAt, size int64, done *cli.Progress) *scanReader {
	c := &scanReader{ReaderAt: r, ctx: ctx, done: done}
	c.left.Store(size)
	return c
}

// ReadAt implements io.ReaderAt.
func (c *scanReader) ReadAt(b []byte, off int64) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.ReaderAt.ReadAt(b, off)
	c.done.Add(c.take(int64(n)))
	return n, err
}

// take subtracts up to n bytes from those that are left, and returns how many.
func (c *scanReader) take(n int64) int64 {
	for {
		left := c.left.Load()
		n = min(n, left)
		if c.left.CompareAndSwap(left, left-n) {
			return n
		}
	}
}

// finish counts the file and the bytes that were not read.
func (c *scanReader) finish() {
	c.done.Skip(c.take(c.left.Load()))
	c.done.Count(0)
}

// Prefetch implements [store.Prefetcher].
func (c *scanReader) Prefetch(off, n int64) {
	if ahead, ok := c.ReaderAt.(store.Prefetcher); ok {
		ahead.Prefetch(off, n)
	}
}
