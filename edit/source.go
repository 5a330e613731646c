// Sources: the files of a checkpoint, checked, and open for reading.

package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/internal/atomicfile"
	"github.com/weightools/safetensors/store"
)

// A source is a checkpoint to be edited. Its files are in one folder.
type source struct {
	ref   string // as it was named, without what may be secret
	place string // the folder, as users can open it
	local string // the local folder; "" if the source is remote
	named bool   // a single file was named

	cp     *checkpoint.Checkpoint
	folder string // in the store
	files  []*file
	format string // of files that are not safetensors files, or ""

	claim atomicfile.Claim // the local files to be edited in place, before their headers were read

	indexName string // "" if there is no index
	indexNow  string // the name under which it is written
	index     *checkpoint.Index
	faults    []Fault // violations of the set that will be repaired
	stale     []Fault // indexes that will be removed, because their shards do not exist
	out       *Output // what Edit.Arrange has made; empty if there is no Arrange
	left      []Fault // violations that will not be repaired, although Edit.Fix is set
}

// A file is one file of a source, and what happens to it.
type file struct {
	name   string // in the folder
	rename string // the name under which it is written, if it is
	path   string // in the store
	data   io.ReaderAt
	size   int64
	header *safetensors.Header
	faults []Fault // violations that will be repaired

	changes  []Change // of its tensors, in the order of their data; nil if none changes
	metadata map[string]string
	action   Action

	added    []Change // copies, and tensors that are made of tensors that others are made of, too, or of none
	arranged bool     // tensors are not in their place
	patch    *patch   // if it is Overwritten

	// The encoder and the new sizes are set if the file is Written.
	encoder            safetensors.Encoder
	newHeader, newSize int64
}

// mended are the rules whose violation leaves no doubt which bytes belong to which tensor. The
// data is written again without gaps and trailing bytes, under a header that says the same,
// without unknown members.
var mended = []safetensors.Rule{
	safetensors.RuleHeaderStart, safetensors.RuleHeaderPadding, safetensors.RuleDuplicateName, safetensors.RuleMemberForm,
	safetensors.RuleUnknownMember, safetensors.RuleHole, safetensors.RuleTrailing, safetensors.RuleDataAlignment,
	safetensors.RuleElementAlignment, safetensors.RuleMetadataFormat, safetensors.RuleEntryOrder,
	checkpoint.RuleTensorMisplaced, checkpoint.RuleTensorUnlisted, checkpoint.RuleTotalSize,
	checkpoint.RuleIndexMissing, checkpoint.RuleIndexStale, checkpoint.RuleCacheLink, checkpoint.RuleFileMode,
}

// Mends reports whether Edit.Fix repairs files and sets that break a rule.
func Mends(rule safetensors.Rule) bool { return slices.Contains(mended, rule) }

