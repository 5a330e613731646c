// Companions: the files that belong to weights, carried to another folder.

package shards

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/internal/compare"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/store"
)

// Companions are the files of a folder that belong to its weights, by [filetype.IsCompanion]: configurations,
// tokenizers, chat templates, licenses, and the like.
type Companions struct {
	Files []Companion

	// Others are the paths of other files in the folder, which are neither companions nor weights. Hidden files are
	// not listed.
	Others []string

	// Unreadable are the paths of companions that the user may not read. They are among Others, too.
	Unreadable []string

	// Listed has all files of the folder that are not hidden, with those in subfolders, whatever they are.
	Listed []Companion

	// Unlisted is set if the store cannot list files. Then nothing is known of companions.
	Unlisted bool

	staged []*atomicfile.File
	made   []string // folders that Stage has created, outer ones first
}

// A Companion is one of them.
type Companion struct {
	Name string // relative to the folder, with slashes
	Path string // for users
	Size int64
	Kept bool // set by Stage and Check if the output folder has the same file already

	from  store.Store
	place string // in the store
	text  []byte // the content, if it was replaced
}

const (
	maxListed     = 100_000  // files of a folder that are looked at
	maxCompanions = 1000     // files; more are no model
	maxCompanion  = 1 << 30  // bytes of a file; tokenizers take 100 MB at most
	maxText       = 16 << 20 // bytes that ReadText reads
)

// FindCompanions lists the companions in a folder of a store. Show returns the path of a file for users. Subfolders
// belong to a model if ours, which may be nil, reports that a file in them does, or if the folder is a pipeline; and
// chat templates have a folder of their own. A subfolder with weights that are not ours is another model. A symbolic
// link that leads out of the folder is followed only to where all weights are, too: a model that was downloaded must
// not collect other files of its user.
func FindCompanions(ctx context.Context, from store.Store, folder string, show func(string) string,
	ours func(name string) bool) (*Companions, error) {
	lister, ok := from.(store.Lister)
	if !ok {
		return &Companions{Unlisted: true}, nil
	}
	s := &companionSearch{from: from, folder: folder, show: show, foreign: make(map[string]bool), own: make(map[string]bool)}
	n := 0
	for e, err := range lister.List(ctx, folder) {
		if n++; n > maxListed {
			break
		}
		if err == nil {
			s.add(e, ours)
		} else if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return s.found(ctx)
}

// A companionSearch collects the files of a folder.
type companionSearch struct {
	from     store.Store
	folder   string
	show     func(string) string
	listed   []Companion
	files    []Companion
	others   []string
	weights  []string        // paths in the store
	foreign  map[string]bool // folders with other weights
	own      map[string]bool // folders with our weights
	pipeline bool
}

// add adds a file.
func (s *companionSearch) add(e store.Entry, ours func(string) bool) {
	name := strings.TrimPrefix(strings.TrimPrefix(e.Name, s.folder), "/")
	if strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return
	}
	one := Companion{Name: name, Path: s.show(e.Name), Size: e.Size, from: s.from, place: e.Name}
	dir := path.Dir(name)
	s.listed = append(s.listed, one)
	switch {
	case ours != nil && ours(e.Name):
		s.own[dir] = true
		s.weights = append(s.weights, e.Name)
	case filetype.WeightsFormat(name) != "":
		s.foreign[dir] = true
		s.weights = append(s.weights, e.Name)
	case strings.HasSuffix(name, indexSuffix):
	case filetype.IsCompanion(name):
		s.pipeline = s.pipeline || name == "model_index.json" || name == "modules.json"
		s.files = append(s.files, one)
	case dir == ".":
		s.others = append(s.others, one.Path)
	}
}

// takes reports whether files of a subfolder belong to the model.
func (s *companionSearch) takes(dir string) bool {
	if dir == "." || dir == "additional_chat_templates" {
		return true
	}
	for d := dir; d != "."; d = path.Dir(d) {
		if s.foreign[d] && !s.own[d] {
			return false
		}
	}
	return s.pipeline || s.own[dir]
}

// found returns the companions.
func (s *companionSearch) found(ctx context.Context) (*Companions, error) {
	c := &Companions{Others: s.others, Listed: s.listed}
	for _, one := range s.files {
		if !s.takes(path.Dir(one.Name)) {
			continue
		}
		inside, err := s.inside(ctx, one.place)
		if errors.Is(err, fs.ErrPermission) {
			c.Unreadable = append(c.Unreadable, one.Path)
		} else if err != nil {
			return nil, err
		}
		if !inside || len(c.Files) == maxCompanions || one.Size > maxCompanion {
			c.Others = append(c.Others, one.Path)
			continue
		}
		c.Files = append(c.Files, one)
	}
	slices.Sort(c.Others)
	return c, nil
}

