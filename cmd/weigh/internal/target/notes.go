// Notes on files of other formats, and on files that are left out.

package target

import (
	"context"
	"fmt"
	"strings"

	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/filetype"
)

// weightsSuffix is the extension of safetensors files, which have no notes.
const weightsSuffix = ".safetensors"

// Format returns what a shard is if it is not a safetensors file, such as "pytorch-zip", and
// "" if it is one, or if it cannot be opened.
func Format(ctx context.Context, cp *checkpoint.Checkpoint, shard string) string {
	return describe(ctx, cp, shard).Variant
}

// describe returns the description of a shard, which is empty for a safetensors file, and
// for a file that cannot be opened: whoever reads the shard reports the error.
func describe(ctx context.Context, cp *checkpoint.Checkpoint, shard string) checkpoint.Description {
	if strings.HasSuffix(shard, weightsSuffix) {
		return checkpoint.Description{}
	}
	d, _ := cp.Describe(ctx, shard)
	return d
}

// Notes returns what the user needs to know of the files of a checkpoint, one sentence
// each. It opens no safetensors file.
func (t *Target) Notes(ctx context.Context, cp *checkpoint.Checkpoint) []string {
	var notes []string
	for _, shard := range cp.Shards() {
		for _, note := range describe(ctx, cp, shard).Notes {
			notes = append(notes, fmt.Sprintf("%s: %s", t.Path(shard), filetype.For(note, t.Path(shard))))
		}
	}
	return notes
}

// Unread returns a sentence for each model in another format that is beside safetensors
// files and was not read for that reason.
func (t *Target) Unread(sets []*checkpoint.Set) []string {
	if len(sets) == 0 {
		return nil
	}
	var notes []string
	for _, name := range sets[0].Unread() {
		notes = append(notes, fmt.Sprintf("%q is ignored, since there are safetensors files beside it: name it to read it",
			t.Path(name)))
	}
	return notes
}
