// Files that are there, and may be those to fetch: as far as a few reads can tell.

package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/store"
)

const (
	// comparedPlaces is in how many places files are compared, with comparedBytes in each.
	comparedPlaces, comparedBytes = 16, 4 << 10
	// comparedWhole is up to which size a file is compared whole, and how much of one is
	// that can be read from its beginning alone.
	comparedWhole = 256 << 10
)

// compared returns which bytes of an object tell it from others of its size, of which
// there are many: models that were trained from one have the same header. All are
// compared of what is on this machine; whole says so.
func compared(ctx context.Context, o store.Object) (spans []safetensors.Span, whole bool) {
	size := o.Size()
	if f, ok := o.(*shards.SubsetFile); ok {
		return f.Samples(comparedPlaces, comparedBytes), false
	}
	if r, ok := o.ReaderAt(ctx).(interface{ ReadsFile() (*os.File, int64) }); ok {
		if file, _ := r.ReadsFile(); file != nil {
			return inChunks(size), true
		}
	}
	if size <= comparedWhole {
		return inChunks(size), true
	}
	if store.InOrder(o) {
		return inChunks(comparedWhole), false // the rest would cost as much as fetching it
	}
	for i := range int64(comparedPlaces) {
		begin := (size - comparedBytes) / (comparedPlaces - 1) * i
		spans = append(spans, safetensors.Span{Begin: begin, End: begin + comparedBytes})
	}
	return spans, false
}

// inChunks returns the first size bytes, in spans of which one fits memory.
func inChunks(size int64) (spans []safetensors.Span) {
	const chunk = 1 << 20
	for off := int64(0); off < size; off += chunk {
		spans = append(spans, safetensors.Span{Begin: off, End: min(off+chunk, size)})
	}
	return spans
}

// noRival returns the error of another model where files are to go, under the name of one
// of them: model.safetensors beside an index of that name and its shards. Some loaders
// would take the one, and some the other.
func noRival(files []*wanted) error {
	const suffix = ".index.json"
	ours := make(map[string]bool, len(files))
	for _, w := range files {
		ours[w.path] = true
	}
	for _, w := range files {
		rival, isIndex := strings.CutSuffix(w.path, suffix)
		if !isIndex {
			rival = w.path + suffix
		}
		if _, err := os.Stat(rival); err == nil && !ours[rival] {
			return fmt.Errorf("%s: it would stand beside %q, which is of another model: choose another folder, or allow it with --force", w.path, rival)
		}
	}
	return nil
}

// equalIn says whether an object and a file have the same bytes in these places.
func equalIn(ctx context.Context, o store.Object, f io.ReaderAt, spans []safetensors.Span) (bool, error) {
	var own, other []byte
	for _, s := range spans {
		if int64(cap(own)) < s.Len() {
			own, other = make([]byte, s.Len()), make([]byte, s.Len())
		}
		own, other = own[:s.Len()], other[:s.Len()]
		if n, err := o.ReaderAt(ctx).ReadAt(own, s.Begin); n < len(own) {
			return false, err
		}
		n, err := f.ReadAt(other, s.Begin)
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if n < len(other) || !bytes.Equal(own, other) {
			return false, nil
		}
	}
	return true, nil
}
