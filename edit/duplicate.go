// Tensors of one name in one header.

package edit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/compare"
)

// oneOfEach returns an error if a file has two tensors of one name and different bytes. The
// parser keeps the last, and mending the file would lose the bytes of the other.
func (s *source) oneOfEach(ctx context.Context) error {
	for _, f := range s.files {
		i := slices.IndexFunc(f.faults, func(f Fault) bool { return f.Rule == safetensors.RuleDuplicateName })
		if i < 0 {
			continue
		}
		v, err := f.oneOfEach(ctx)
		if err != nil {
			return err
		}
		if v != nil {
			return &fs.PathError{Op: "edit", Path: s.shown(f.name), Err: v}
		}
	}
	return nil
}

// oneOfEach returns the violation of the first tensor that another of the same name, with other
// bytes, replaces.
func (f *file) oneOfEach(ctx context.Context) (*safetensors.Violation, error) {
	text, err := f.start()
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text[8:]))
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("edit: read the header of %q again: %w", f.name, err)
	}
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		if err != nil {
			return nil, fmt.Errorf("edit: read the header of %q again: %w", f.name, err)
		}
		if name == "__metadata__" {
			continue
		}
		kept := f.header.Lookup(name.(string))
		was := offsetsOf(value)
		if kept == nil || was == kept.Offsets {
			continue
		}
		if same, err := f.equal(ctx, was, kept.Offsets); same || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		end := 8 + d.InputOffset()
		return &safetensors.Violation{
			Rule: safetensors.RuleDuplicateName, Severity: safetensors.Nonconforming, Tensor: kept.Name,
			Span: safetensors.Span{Begin: end - int64(len(value)), End: end},
			Detail: fmt.Sprintf("two tensors are called %s and have different bytes, [%d, %d) and [%d, %d) of the data",
				quote(kept.Name), was.Begin, was.End, kept.Offsets.Begin, kept.Offsets.End),
			Fix: "Find out which of the two is right.",
		}, nil
	}
	return nil, nil
}

// offsetsOf returns the offsets of an entry, an object or an array of three values.
func offsetsOf(entry json.RawMessage) (span safetensors.Span) {
	var members map[string]json.RawMessage
	var values []json.RawMessage
	text := json.RawMessage("[]")
	if json.Unmarshal(entry, &members) == nil {
		text = members["data_offsets"]
	} else if json.Unmarshal(entry, &values) == nil && len(values) == 3 {
		text = values[2]
	}
	var at []int64
	if json.Unmarshal(text, &at) == nil && len(at) == 2 {
		span = safetensors.Span{Begin: at[0], End: at[1]}
	}
	return span
}

// equal reports whether two spans of the data have the same bytes.
func (f *file) equal(ctx context.Context, a, b safetensors.Span) (bool, error) {
	start := f.header.DataStart()
	if a.Begin < 0 || a.Begin > a.End || a.End > f.size-start || a.Len() != b.Len() {
		return false, nil
	}
	first, err := compare.First(ctx, io.NewSectionReader(f.data, start+a.Begin, a.Len()),
		io.NewSectionReader(f.data, start+b.Begin, b.Len()), a.Len(), nil)
	return first < 0, err
}
