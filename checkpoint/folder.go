// The folder: what is in it and below it, by name, and the indexes among that.

package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/store"
)

// A folder is where sets are looked for. What is found out about it is kept, so
// that opening it, and judging it later, come to the same sets and read each
// header once.
type folder struct {
	from   store.Store
	opts   *Options
	shards *shard.Options
	path   string // "" for the root of the store

	listed   bool              // from could say what it holds; then the rest is known
	places   map[string]*place // by path; that of the folder itself is among them
	parts    map[string]bool   // what a model_index.json names; nil if there is none
	foreign  []string          // files of other formats, by their names
	declared []string          // indexes of shards of Options.Formats
	adopted  bool              // the places have files of other formats, for lack of safetensors files
	problems []error           // what could not be looked at

	turn    shard.Turn // of those who sort
	claimed map[string]bool
	sorted  []*Set // all sets, once they are known

	mu       sync.Mutex
	known    map[string]*shard.Knowledge          // of shards, by path
	byNumber map[naming.Numbering][]naming.Number // of the weights that were listed; nil until it is asked for
}

// A place is one folder's own files.
type place struct {
	path    string
	indexes []string
	weights []string

	candidates *candidates // nil until they are known
}

// list finds out what the folder holds. If there is no such folder it returns
// missing, which is nil for the root.
func (f *folder) list(ctx context.Context, missing error) error {
	lister, ok := f.from.(store.Lister)
	switch {
	case !ok && strings.HasSuffix(f.path, naming.WeightsSuffix):
		return missing // no folder is called that
	case !ok:
		return f.probe(ctx)
	}
	f.listed = true
	seen := f.path == ""
	for e, err := range lister.List(ctx, f.path) {
		if err != nil && e.Name == "" {
			if missing != nil && shard.IsMissing(err) {
				return missing // which has the whole path
			}
			return err
		}
		name, below := naming.CutFolder(e.Name, f.path)
		if !below {
			continue
		}
		seen = true
		if !naming.IsHidden(name) {
			f.add(e.Name, err)
		}
	}
	switch {
	case !seen:
		return missing
	case len(f.places) == 0:
		if err := f.adopt(ctx); err != nil {
			return err
		}
	}
	return f.readParts(ctx)
}

// add takes note of a name in the listing, and of why it could not be looked at.
// A folder that could not be may hold a copy of the model, so that is a problem
// to report; what else leads to nowhere is not.
func (f *folder) add(name string, err error) {
	switch base := path.Base(name); {
	case IsIndex(base):
		p := f.place(naming.Folder(name))
		p.indexes = append(p.indexes, name)
	case strings.HasSuffix(base, naming.WeightsSuffix):
		p := f.place(naming.Folder(name))
		p.weights = append(p.weights, name) // opening it gives err again
	case shard.IsMissing(err), errors.Is(err, store.ErrNotRegular): // a link to nowhere, or a pipe: none of this package's business
	case err != nil:
		f.problems = append(f.problems, err)
	case name == path.Join(f.path, "model_index.json"):
		f.parts = make(map[string]bool) // until it is read
	case f.opts.isOtherIndex(base):
		f.declared = append(f.declared, name)
	case foreignFormat(base) != "" || f.opts.formatOf(base) != nil:
		f.foreign = append(f.foreign, name)
	}
}

func (f *folder) place(path string) *place {
	p, ok := f.places[path]
	if !ok {
		p = &place{path: path}
		f.places[path] = p
	}
	return p
}

