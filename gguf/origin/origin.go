// The comparison of a model with a checkpoint.

package origin

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/model/unpack"
)

// A State is what the comparison of a tensor says.
type State string

// The states.
const (
	Equal     State = "equal"     // the same values
	Rounded   State = "rounded"   // they differ as rounding to the type makes them differ
	Off       State = "off"       // they differ by more
	Other     State = "other"     // they have nothing in common: the error is half as large as the values or larger
	Shape     State = "shape"     // another number of elements
	Unmatched State = "unmatched" // the source is unknown, is not in the checkpoint, or cannot be decoded
	Skipped   State = "skipped"   // made from the configuration
)

// A Tensor is the result for one tensor of the GGUF model.
type Tensor struct {
	Name string
	Type safetensors.Dtype // in the file, such as "Q4_K"
	From []string          // the tensors of the checkpoint; several if they are stacked
	How  string            // what the converter did to them, by the words of the map; "" for nothing

	State State
	Why   string // why it was not compared; "" if it was

	// Error is the mean squared difference, and Rounding that which rounding to the type gives, both as a fraction of
	// the mean square of the values. Rounding is 0 for types without blocks. Most is the largest difference.
	Error, Rounding, Most float64
}

// A Verdict is what the comparison of a model says.
type Verdict string

// The verdicts.
const (
	MadeFrom  Verdict = "made-from"     // each tensor is one of the checkpoint, rounded
	SomeOff   Verdict = "some-off"      // some tensors are not
	Different Verdict = "other-numbers" // half of the matrices or more have other numbers
)

// A Report is the result of Compare.
type Report struct {
	Architecture string // of the GGUF model
	Verdict      Verdict
	Tensors      []Tensor // in the order of the model
	Missing      []string // tensors of the checkpoint that the model should have, and lacks
}

// A Comparer compares models. The zero Comparer is ready to use.
type Comparer struct {
	// Progress, if it is not nil, is called with the bytes of decoded values that were compared, and how many there are.
	Progress func(done, total int64)
}

