// Checkpoints of PyTorch in a folder: which belong together, and the store in which they
// are files of safetensors.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// A foreignStore is a store in which checkpoints of PyTorch are files of safetensors. All
// else is what it was.
//
// Package checkpoint opens no shard whose name does not end as those of safetensors do: so
// the shards of an index have that end here, and the index says so. A file that is the
// target keeps its name.
type foreignStore struct {
	store.Store
	files map[string]*foreign // by the names that they have here
	list  []*foreign          // the same, in order
	index string              // the path of the index; "" if there is none
	text  []byte              // of the index
	// missed are the errors of shards that are not there. The index is silent of them.
	missed []error
}

// real returns the name that a file has in the store below.
func (s *foreignStore) real(name string) string {
	if f := s.files[name]; f != nil {
		return f.name
	}
	return name
}

// Open opens a file that is made, or any other as it is.
func (s *foreignStore) Open(ctx context.Context, name string) (store.Object, error) {
	if f := s.files[name]; f != nil {
		return f.made, nil
	}
	if name == s.index && s.index != "" {
		return madeText(s.text), nil
	}
	return s.Store.Open(ctx, name)
}

// A madeText is a file whose text is made.
type madeText []byte

func (m madeText) Size() int64                          { return int64(len(m)) }
func (m madeText) Close() error                         { return nil }
func (m madeText) ReaderAt(context.Context) io.ReaderAt { return bytes.NewReader(m) }

// look returns the sets at the place, for verbs that look at tensors. Where there are
// none of safetensors, those of PyTorch are in their place.
func (p *place) look(ctx context.Context) ([]*checkpoint.Set, error) {
	if err := p.lookForeign(ctx); err != nil {
		return nil, err
	}
	sets, err := p.sets(ctx)
	var none *checkpoint.NoWeightsError
	if p.foreign != nil || !errors.As(err, &none) {
		return sets, err
	}
	if p.chosen = p.choose(ctx, none.Foreign); p.chosen == "" {
		return nil, err
	}
	if err := p.lookForeign(ctx); err != nil {
		return nil, err
	}
	if p.foreign == nil {
		return nil, err
	}
	return p.sets(ctx)
}

// pickleEnds are what names of checkpoints of PyTorch end in, as far as folders are
// concerned: of a file that is named, the bytes decide.
var pickleEnds = []string{".bin", ".pt", ".pth", ".ckpt"}

