// Files that are read completely, such as indexes.

package shard

import (
	"context"
	"io"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/store"
)

// ReadText reads a file that is not larger than most.
func ReadText(ctx context.Context, from store.Store, path string, most int64) ([]byte, error) {
	object, err := OpenText(ctx, from, path, most)
	if err != nil {
		return nil, AtPath("open", path, err)
	}
	defer object.Close()
	if size := object.Size(); size > most {
		return nil, AtPath("open", path, finding.New(safetensors.RuleLimit, "", safetensors.Span{End: size},
			"the index takes %d bytes, more than the limit of %d", size, most))
	}
	text, err := bytesio.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
	if err != nil {
		return nil, AtPath("read", path, err)
	}
	return text, nil
}

// OpenText opens a file that will be read completely. A store may send its content with the answer
// to this request if it is not larger than the largest indexes.
func OpenText(ctx context.Context, from store.Store, path string, most int64) (store.Object, error) {
	const largest = 16 << 20 // bytes
	return store.OpenHead(ctx, from, path, min(most, largest))
}

// OpenTexts opens files that are read next, if they are several and on a network: together they take as long as
// one. Whoever reads them gets their errors.
func OpenTexts(ctx context.Context, from store.Store, names []string, most int64, parallel int) {
	if _, ok := from.(store.HeadOpener); !ok || len(names) < 2 {
		return
	}
	open := func(ctx context.Context, i int) error {
		object, err := OpenText(ctx, from, names[i], most)
		if err == nil {
			err = object.Close()
		}
		return err
	}
	for range bytesio.Ahead(ctx, parallel, len(names), open) {
		continue
	}
}