// Compare compares a GGUF model with the checkpoint of transformers that it may be made of. It reads both. The error
// wraps [errors.ErrUnsupported] if the architecture of the model is not in the map.
func (c *Comparer) Compare(ctx context.Context, model, from *checkpoint.Checkpoint) (*Report, error) {
	m, err := newMatcher(ctx, model, from)
	if err != nil {
		return nil, err
	}
	r := &Report{Architecture: m.arch, Tensors: make([]Tensor, len(m.stored))}
	var done, total int64
	for i := range m.stored {
		total += 4 * m.stored[i].NumElems()
	}
	compare := func(ctx context.Context, i int) error {
		var err error
		r.Tensors[i], err = m.compare(ctx, &m.stored[i])
		return err
	}
	for i, err := range bytesio.Ahead(ctx, runtime.GOMAXPROCS(0), len(m.stored), compare) {
		if err != nil {
			return nil, err
		}
		if done += 4 * m.stored[i].NumElems(); c.Progress != nil {
			c.Progress(done, total)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	r.Missing = m.missing(r.Tensors)
	r.Verdict = r.judge()
	return r, nil
}

// judge returns the verdict.
func (r *Report) judge() Verdict {
	counts := make(map[State]int)
	for i := range r.Tensors {
		counts[r.Tensors[i].State]++
	}
	same := counts[Equal] + counts[Rounded]
	switch {
	case counts[Other]+counts[Shape] > 0 && counts[Other]+counts[Shape] >= same-counts[Skipped]:
		return Different
	case counts[Off]+counts[Other]+counts[Shape]+counts[Unmatched]+len(r.Missing) > 0 || same == 0:
		return SomeOff
	}
	return MadeFrom
}

// A matcher finds what tensors are made of.
type matcher struct {
	arch        string
	table       table
	metadata    map[string]string
	model, from *checkpoint.Checkpoint
	stored      []safetensors.TensorInfo // of the model, as in its files
	names       map[string]string        // of the checkpoint, by plain name
	bare        map[string]string        // the same without the base of a model
	packed      *unpack.Weights          // of the checkpoint
}

func newMatcher(ctx context.Context, model, from *checkpoint.Checkpoint) (*matcher, error) {
	m := &matcher{model: model, from: from, names: make(map[string]string),
		bare: make(map[string]string)}
	for i, shard := range model.Shards() {
		h, err := model.Stored(ctx, shard)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			m.metadata = h.Metadata
		}
		m.stored = append(m.stored, h.Tensors...)
	}
	m.arch = m.metadata["general.architecture"]
	if m.table = tables()[m.arch]; m.table == nil {
		return nil, fmt.Errorf("origin: the names of the architecture %q are not in the map: %w", m.arch,
			errors.ErrUnsupported)
	}
	var err error
	if m.packed, err = weightsOf(ctx, from); err != nil {
		return nil, err
	}
	layers := m.number("block_count") - m.number("nextn_predict_layers")
	for _, shard := range from.Shards() {
		h, err := from.Header(ctx, shard)
		if err != nil {
			return nil, err
		}
		for i := range h.Tensors {
			if name := m.nameOf(&h.Tensors[i]); name != "" {
				m.add(name, h.Tensors[i].Name, layers)
			}
		}
	}
	return m, nil
}

// add adds a tensor of the checkpoint under a name of the map. The model has the given number of layers that do not
// predict further tokens.
func (m *matcher) add(name, own string, layers int64) {
	p := continued(plain(name), layers)
	m.names[p], m.bare[bare(p)] = own, own
}

// number returns a number of the model's metadata, 0 if it is unknown.
func (m *matcher) number(key string) int64 {
	n, _ := strconv.ParseInt(m.metadata[m.arch+"."+key], 10, 64)
	return n
}

// An origin is what a tensor may be made of: tensors of the checkpoint, and a transform.
type origin struct {
	from []string
	how  string
}

// origins returns what a tensor may be made of: none if the map has nothing or the checkpoint lacks it. Made says that
// it is in no checkpoint.
func (m *matcher) origins(name string) (all []origin, made bool) {
	p, layer := pattern(name)
	list := m.table.sources(p)
	if p == "output.weight" { // the map has tied models of some architectures
		list = append([]source{{name: "lm_head.weight"}}, list...)
		list = append(list, m.table["token_embd.weight"]...)
	}
	for _, s := range list {
		if s.name == "-" {
			made = true
		} else if from := m.numbered(strings.Replace(s.name, "#", layer, 1)); from != nil {
			all = append(all, origin{from, s.how})
		}
	}
	return all, made
}

// find returns the name of a tensor in the checkpoint.
func (m *matcher) find(name string) (string, bool) {
	if own, ok := m.names[name]; ok {
		return own, true
	}
	own, ok := m.bare[bare(name)]
	return own, ok
}

// numbered returns the tensor of a name, or those whose names have 0, 1, 2 and so on for a *.
func (m *matcher) numbered(name string) (list []string) {
	if !strings.Contains(name, "*") {
		if own, ok := m.find(name); ok {
			return []string{own}
		}
		return nil
	}
	for i := 0; ; i++ {
		own, ok := m.find(strings.Replace(name, "*", strconv.Itoa(i), 1))
		if !ok {
			return list
		}
		list = append(list, own)
	}
}

// compare compares one tensor.
func (m *matcher) compare(ctx context.Context, ti *safetensors.TensorInfo) (Tensor, error) {
	t := Tensor{Name: ti.Name, Type: ti.Dtype, State: Unmatched, Why: "the checkpoint has no tensor for it"}
	origins, made := m.origins(ti.Name)
	if made && len(origins) == 0 {
		t.State, t.Why = Skipped, "it is made from the configuration"
	}
	for i, o := range origins { // the first that fits counts
		c, why, err := m.prepare(ctx, ti, o.from, o.how)
		if err != nil {
			return t, err
		}
		if why != "" {
			if i == 0 {
				t.From, t.How, t.Why = o.from, o.how, why
				if c != nil {
					t.State = Shape
				}
			}
			continue
		}
		t.From, t.How, t.Why = o.from, o.how, ""
		s, err := c.run(ctx)
		if err != nil {
			return t, err
		}
		t.judge(c, s)
		break
	}
	return t, nil
}

// prepare opens both sides as F32. Why says why they cannot be compared.
func (m *matcher) prepare(ctx context.Context, ti *safetensors.TensorInfo, from []string, how string) (
	c *comparison, why string, err error) {
	is, err := m.model.Tensor(ctx, ti.Name)
	if err != nil {
		return nil, "its type cannot be decoded", nil
	}
	list := make([]*safetensors.Tensor, len(from))
	for i, name := range from {
		if list[i], why, err = m.open(ctx, name); err != nil || why != "" {
			return nil, why, err
		}
	}
	made, op, err := apply(how, ti.Name, list, m.number)
	if err != nil {
		return &comparison{}, strings.TrimPrefix(err.Error(), "origin: "), nil
	}
	c = &comparison{op: op, stored: ti.Dtype, source: list[0].Dtype}
	if c.is, err = is.Convert(safetensors.F32); err == nil {
		c.from, err = made.Convert(safetensors.F32)
	}
	if err != nil {
		return nil, "one side is not made of numbers", nil
	}
	// The embedding may have fewer rows, or be padded.
	fits := c.is.NumElems() == c.from.NumElems() || how == "pad_rows" && c.is.NumElems() >= c.from.NumElems() ||
		strings.HasPrefix(ti.Name, "token_embd.") && c.is.NumElems() < c.from.NumElems() &&
			slices.Equal(c.is.Shape[1:], c.from.Shape[min(1, len(c.from.Shape)):])
	if !fits {
		return c, fmt.Sprintf("its shape is %s, expected %s", c.is.ShapeString(), c.from.ShapeString()), nil
	}
	return c, "", nil
}

// judge says how the tensors differ.
func (t *Tensor) judge(c *comparison, s sums) {
	if t.Most = s.most; s.square > 0 {
		t.Error, t.Rounding = s.err/s.square, s.rounding/s.square
	}
	limit := limits[t.Type]
	if limit == 0 {
		limit = usualLimit
	}
	switch {
	case s.err == 0 && s.lost == 0:
		t.State = Equal
	case s.lost == 0 && !c.packed() && s.beyond == 0, s.lost == 0 && c.packed() && s.err <= limit*s.rounding:
		t.State = Rounded
	case t.Error >= 0.5 || s.square == 0:
		t.State = Other
	default:
		t.State = Off
	}
}

// missing returns the tensors of the checkpoint that the map knows and the model lacks. A model may lack all layers that
// predict further tokens.
func (m *matcher) missing(compared []Tensor) []string {
	used, due, has := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for i := range compared {
		_, layer := pattern(compared[i].Name)
		has[layer] = true
		for _, name := range compared[i].From {
			p, _ := pattern(continued(plain(name), 0))
			used[name], due[p] = true, true // patterns that some tensor of the model was made of
		}
	}
	var list []string
	for plain, name := range m.names {
		p, layer := pattern(plain)
		if used[name] || layer == "" || !due[p] {
			continue
		}
		if _, predicts := m.find("model.layers." + layer + ".eh_proj.weight"); !predicts || has[layer] {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
