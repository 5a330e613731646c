// Tensors of equal layers: the same kind of tensor in each layer.

package viewer

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
	"github.com/weightools/safetensors/stats"
)

// mostKinds is the number of kinds of tensors that an answer has.
const mostKinds = 500

// A kind is tensors whose names differ only in numbers, by layer: the first number.
type kind struct {
	label   string
	dtype   safetensors.Dtype
	shape   []int64 // of the first
	layers  []layer // in order
	tensors int
	bytes   int64
	index   map[int]int // of layers, by number
}

// A layer is the tensors of a kind in one layer: several if experts are numbered.
type layer struct {
	number int
	ids    []int32
}

// kinds returns the kinds that have at least two layers, in the order of their first tensors.
func (o *opened) kinds() []*kind {
	list, _ := o.series.Get(func() ([]*kind, error) {
		byName := make(map[string]*kind)
		var list []*kind
		for id, row := range o.rows() {
			template, numbers := listing.Numbered(row.Name)
			if len(numbers) == 0 || o.isCompanion(id) {
				continue
			}
			k := byName[template]
			if k == nil {
				k = &kind{label: strings.ReplaceAll(template, "\x00", "*"), dtype: row.Dtype, shape: row.Shape}
				byName[template] = k
				list = append(list, k)
			}
			k.add(numbers[0].First(), int32(id), int64(row.BytesOf()))
		}
		list = slices.DeleteFunc(list, func(k *kind) bool { return len(k.layers) < 2 })
		for _, k := range list {
			k.index = nil
			slices.SortFunc(k.layers, func(a, b layer) int { return cmp.Compare(a.number, b.number) })
		}
		return cut(list, 0, mostKinds), nil
	})
	return list
}

// add adds a tensor of a layer. Those of a layer mostly follow each other.
func (k *kind) add(number int, id int32, bytes int64) {
	k.tensors++
	k.bytes = encode.Plus(k.bytes, encode.Known(bytes))
	at := len(k.layers) - 1
	if at < 0 || k.layers[at].number != number {
		if k.index == nil {
			k.index = make(map[int]int)
		}
		var ok bool
		if at, ok = k.index[number]; !ok {
			at = len(k.layers)
			k.index[number] = at
			k.layers = append(k.layers, layer{number: number})
		}
	}
	k.layers[at].ids = append(k.layers[at].ids, id)
}

// layers answers with the kinds of tensors.
func (v *Viewer) layers(r *reply.Request) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	tensors, bytes := 0, int64(0)
	kinds := o.kinds()
	for _, k := range kinds {
		tensors, bytes = tensors+k.tensors, encode.Add(bytes, k.bytes)
	}
	return reply.Object(encode.M("schema", "weigh.view.layers/1"),
		encode.M("kinds", encode.Each(len(kinds), func(i int) any {
			k := kinds[i]
			most := 0
			for _, l := range k.layers {
				most = max(most, len(l.ids))
			}
			return []encode.Member{encode.M("kind", i), encode.M("label", labelOf(k.label)), encode.M("dtype", k.dtype),
				encode.M("shape", encode.Dims(k.shape)), encode.M("layers", len(k.layers)),
				encode.M("first", k.layers[0].number), encode.M("last", k.layers[len(k.layers)-1].number),
				encode.M("per_layer", most), encode.M("tensors", k.tensors), encode.M("bytes", k.bytes)}
		})), encode.M("tensors", tensors), encode.M("bytes", bytes)), nil
}

// sideBySide is the number of tensors that are measured at once, as stats does.
const sideBySide = 2

// A task is a layer of a kind whose tensors are to be measured.
type task struct {
	kind int
	layer
}

// series answers with statistics of kinds over their layers. It reads all of their values.
func (v *Viewer) series(r *reply.Request, j *reply.Job) (reply.Answer, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	kinds := o.kinds()
	var tasks []task
	for i, k := range kinds {
		if wanted, err := r.Wants("kind", i, len(kinds)); err != nil || !wanted {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, l := range k.layers {
			tasks = append(tasks, task{i, l})
		}
		j.Expect(k.bytes)
	}
	defer v.sess.ShowProgress(&j.Shown)()
	points := make([]*point, len(tasks))
	err = cli.Parallel(r.Ctx(), sideBySide, len(tasks), func(_ context.Context, i int) (err error) {
		points[i], err = o.point(r, j, tasks[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	points = slices.DeleteFunc(points, func(p *point) bool { return p == nil })
	return reply.Object(encode.M("schema", "weigh.view.series/1"), encode.M("points", points)), nil
}

// point measures the tensors of a layer. It is nil if none can be read.
func (o *opened) point(r *reply.Request, j *reply.Job, one task) (*point, error) {
	p := &point{Kind: one.kind, Layer: one.number, ID: int(one.ids[0])}
	for _, id := range one.ids {
		as := o.views(int(id))[0]
		b := o.values.get(int(id), as)
		if b == nil {
			s := &subject{opened: o, id: int(id), as: as, Row: o.row(int(id))}
			if o.refused(s.File) != nil {
				continue // the page of the tensor says why
			}
			t, release, err := s.open(r.Ctx())
			if err != nil {
				return nil, err
			}
			c := stats.Counter{Workers: 1}
			summary, err := c.Of(j.Counted(r.Ctx(), t))
			release()
			if err != nil {
				return nil, err
			}
			b = o.values.put(int(id), as, summary)
		} else {
			j.Count(int64(o.row(int(id)).BytesOf()))
		}
		p.add(b)
	}
	if p.Tensors == 0 {
		return nil, nil
	}
	j.Part(p)
	return p, nil
}