// choose returns the path of the index, or of the one checkpoint, among the files of a
// folder; "" if nothing says which is meant.
func (p *place) choose(ctx context.Context, files []string) string {
	var names []string
	for _, name := range files {
		dir, base := path.Split(name)
		if strings.TrimSuffix(dir, "/") == p.within && slices.Contains(pickleEnds, path.Ext(base)) {
			names = append(names, name)
		}
	}
	if name := mainFile(names); name != "" {
		return name
	}
	for _, name := range names {
		index := indexOfShard(name)
		if index == "" {
			continue
		}
		if object, err := p.store.Open(ctx, index); err == nil {
			object.Close()
			return index
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// mainFile returns the file that libraries load from a folder, if it is among these.
func mainFile(names []string) string {
	var parts []string // of a model of which each process had one, with the same names
	for _, name := range names {
		switch base := path.Base(name); {
		case base == "pytorch_model.bin":
			return name
		case strings.HasPrefix(base, "consolidated."):
			parts = append(parts, name)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return ""
}

// indexOfShard returns the name of the index of a shard, as in
// "pytorch_model-00001-of-00002.bin"; "" if it is none by its name.
func indexOfShard(name string) string {
	end := path.Ext(name)
	stem, total, ok := cutLast(strings.TrimSuffix(name, end), "-of-")
	if !ok || strings.Trim(total, "0123456789") != "" {
		return ""
	}
	stem, number, ok := cutLast(stem, "-")
	if !ok || strings.Trim(number, "0123456789") != "" {
		return ""
	}
	return stem + end + ".index.json"
}

// cutLast is strings.Cut at the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// made returns the checkpoint that a file of the place is made of, or nil.
func (p *place) made(name string) *foreign {
	if p.foreign == nil {
		return nil
	}
	return p.foreign.files[name]
}

// remarkOnForeign says what is to be known of checkpoints that are shown, or that are not,
// since the folder has files of safetensors.
func remarkOnForeign(sess *cli.Session, p *place) {
	if p.foreign != nil {
		for _, f := range p.foreign.list {
			f.remarks(sess)
		}
		return
	}
	if p.within != "" || p.ref.Scheme != "file" {
		return // to list a folder elsewhere once more would cost a request
	}
	entries, err := os.ReadDir(p.ref.String())
	if err != nil {
		return // it is a file
	}
	var names []string
	twin := ""
	for _, e := range entries {
		names = append(names, e.Name())
		if isPickleIndex(e.Name()) {
			twin = e.Name()
		}
	}
	if twin = cmp.Or(twin, mainFile(names)); twin != "" {
		sess.Notice("%q is there, too, and not shown: name it to look at it", p.path(twin))
	}
}

// isPickleIndex says whether a name is that of an index of PyTorch's shards.
func isPickleIndex(name string) bool {
	stem, ok := strings.CutSuffix(name, ".index.json")
	return ok && slices.Contains(pickleEnds, path.Ext(stem))
}

// lookForeignIndex finds out whether an index names shards of PyTorch. If it does, the
// place has them from then on as shards of safetensors.
func (p *place) lookForeignIndex(ctx context.Context, name string) error {
	index, err := p.readIndex(ctx, name)
	if index == nil || err != nil {
		return err
	}
	s := &foreignStore{Store: p.store, index: name, files: make(map[string]*foreign)}
	dir := strings.TrimSuffix(name, path.Base(name))
	opened := make(map[string]*foreign) // by the names in the index
	for i := range index.Tensors {
		shard := index.Tensors[i].Shard
		if opened[shard] != nil {
			continue
		}
		if !isPlain(shard) {
			return fmt.Errorf("%q: the shard %s is no name of a file beside the index", p.path(name), wording.Quote(shard))
		}
		f := &foreign{name: dir + shard}
		opened[shard] = f
		s.list = append(s.list, f)
	}
	slices.SortFunc(s.list, func(a, b *foreign) int { return strings.Compare(a.name, b.name) })
	if err := p.openShards(ctx, s); err != nil {
		return err
	}
	index.Tensors = slices.DeleteFunc(index.Tensors, func(e checkpoint.IndexEntry) bool { return opened[e.Shard].cp == nil })
	if len(s.missed) > 0 {
		index.TotalSize = -1 // which is that of all
	}
	for i := range index.Tensors {
		index.Tensors[i].Shard += weightsEnd
	}
	if s.text, err = index.AppendText(nil); err != nil {
		return fmt.Errorf("%q: %w", p.path(name), err)
	}
	p.store, p.foreign = s, s
	return nil
}

// isPlain says whether the name of a shard stays in the folder of the index.
func isPlain(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, `\:`) && !strings.Contains("/"+name, "/.")
}

// readIndex reads an index, if its shards are not those of safetensors. It returns nil if
// they are, or if the index is for package checkpoint to complain about.
func (p *place) readIndex(ctx context.Context, name string) (*checkpoint.Index, error) {
	const most = 250_000_000 // bytes, as for checkpoint.Options
	object, err := p.store.Open(ctx, name)
	if err != nil {
		return nil, nil
	}
	defer object.Close()
	if object.Size() > most {
		return nil, nil
	}
	text, err := io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
	if err != nil {
		return nil, err
	}
	index, report := checkpoint.ParseIndex(text)
	broken := slices.ContainsFunc(report.Violations, func(v *safetensors.Violation) bool { return v.Rule == checkpoint.RuleIndexJSON })
	own := func(e checkpoint.IndexEntry) bool { return strings.HasSuffix(e.Shard, weightsEnd) }
	if broken || len(index.Tensors) == 0 || slices.ContainsFunc(index.Tensors, own) {
		return nil, nil
	}
	return index, nil
}

// openShards opens the files of a set, some at a time. One that is not there is taken note
// of; any other error is returned.
func (p *place) openShards(ctx context.Context, s *foreignStore) error {
	const atOnce = 8
	errs := make([]error, len(s.list))
	room := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, f := range s.list {
		room <- struct{}{}
		all.Go(func() {
			defer func() { <-room }()
			errs[i] = p.openShard(ctx, f)
		})
	}
	all.Wait()
	for i, f := range s.list {
		switch {
		case errors.Is(errs[i], fs.ErrNotExist):
			s.missed = append(s.missed, fmt.Errorf("%q is a shard of %q, and is not there: %w", f.path, p.path(s.index), fs.ErrNotExist))
		case errs[i] != nil:
			return errs[i]
		default:
			s.files[f.name+weightsEnd] = f
		}
	}
	s.list = slices.DeleteFunc(s.list, func(f *foreign) bool { return f.cp == nil })
	if len(s.list) == 0 {
		return s.missed[0]
	}
	return nil
}

// openShard opens one file of a set.
func (p *place) openShard(ctx context.Context, f *foreign) (err error) {
	f.path = p.path(f.name)
	if f.object, err = p.store.Open(ctx, f.name); err != nil {
		return err
	}
	is, err := f.open(ctx)
	if err == nil && !is {
		err = fmt.Errorf("%q is named as a shard, and is no checkpoint of PyTorch", f.path)
	}
	if err != nil {
		f.object.Close()
		f.cp = nil
	}
	return err
}
