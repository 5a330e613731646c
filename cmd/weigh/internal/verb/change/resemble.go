// Comparison of existing files with wanted ones.

package change

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/store"
)

const (
	// comparedPlaces is the number of samples, and comparedBytes the size of each.
	comparedPlaces, comparedBytes = 16, 4 << 10
	// comparedWhole is the size up to which files are compared completely, and the length of the
	// sample if a file can only be read from its beginning.
	comparedWhole = 256 << 10
)

// compared returns the byte ranges to compare. Headers are not enough: many models have the same
// header. Local files are compared completely, which whole reports.
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
		return inChunks(comparedWhole), false // more would cost as much as a download
	}
	for i := range int64(comparedPlaces) {
		begin := (size - comparedBytes) / (comparedPlaces - 1) * i
		spans = append(spans, safetensors.Span{Begin: begin, End: begin + comparedBytes})
	}
	return spans, false
}

// inChunks returns the first size bytes in ranges that fit into memory.
func inChunks(size int64) (spans []safetensors.Span) {
	const chunk = 1 << 20
	for off := int64(0); off < size; off += chunk {
		spans = append(spans, safetensors.Span{Begin: off, End: min(off+chunk, size)})
	}
	return spans
}

// noRival returns an error if another model exists under one of the names, such as an index next
// to model.safetensors: loaders disagree on which one they load.
func noRival(files []*wanted) error {
	var paths []string
	for _, w := range files {
		paths = append(paths, w.path)
	}
	if rival, path := shards.Rival("", paths); rival != "" {
		return fmt.Errorf("%s: the folder contains %q of another model: choose another folder, or allow it with --force",
			path, rival)
	}
	return nil
}

// equalIn reports whether an object and a file have the same bytes in some ranges.
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
