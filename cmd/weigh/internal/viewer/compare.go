// Comparison of two targets.

package viewer

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/cmd/weigh/internal/glob"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/compare"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/diff"
)

// mostDiffs is the number of comparisons that are kept.
const mostDiffs = 2

// diff answers as diff does, with a window of the changes.
func (v *Viewer) diff(r *reply.Request, j *reply.Job) (reply.Answer, error) {
	if len(v.targets) < 2 {
		return nil, reply.Wrong("one target is open, and a comparison needs two: weigh view A B")
	}
	a, err := v.target(r, "a")
	if err != nil {
		return nil, err
	}
	other, err := r.Number("b", 0, int64(len(v.targets))-1, 1)
	if err != nil {
		return nil, err
	}
	b := v.targets[other]
	offset, limit, err := r.Window(200, mostRows)
	if err != nil {
		return nil, err
	}
	d, err := v.differences(r, j, a, b)
	if err != nil {
		return nil, err
	}
	window := *d
	for _, kind := range r.Form["kind"] {
		window.Kinds = append(window.Kinds, diff.Kind(kind))
	}
	if window.Sort = r.FormValue("sort"); window.Sort != "" && window.Sort != "change" {
		return nil, reply.Wrong("sort must be change, or absent for the order of names, not %s",
			reply.Quoted(window.Sort))
	}
	include, err := patterns(r.Form["include"])
	if err != nil {
		return nil, err
	}
	list := window.Listed()
	if f := (glob.Filter{Include: include}); len(include) > 0 {
		list = slices.DeleteFunc(slices.Clone(list), func(c compare.DiffChange) bool { return !f.Has(c.Name) })
	}
	rows := []changeRow{}
	for _, c := range cut(list, offset, limit) {
		rows = append(rows, changeOf(a, b, &c))
	}
	return reply.Object(append(window.Members(rows, len(rows)), encode.M("total", len(list)),
		encode.M("offset", offset))...), nil
}

// A changeRow is a change with its tensors.
type changeRow struct {
	compare.ChangeEntry
	Name  *string `json:"name,omitempty"`
	Label string  `json:"label,omitempty"`
	To    *string `json:"to,omitempty"` // the label of the new name
	A     *int    `json:"a_id"`
	B     *int    `json:"b_id"`
}

// changeOf returns a change with the numbers of its tensors.
func changeOf(a, b *opened, c *compare.DiffChange) changeRow {
	row := changeRow{ChangeEntry: c.Entry()}
	row.Name, row.Label = named(c.Name)
	if row.ChangeEntry.To != nil {
		to := labelOf(*row.ChangeEntry.To)
		row.To = &to
	}
	row.A, row.B = a.numberOf(c.A), b.numberOf(c.B)
	return row
}

// numberOf returns the number of a tensor by its name; nil if there is none.
func (o *opened) numberOf(ti *safetensors.TensorInfo) *int {
	if ti == nil {
		return nil
	}
	for i := range o.files() {
		if h := o.files()[i].Header; h != nil && h.Lookup(ti.Name) != nil {
			id := o.base[i] + indexOf(h, ti.Name)
			return &id
		}
	}
	return nil
}

// differences compares two targets as far as a request asks, or returns what an earlier one found.
func (v *Viewer) differences(r *reply.Request, j *reply.Job, a, b *opened) (*compare.Diff, error) {
	headers, numbers := r.FormValue("headers") == "1", r.FormValue("values") == "1"
	key := fmt.Sprint(a.t, b.t, headers, numbers)
	v.comparing.Lock()
	defer v.comparing.Unlock()
	if d, ok := v.diffs.Get(key); ok {
		return d, nil
	}
	var sides [2]*side
	for i, o := range []*opened{a, b} {
		var err error
		if sides[i], err = o.side(r.Ctx()); err != nil {
			return nil, err
		}
	}
	d := &compare.Diff{A: a.name.String(), B: b.name.String(), HeadersOnly: headers, Values: numbers,
		Tensors:  [2]int{sides[0].tensors, sides[1].tensors},
		Metadata: listing.KeyChanges(sides[0].metadata, sides[1].metadata)}
	if !headers {
		for _, list := range sides[0].parts {
			for _, t := range list {
				j.Expect(t.Size())
			}
		}
	}
	differ := &diff.Differ{HeadersOnly: headers, Values: numbers, Progress: j.Count}
	defer v.sess.ShowProgress(&j.Shown)()
	names := maps.Clone(sides[0].parts)
	maps.Copy(names, sides[1].parts)
	for _, part := range slices.Sorted(maps.Keys(names)) {
		for c, err := range differ.Tensors(r.Ctx(), sides[0].parts[part], sides[1].parts[part]) {
			if err != nil {
				return nil, err
			}
			d.Changes = append(d.Changes, compare.DiffChange{Change: c, Part: part})
		}
	}
	v.diffs.Put(key, d)
	return d, nil
}

// A side is one target of a comparison.
type side struct {
	parts    map[string][]*safetensors.Tensor // by what the part is called, "" if there is one alone
	metadata map[string]string                // of all files; the first value of each key
	tensors  int
}

// side returns the tensors of the target. Their reads end with ctx.
func (o *opened) side(ctx context.Context) (*side, error) {
	from, err := o.reader(ctx)
	if err != nil {
		return nil, err
	}
	s := &side{parts: make(map[string][]*safetensors.Tensor), metadata: make(map[string]string)}
	for _, cp := range from.Parts {
		name := partName(from, cp)
		for t, err := range cp.Tensors(ctx) {
			if err != nil {
				return nil, from.Fault(err)
			}
			s.parts[name] = append(s.parts[name], t.Tensor)
			s.tensors++
		}
		for _, shard := range cp.Shards() {
			h, err := cp.Header(ctx, shard)
			if err != nil {
				return nil, from.Fault(err)
			}
			for key, value := range h.Metadata {
				if _, ok := s.metadata[key]; !ok {
					s.metadata[key] = value
				}
			}
		}
	}
	return s, nil
}

// partName returns the name of a part of a pipeline: its folder, or its own name if the folder has several. It is "" if
// there is only one part.
func partName(from *target.Weights, cp *checkpoint.Checkpoint) string {
	if len(from.Parts) == 1 {
		return ""
	}
	name := cp.Set().Name
	folder := path.Dir(name)
	for _, other := range from.Parts {
		if other != cp && path.Dir(other.Set().Name) == folder {
			return name
		}
	}
	return folder
}
