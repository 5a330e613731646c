// Layers that are tar archives, whose members are read in place.

package oci

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/weightools/safetensors/remote/internal/fetch"
	"github.com/weightools/safetensors/store"
)

// A member is a file in an archive.
type member struct {
	name string
	file
}

// unpack returns all files: those that are layers, and the members of archives. The archives are read at the same time.
func (a *artifact) unpack(ctx context.Context) (map[string]file, error) {
	const parallel = 16
	slots := make(chan struct{}, parallel)
	members, errs := make([][]member, len(a.tars)), make([]error, len(a.tars))
	var room atomic.Int64 // for files of all archives
	room.Store(maxFiles)
	var all sync.WaitGroup
	for i, l := range a.tars {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			members[i], errs[i] = a.members(ctx, l, &room)
		})
	}
	all.Wait()
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	files := maps.Clone(a.files)
	for _, list := range members {
		for _, m := range list {
			if err := add(files, m.name, m.file); err != nil {
				return nil, fmt.Errorf("%s: %w", a.ref, err)
			}
		}
	}
	return files, nil
}

// skipped are the types of members that have no content.
var skipped = string([]byte{tar.TypeDir, tar.TypeLink, tar.TypeSymlink, tar.TypeChar, tar.TypeBlock, tar.TypeFifo,
	tar.TypeXGlobalHeader})

// members returns the files of an archive, as its headers say. Like Docker, it skips links and devices.
func (a *artifact) members(ctx context.Context, l layer, room *atomic.Int64) ([]member, error) {
	o, err := a.blob(ctx, l, 0)
	if err != nil {
		return nil, err
	}
	defer o.Close()
	bytes := io.NewSectionReader(o.ReaderAt(ctx), 0, o.Size())
	archive := tar.NewReader(bytes)
	var list []member
	for {
		h, err := archive.Next()
		if err == io.EOF {
			return list, nil
		}
		if room.Add(-1) < 0 {
			return nil, fmt.Errorf("%s: the archives have more than %d members", a.ref, maxFiles)
		}
		var failed *fetch.Error
		switch {
		case errors.As(err, &failed):
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("%s: layer %s is not a valid tar archive: %w", a.ref, l.Digest, err)
		case strings.ContainsRune(skipped, rune(h.Typeflag)):
			continue
		case h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeCont || isSparse(h):
			return nil, fmt.Errorf("%s: %q in layer %s is a sparse file or of unknown type %q, which is unsupported", a.ref,
				h.Name, l.Digest, h.Typeflag)
		}
		begin, err := bytes.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		if h.Size > l.Size-begin {
			return nil, fmt.Errorf("%s: layer %s is truncated in the file %q", a.ref, l.Digest, h.Name)
		}
		list = append(list, member{h.Name, file{layer: l, isMember: true, begin: begin, size: h.Size}})
	}
}

// isSparse reports whether an archive stores a member without its holes.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// member opens a member of an archive, and prepares for reading its first n bytes.
func (a *artifact) member(ctx context.Context, f file, n int64) (store.Object, error) {
	o, err := a.blob(ctx, f.layer, 0)
	if err != nil {
		return nil, err
	}
	if p, ok := o.ReaderAt(ctx).(store.Prefetcher); ok && n > 0 {
		p.Prefetch(f.begin, min(n, f.size))
	}
	return &part{o, f}, nil
}

// A part is the object of a member: a part of the object of its layer.
type part struct {
	layer store.Object
	file
}

// Size implements [store.Object].
func (p *part) Size() int64 { return p.size }

// Close implements [store.Object].
func (p *part) Close() error { return p.layer.Close() }

// Version implements [store.Version].
func (p *part) Version() string { return fmt.Sprintf("%s+%d", p.file.layer.Digest, p.begin) }

// InOrder implements [store.InOrder].
func (p *part) InOrder() bool { return store.InOrder(p.layer) }

// mostAround is the maximum number of bytes around a member that are read to prove it.
const mostAround = 256 << 10

// Checksum implements [store.Checksum]. The registry knows the digest of the layer. If there is little around the
// member, as in the layers of KitOps with one file each, it proves the member, too.
func (p *part) Checksum(ctx context.Context) *store.Sum {
	end := p.begin + p.size
	digest, ok := store.SHA256(p.layer)
	if !ok || p.begin+p.layer.Size()-end > mostAround {
		return nil
	}
	before, after := make([]byte, p.begin), make([]byte, p.layer.Size()-end)
	r := p.layer.ReaderAt(ctx)
	if _, err := io.ReadFull(io.NewSectionReader(r, 0, p.begin), before); err != nil {
		return nil
	}
	if _, err := io.ReadFull(io.NewSectionReader(r, end, int64(len(after))), after); err != nil {
		return nil
	}
	return store.NewSum("SHA-256", digest[:]).Within(before, after)
}

// SameAs implements [store.Same].
func (p *part) SameAs(other store.Object) bool {
	q, ok := other.(*part)
	return ok && p.size == q.size && p.Version() == q.Version()
}

// ReaderAt implements [store.Object].
func (p *part) ReaderAt(ctx context.Context) io.ReaderAt { return &reader{p, p.layer.ReaderAt(ctx)} }

// A reader reads a part for one task.
type reader struct {
	*part
	layer io.ReaderAt
}

var _ store.Prefetcher = (*reader)(nil)

// ReadAt implements [io.ReaderAt].
func (r *reader) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fmt.Errorf("negative offset %d: %w", off, fs.ErrInvalid)
	}
	n := min(int64(len(p)), max(r.size-off, 0))
	got, err := r.layer.ReadAt(p[:n], r.begin+min(off, r.size)) // fails if the object is closed
	if err == nil && n < int64(len(p)) {
		err = io.EOF
	}
	return got, err
}

// Prefetch implements [store.Prefetcher].
func (r *reader) Prefetch(off, n int64) {
	if p, ok := r.layer.(store.Prefetcher); ok && off >= 0 && n > 0 && off < r.size {
		p.Prefetch(r.begin+off, min(n, r.size-off))
	}
}
