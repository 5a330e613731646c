// Opened targets.

package viewer

import (
	"context"
	"net/http"
	"slices"
	"sort"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/survey"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/keep"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/store"
)

// An opened is a target whose headers have been read.
type opened struct {
	t       int // its number in requests
	name    target.Name
	sess    *cli.Session
	lenient bool
	remote  bool

	found  *survey.Survey
	unread []finding.Unread
	base   []int // the number of the first tensor of each file
	all    int   // number of tensors

	orders  keep.LRU[string, *selected]
	values  measured
	shelf   keep.Shelf
	weights keep.Lazy[*target.Weights]
	checks  keep.Lazy[*finding.Check]
	models  keep.Lazy[[]listing.Model]
	packing keep.Lazy[*packing]
	infos   keep.Lazy[reply.Answer]
	series  keep.Lazy[[]*kind]
	layouts keep.LRU[string, *byteLayout]
	accused map[accused]bool
}

// open reads the headers and configurations of a target.
func open(ctx context.Context, sess *cli.Session, t int, name target.Name, lenient bool) (*opened, error) {
	if name == "-" {
		return nil, cli.ErrStdin
	}
	found, err := survey.Run(ctx, sess, []target.Name{name}, &survey.Options{Lenient: lenient, Models: true})
	if err != nil {
		return nil, err
	}
	o := &opened{t: t, name: name, sess: sess, lenient: lenient, found: found,
		unread: found.Check(finding.Threshold{}).Unread}
	if ref, err := store.Parse(string(name)); err == nil {
		o.remote = ref.Scheme != "file"
	}
	for i := range found.Files {
		o.base = append(o.base, o.all)
		if h := found.Files[i].Header; h != nil {
			o.all += len(h.Tensors)
		}
	}
	o.accused = make(map[accused]bool)
	for _, f := range found.Findings {
		if f.Tensor != "" {
			o.accused[accused{f.File, f.Tensor}] = true
		}
	}
	o.orders.Most, o.layouts.Most, o.shelf.Open = mostOrders, 1, found.Open
	return o, nil
}

// counted returns the models of the target with their parameters. Counting 500,000 tensors takes a second, so
// the page does not wait for it.
func (o *opened) counted() ([]listing.Model, error) {
	return o.models.Get(func() ([]listing.Model, error) {
		defer o.found.CloseModels()
		return o.found.Counted(new(listing.Selection), "")
	})
}

// close closes all files.
func (o *opened) close() {
	o.shelf.Close()
	if w, ok := o.weights.Have(); ok {
		w.Close()
	}
}

// files returns the files of the target.
func (o *opened) files() []listing.File { return o.found.Files }

// row returns a tensor by its number, which is from 0 to o.all-1.
func (o *opened) row(id int) listing.Row {
	file := sort.SearchInts(o.base, id+1) - 1
	return listing.Row{TensorInfo: &o.files()[file].Header.Tensors[id-o.base[file]], File: file}
}

// find returns the number of the tensor that a request names: by number, or by name and perhaps file.
func (o *opened) find(r *reply.Request) (int, error) {
	if r.Has("id") {
		if o.all == 0 {
			return 0, reply.Problemf(http.StatusNotFound, "the target has no tensors")
		}
		id, err := r.Number("id", 0, int64(o.all)-1, 0)
		return int(id), err
	}
	name, file := r.FormValue("name"), r.FormValue("file")
	if name == "" {
		return 0, reply.Wrong("a parameter is missing: id or name of the tensor")
	}
	found := -1
	for i := range o.files() {
		f := &o.files()[i]
		if f.Header == nil || file != "" && f.Path != file {
			continue
		}
		at := indexOf(f.Header, name)
		switch {
		case at < 0:
		case found >= 0:
			return 0, reply.Wrong("several files have a tensor %s: add file=%s to name one", reply.Quoted(name), f.Path)
		default:
			found = o.base[i] + at
		}
	}
	if found < 0 {
		found = o.unpacked(name, file)
	}
	if found < 0 {
		return 0, reply.Problemf(http.StatusNotFound, "no tensor %s in %s; weigh info lists the names",
			reply.Quoted(name), o.name)
	}
	return found, nil
}

// indexOf returns the index of the named tensor in a header, or -1.
func indexOf(h *safetensors.Header, name string) int {
	return slices.IndexFunc(h.Tensors, func(ti safetensors.TensorInfo) bool { return ti.Name == name })
}

// file returns the index of the file that a request names; of the first one if it names none.
func (o *opened) file(r *reply.Request) (int, error) {
	path := r.FormValue("file")
	i := slices.IndexFunc(o.files(), func(f listing.File) bool { return path == "" || f.Path == path })
	if i < 0 {
		return 0, reply.Problemf(http.StatusNotFound, "no file %s in %s", reply.Quoted(path), o.name)
	}
	return i, nil
}

// refused returns the finding for which the commands that read values refuse a file, or nil.
func (o *opened) refused(file int) *finding.Finding {
	for i := range o.found.Findings {
		f := &o.found.Findings[i]
		if f.File == o.files()[file].Path && f.Severity >= target.LeastRefused(o.lenient) {
			return f
		}
	}
	return nil
}

// stored returns a tensor as the file stores it. Its reads end with ctx, and release has to be called after them.
func (o *opened) stored(ctx context.Context, id int) (t *safetensors.Tensor, release func(), err error) {
	row := o.row(id)
	f := &o.files()[row.File]
	if refused := o.refused(row.File); refused != nil {
		return nil, nil, target.FileFault(f.Path, refused.Violation)
	}
	if f.Format != "" {
		t, err := o.decoded(ctx, f.Path, row.Name)
		return t, func() {}, err
	}
	object, release, err := o.shelf.Take(ctx, f.Path)
	if err != nil {
		return nil, nil, err
	}
	t, err = keep.Section(ctx, object, f.Header, row.TensorInfo)
	if err != nil {
		release()
	}
	return t, release, err
}

// reader returns the models of the target.
func (o *opened) reader(ctx context.Context) (*target.Weights, error) {
	return o.weights.Get(func() (*target.Weights, error) {
		// The files stay open after this request.
		return target.OpenWeights(context.WithoutCancel(ctx), o.sess, o.name, o.lenient)
	})
}

// decoded returns a tensor of a file in another format.
func (o *opened) decoded(ctx context.Context, path, name string) (*safetensors.Tensor, error) {
	w, err := o.reader(ctx)
	if err != nil {
		return nil, err
	}
	for _, cp := range w.Parts {
		for _, shard := range cp.Shards() {
			if w.At.Path(shard) != path {
				continue
			}
			for t, err := range cp.TensorsOf(ctx, shard) {
				if err != nil {
					return nil, w.Fault(err)
				}
				if t.Name == name {
					return t.Tensor, nil
				}
			}
		}
	}
	return nil, reply.Problemf(http.StatusConflict, "the values of %s cannot be read; weigh info says why",
		reply.Quoted(name))
}