// inside reports whether a file is where its name says, or where the weights are. Remote files are.
func (s *companionSearch) inside(ctx context.Context, name string) (bool, error) {
	local, real, err := s.place(ctx, name)
	if err != nil || local == "" {
		return err == nil, err
	}
	root, err := filepath.EvalSymlinks(filepath.Clean(strings.TrimSuffix(local, filepath.FromSlash(
		strings.TrimPrefix(strings.TrimPrefix(name, s.folder), "/")))))
	if err != nil {
		return false, err
	}
	if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
		return true, nil
	}
	for _, w := range s.weights {
		if _, at, err := s.place(ctx, w); err != nil || filepath.Dir(at) != filepath.Dir(real) {
			return false, nil
		}
	}
	return len(s.weights) > 0, nil
}

// place returns the local name of a file and the name that it has with links followed; "" if it is remote.
func (s *companionSearch) place(ctx context.Context, name string) (local, real string, err error) {
	o, err := s.from.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrNotRegular) {
		return "", "", nil
	}
	if err != nil {
		return "", "", err
	}
	defer o.Close()
	f := fileBehind(o.ReaderAt(ctx))
	if f == nil {
		return "", "", nil
	}
	if local, err = filepath.Abs(f.Name()); err != nil {
		return "", "", err
	}
	real, err = filepath.EvalSymlinks(local)
	return local, real, err
}

// Add adds the companions of another input. Of two different files with one name, the first is carried.
func (c *Companions) Add(ctx context.Context, more *Companions) error {
	c.Others, c.Unlisted = append(c.Others, more.Others...), c.Unlisted || more.Unlisted
	c.Unreadable = append(c.Unreadable, more.Unreadable...)
	for i := range more.Files {
		one := &more.Files[i]
		n := slices.IndexFunc(c.Files, func(other Companion) bool { return other.Name == one.Name })
		if n < 0 {
			c.Files = append(c.Files, *one)
			continue
		}
		same, err := sameText(ctx, &c.Files[n], one)
		if err != nil {
			return err
		}
		if !same {
			c.Others = append(c.Others, one.Path)
		}
	}
	return nil
}

// sameText reports whether two companions have the same bytes.
func sameText(ctx context.Context, a, b *Companion) (bool, error) {
	if a.Size != b.Size {
		return false, nil
	}
	r, closeFile, err := a.open(ctx)
	if err != nil {
		return false, err
	}
	defer closeFile()
	return b.equals(ctx, r)
}

// equals reports whether the file has the bytes of r.
func (f *Companion) equals(ctx context.Context, r io.ReaderAt) (bool, error) {
	own, closeFile, err := f.open(ctx)
	if err != nil {
		return false, err
	}
	defer closeFile()
	at, err := compare.First(ctx, own, r, f.Size, nil)
	return at < 0, err
}

// open opens the content.
func (f *Companion) open(ctx context.Context) (r io.ReaderAt, closeFile func(), err error) {
	if f.text != nil {
		return bytes.NewReader(f.text), func() {}, nil
	}
	o, err := f.from.Open(ctx, f.place)
	if err != nil {
		return nil, nil, err
	}
	if o.Size() != f.Size {
		return nil, nil, errors.Join(fmt.Errorf("shards: %s: %w", wording.Quote(f.Path), store.ErrChanged), o.Close())
	}
	return o.ReaderAt(ctx), func() { o.Close() }, nil
}

// Open opens the file.
func (f *Companion) Open(ctx context.Context) (store.Object, error) { return f.from.Open(ctx, f.place) }

// Stored returns the path of the file in its store.
func (f *Companion) Stored() string { return f.place }

// ReadText returns the content of a small file.
func (f *Companion) ReadText(ctx context.Context) ([]byte, error) {
	if f.Size > maxText {
		return nil, fmt.Errorf("shards: %s has %s, more than expected of a text", wording.Quote(f.Path),
			wording.Count(f.Size, "byte"))
	}
	r, closeFile, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer closeFile()
	text := make([]byte, f.Size)
	return text, bytesio.ReadFull(r, text, 0)
}

// NewCompanion returns a companion with the given content, which no store has.
func NewCompanion(name string, text []byte) Companion {
	return Companion{Name: name, Path: name, Size: int64(len(text)), text: text}
}

// Replace replaces the content.
func (f *Companion) Replace(text []byte) { f.text, f.Size = text, int64(len(text)) }

// Size returns how many bytes Stage writes at most.
func (c *Companions) Size() (n int64) {
	for i := range c.Files {
		n += c.Files[i].Size
	}
	return n
}