// open opens the source at ref, and reads its headers.
func (e *Edit) open(ctx context.Context, ref string, inPlace bool) (*source, error) {
	opts := &checkpoint.Options{Resolve: e.Resolve, Formats: e.Formats, HeadersOnly: true}
	opts.Opener.Lenient = e.Lenient || e.Fix
	from, within, err := checkpoint.Locate(ctx, ref, opts)
	if dir := shards.LocalFolder(ref); err == nil && dir != "" {
		err = shards.Unfinished(dir)
	}
	if err != nil {
		return nil, err
	}
	named := within
	if e.Fix {
		var only *source
		if only, within, err = aroundIndex(ctx, from, within, opts); err != nil {
			return nil, err
		}
		if only != nil && inPlace {
			only.ref = store.Redact(ref)
			only.settle(only.cp.Set(), named)
			only.stale[0].File = only.shown(only.stale[0].File)
			return only, only.see()
		}
	}
	cp, err := checkpoint.New(ctx, from, within, opts)
	var none *checkpoint.NoWeightsError
	if errors.As(err, &none) && none.Path == "" {
		none.Path = store.Redact(ref)
	}
	if err != nil {
		return nil, err
	}
	s := &source{out: new(Output), ref: store.Redact(ref), cp: cp, index: cp.Index(),
		named: slices.Equal(cp.Shards(), []string{within}) && cp.Index() == nil}
	s.settle(cp.Set(), named)
	if inPlace {
		err = s.see()
	}
	if err == nil {
		err = s.judge(ctx, e)
	}
	if err == nil {
		err = s.openFiles(ctx)
	}
	if err == nil && e.Fix {
		err = s.oneOfEach(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// settle determines the folder of the files.
func (s *source) settle(set *checkpoint.Set, within string) {
	first := set.Index
	if first == "" {
		first = set.Shards[0]
	} else if s.index != nil {
		s.indexName = path.Base(first)
		s.indexNow = outputName(strings.TrimSuffix(s.indexName, ".index.json")) + ".index.json"
	}
	if s.folder = path.Dir(first); s.folder == "." {
		s.folder = ""
	}
	ref, _ := store.Parse(s.ref) // Locate has parsed it, too
	root := ref.Root
	if within == "" {
		root = ref.String() // the target is the folder that the store is
	}
	switch {
	case ref.Scheme == "file":
		const separator = string(os.PathSeparator)
		s.local = strings.TrimSuffix(root, separator) + separator + filepath.FromSlash(s.folder)
		s.place = path.Join(filepath.ToSlash(root), s.folder)
	default:
		ref.Path = s.folder
		s.place = ref.String()
	}
}

// see records the state of the local files. Missing files are reported later.
func (s *source) see() error {
	if s.local == "" {
		return nil
	}
	names := append(slices.Clone(s.cp.Shards()), s.cp.Set().Index)
	for _, left := range s.cp.Set().LeftOver() {
		names = append(names, left.Index)
	}
	for _, name := range names {
		if name == "" {
			continue
		}
		within := strings.TrimPrefix(name, s.folder+"/")
		err := s.claim.Add(filepath.Join(s.local, filepath.FromSlash(within)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// shown returns the path by which users can open a file of the source.
func (s *source) shown(name string) string {
	if s.local != "" {
		return path.Join(s.place, name)
	}
	return s.place + "/" + name
}

// judge adds the shards to the files of the source, unless they or the index break rules that
// the edit does not accept.
func (s *source) judge(ctx context.Context, e *Edit) error {
	prefix := ""
	if s.folder != "" {
		prefix = s.folder + "/"
	}
	for r, err := range s.cp.Validate(ctx) {
		if err != nil {
			return err
		}
		name, below := strings.CutPrefix(r.File, prefix)
		if r.File == "" {
			name = s.indexName
		}
		switch {
		case r.File == "" && name == "":
			name = path.Base(s.cp.Set().Name)
		case r.File != "" && checkpoint.IsIndex(r.File):
			if err := s.leave(e, r); err != nil {
				return err
			}
			continue
		}
		faults, left, err := e.judge(s.shown(name), r.Report)
		s.left = append(s.left, left...)
		switch {
		case err != nil:
			return err
		case r.File == "":
			s.faults = append(s.faults, faults...)
			s.indexed(e)
			continue
		case !below || strings.Contains(name, "/"):
			return refuse("%s is in another folder than the other shards: edit it as a single file", quote(r.File))
		}
		s.format = cmp.Or(s.format, r.Format)
		s.files = append(s.files, &file{name: name, rename: outputName(name), path: r.File, size: r.Size,
			header: r.Header, faults: faults})
	}
	return nil
}

// judge returns the violations in a report that will be repaired, and those that Fix does not repair. It returns an
// error for one that the edit does not accept.
func (e *Edit) judge(path string, r *safetensors.Report) (faults, left []Fault, err error) {
	least := safetensors.Nonconforming
	if e.Lenient || e.Fix {
		least = safetensors.Invalid
	}
	for _, v := range r.Violations {
		switch mend := e.Fix && Mends(v.Rule); {
		case v.Rule == checkpoint.RuleTensorTwice, v.Severity >= least && !mend:
			return nil, nil, &fs.PathError{Op: "edit", Path: path, Err: v}
		case mend, v.Severity >= safetensors.Nonconforming:
			faults = append(faults, Fault{path, v})
		case e.Fix:
			left = append(left, Fault{path, v})
		}
	}
	return faults, left, nil
}

// outputName returns the name under which a file is written, with the extension of safetensors
// files.
func outputName(name string) string {
	const suffix = ".safetensors"
	if strings.Contains(name, suffix) {
		return name
	}
	return shards.StemOf(strings.TrimSuffix(name, path.Ext(name))) + suffix
}

// openFiles opens the files. Reads end with an error once ctx is done.
func (s *source) openFiles(ctx context.Context) error {
	for _, f := range s.files {
		object, err := s.cp.Object(ctx, f.path)
		if err != nil {
			return err
		}
		if object.Size() != f.size {
			return fmt.Errorf("edit: %q had %d bytes, and now has %d: another process is writing it", s.shown(f.name),
				f.size, object.Size())
		}
		f.data = object.ReaderAt(ctx)
		if s.format == "" {
			continue
		}
		if f.data, err = s.cp.ReaderAt(ctx, f.path); err != nil {
			return err
		}
	}
	return nil
}

// names returns the names of the source's files, the index last.
func (s *source) names() []string {
	var names []string
	for _, f := range s.files {
		names = append(names, f.name)
	}
	if s.indexName != "" {
		names = append(names, s.indexName)
	}
	return names
}

// inputs returns the local files of the source; none if it is remote.
func (s *source) inputs() []string {
	if s.local == "" {
		return nil
	}
	names := s.names()
	for i, name := range names {
		names[i] = filepath.Join(s.local, name)
	}
	return names
}

// close closes all files.
func (s *source) close() error { return s.cp.Close() }

// tensors returns the tensors of a file, in the order of their data.
func (f *file) tensors() []*safetensors.Tensor {
	list := make([]*safetensors.Tensor, len(f.header.Tensors))
	for i := range f.header.Tensors {
		ti := &f.header.Tensors[i]
		at := f.header.FileSpan(ti)
		list[i] = &safetensors.Tensor{TensorInfo: *ti, ReaderAt: io.NewSectionReader(f.data, at.Begin, at.Len())}
	}
	slices.SortStableFunc(list, func(a, b *safetensors.Tensor) int {
		return cmp.Or(cmp.Compare(a.Offsets.Begin, b.Offsets.Begin), cmp.Compare(a.Offsets.End, b.Offsets.End))
	})
	return list
}

// start returns the file up to its data.
func (f *file) start() ([]byte, error) {
	b := make([]byte, f.header.DataStart())
	if n, err := f.data.ReadAt(b, 0); n < len(b) {
		return nil, fmt.Errorf("edit: read %d of the %d bytes of the header of %q: %w", n, len(b), f.name, err)
	}
	return b, nil
}

// readIndex returns the text of the index.
func (s *source) readIndex(ctx context.Context) ([]byte, error) {
	object, err := s.cp.Set().OpenBeside(ctx, s.indexName)
	if err != nil {
		return nil, err
	}
	defer object.Close()
	return io.ReadAll(io.NewSectionReader(object.ReaderAt(ctx), 0, object.Size()))
}

// now returns the tensors of the new file.
func (f *file) now() []*safetensors.Tensor {
	if f.changes == nil {
		return f.tensors()
	}
	var now []*safetensors.Tensor
	for i := range f.changes {
		if t := f.changes[i].Now; t != nil {
			now = append(now, t)
		}
	}
	for i := range f.added {
		now = append(now, f.added[i].Now)
	}
	return now
}