// inOrder returns the places: the folder itself, and then the others by path.
// So an index is read before the folders below it, in which its shards may be.
func (f *folder) inOrder() []*place {
	var places []*place
	for _, p := range f.places {
		places = append(places, p)
	}
	slices.SortFunc(places, func(a, b *place) int {
		return cmp.Or(boolOrder(a.path != f.path, b.path != f.path), cmp.Compare(a.path, b.path))
	})
	return places
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// numbers returns the numbers of the weights that were listed. Their names are
// taken apart once, for however many sets.
func (f *folder) numbers() map[naming.Numbering][]naming.Number {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byNumber == nil {
		f.byNumber = make(map[naming.Numbering][]naming.Number)
		for _, p := range f.places {
			for _, path := range p.weights {
				if n, number, ok := naming.Numbered(path); ok {
					f.byNumber[n] = append(f.byNumber[n], number)
				}
			}
		}
	}
	return f.byNumber
}

// probe looks for the names that are usual, in a store that cannot say what it
// holds. The first that is there is all that is found: each question costs a
// request, and a web server has few reasons to have more.
func (f *folder) probe(ctx context.Context) error {
	for _, stem := range []string{"model", "diffusion_pytorch_model", "adapter_model", "consolidated"} {
		for _, suffix := range []string{naming.WeightsSuffix + ".index.json", naming.WeightsSuffix} {
			name := path.Join(f.path, stem+suffix)
			open := f.openText
			if suffix == naming.WeightsSuffix {
				open = f.from.Open
			}
			object, err := open(ctx, name)
			if shard.IsMissing(err) {
				continue
			} else if err != nil {
				return atPath("open", name, err)
			}
			f.add(name, nil)
			return object.Close()
		}
	}
	return f.noWeights()
}

// readParts reads which sub-folders the model_index.json names. It is what the
// library diffusers writes: a member for each part, by the name of its folder.
//
// Only the names of its members are of use. So it is scanned as far as it is
// JSON, and no further: it is for diffusers to complain about the rest.
func (f *folder) readParts(ctx context.Context) error {
	if f.parts == nil {
		return nil
	}
	text, err := f.readText(ctx, path.Join(f.path, "model_index.json"))
	if err != nil {
		return err
	}
	s := jsonscan.New(text)
	err = s.Open(jsonscan.Object)
	for first := true; err == nil; first = false {
		var more bool
		if more, err = s.More(jsonscan.Object, first); !more || err != nil {
			break
		}
		var key jsonscan.Str
		if key, err = s.Key(); err == nil {
			f.parts[string(s.Text(key.Begin, key.End))] = true
			_, _, err = s.Skip()
		}
	}
	for p := range f.places {
		if f.isPart(p) {
			return nil
		}
	}
	f.parts = nil // it names nothing that is here
	return nil
}

// isPart says whether the place of that path is a part that model_index.json
// names.
func (f *folder) isPart(place string) bool {
	name, below := naming.CutFolder(place, f.path)
	first, _, _ := strings.Cut(name, "/")
	return below && f.parts[first]
}

// readText reads a whole file that is no larger than an index may be.
func (f *folder) readText(ctx context.Context, path string) ([]byte, error) {
	object, err := f.openText(ctx, path)
	if err != nil {
		return nil, atPath("open", path, err)
	}
	defer object.Close()
	if size, most := object.Size(), f.opts.MaxIndexSize; size > most {
		return nil, atPath("open", path, finding.New(safetensors.RuleLimit, "", safetensors.Span{End: size}, "the index takes %d bytes, more than the limit of %d", size, most))
	}
	text, err := readAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
	if err != nil {
		return nil, atPath("read", path, err)
	}
	return text, nil
}

// openText opens a file of which all will be read. It may come with the answer that
// says how large it is, if that is no more than the largest indexes take.
func (f *folder) openText(ctx context.Context, path string) (store.Object, error) {
	const most = 16 << 20 // bytes
	return store.OpenHead(ctx, f.from, path, min(f.opts.MaxIndexSize, most))
}

// readAll reads r to its end. A store says how large an object is, and may be
// wrong: so memory is taken as bytes arrive, 64 times what did, and at last what
// r is said to hold.
func readAll(r *io.SectionReader) ([]byte, error) {
	text := make([]byte, 0, min(r.Size(), 1<<20))
	for {
		n, err := io.ReadFull(r, text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case err != nil:
			return nil, unexpected(err)
		case int64(len(text)) == r.Size():
			return text, nil
		}
		text = append(make([]byte, 0, min(r.Size(), 64*int64(len(text)))), text...)
	}
}

// indexSet returns the set of an index. Its shards are those whose names are not
// refused, whether they are there or not: a missing one is for Validate to tell.
func (f *folder) indexSet(ctx context.Context, file string) (*Set, error) {
	text, err := f.readText(ctx, file)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: file, Role: Model, Index: file, found: f}
	ends := f.opts.shardEnds(file)
	p := index.ParseLimited(text, f.opts.MaxShards, ends...)
	if p.Overflow != nil {
		return nil, atPath("open", file, p.Overflow)
	}
	s.index, s.report = p.Index, p.Report()
	seen := make(map[string]bool)
	last := ""
	for i := range s.index.Tensors {
		name := s.index.Tensors[i].Shard
		if name == last || seen[name] {
			continue // as of almost every entry
		}
		seen[name], last = true, name
		if naming.Fault(name, ends...) == "" {
			s.Shards = append(s.Shards, path.Join(naming.Folder(file), name))
		}
	}
	slices.SortFunc(s.Shards, naming.CompareShards)
	s.byName = make(map[string]int, len(s.Shards))
	for i, p := range s.Shards {
		name, _ := naming.CutFolder(p, naming.Folder(file))
		s.byName[name] = i
	}
	return s, nil
}

// unexpected returns the error of a read that ended too early.
func unexpected(err error) error {
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
