// Checkpoints of PyTorch as targets: their tensors, as a file of safetensors would have
// them.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/torch"
	"github.com/weightools/safetensors/store"
)

// A foreign is a checkpoint of PyTorch, or an archive of NumPy, that stands at the place
// of a target. The verbs that look at tensors are given a file of safetensors in its
// place, which is made as it is read: a header, and the bytes that its tensors have. So
// they need not know.
type foreign struct {
	name   string // its path in the store
	path   string // by which the user can open it
	object store.Object
	cp     *torch.Checkpoint
	made   *madeFile
}

// foreignHeads are what checkpoints begin with, besides pickles of protocols 2 and above:
// archives, and values of older pickles.
var foreignHeads = []string{"PK\x03\x04", "\x80", "(", "c", "]", "}", "L", "I"}

// lookForeign finds out whether the target is a checkpoint of PyTorch, or the index of
// one in shards. If it is, the place has it from then on as files of safetensors. The name
// of a file does not matter.
func (p *place) lookForeign(ctx context.Context) error {
	name := cmp.Or(p.chosen, p.within)
	switch {
	case name == "" || strings.HasSuffix(name, weightsEnd) || strings.HasSuffix(name, weightsEnd+".index.json"):
		return nil
	case isIndex(name):
		return p.lookForeignIndex(ctx, name)
	}
	object, err := p.store.Open(ctx, name)
	if err != nil {
		return nil // it is a folder, or not there: whoever opens it says so
	}
	f := &foreign{name: name, path: p.path(name), object: object}
	is, err := f.open(ctx)
	if !is || err != nil {
		object.Close()
		return err
	}
	s := &foreignStore{Store: p.store, files: map[string]*foreign{name: f}, list: []*foreign{f}}
	p.store, p.foreign = s, s
	return nil
}

// open reads the checkpoint. It returns false if it is none.
func (f *foreign) open(ctx context.Context) (is bool, err error) {
	head := make([]byte, min(f.object.Size(), 512))
	r := f.object.ReaderAt(ctx)
	if n, err := r.ReadAt(head, 0); n < len(head) {
		return false, err
	}
	tar := len(head) == 512 && string(head[257:262]) == "ustar"
	begins := false
	for _, magic := range foreignHeads {
		begins = begins || strings.HasPrefix(string(head), magic)
	}
	// The length of a header is a number of few bytes; that of a pickle would be of many.
	const lengthEnd = 5
	if !begins && !tar || len(head) > lengthSize && head[lengthSize] == '{' && string(head[lengthEnd:lengthSize]) == "\x00\x00\x00" {
		return false, nil
	}
	f.cp, err = torch.Open(r, f.object.Size(), nil)
	switch {
	case errors.Is(err, torch.ErrNotCheckpoint):
		return false, nil
	case err != nil:
		return true, fmt.Errorf("%q: %w", f.path, err)
	}
	return true, f.lay()
}

// lay makes the file.
func (f *foreign) lay() (err error) {
	e := safetensors.Encoder{Metadata: map[string]string{"format": "pt"}, KeepOrder: true}
	if f.cp.Format == torch.FormatNPZ {
		e.Metadata["format"] = "np"
	}
	if f.made, _, err = newMade(&e, f.cp.Tensors); err != nil {
		return fmt.Errorf("%q: %w", f.path, err)
	}
	for _, t := range f.cp.Tensors {
		f.made.add(&unbound{t}, 0, t.Size())
	}
	return nil
}

// An unbound reader is read on behalf of whoever opened the checkpoint, which stays open
// until the program ends: it may be opened again.
type unbound struct{ r io.ReaderAt }

func (u *unbound) ReaderAt(context.Context) io.ReaderAt { return u.r }

// remarks says what of the checkpoint is not shown, and what is to be known of it.
func (f *foreign) remarks(sess *cli.Session) {
	path := typeset.Name(f.path)
	if r := f.cp.Report; r != nil && r.Verdict == pickle.Dangerous {
		sess.Notice("%s is dangerous to load: weigh scan says why", path)
	}
	if f.cp.Root != "" {
		sess.Notice("%s: the tensors are those under %q", path, f.cp.Root)
	}
	var tensors, values, without int
	for _, s := range f.cp.Skipped {
		if s.Unsupported {
			without++
			continue
		}
		tensors, values = tensors+s.Tensors, values+s.Values
	}
	if without > 0 {
		sess.Notice("%s: not shown: %s for which safetensors has no form", path, typeset.Plural(int64(without), "tensor"))
	}
	if tensors > 0 {
		sess.Notice("%s: beside them %s and %s are not shown: weigh convert --dry-run lists them", path,
			typeset.Plural(int64(tensors), "tensor"), typeset.Plural(int64(values), "other value"))
	}
}
