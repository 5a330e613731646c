// Heat maps: planes, tiles and norms.

package viewer

import (
	"encoding/binary"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/raster"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
)

// What a request reads of values without being asked for more.
const (
	localBudget  = 256 << 20
	remoteBudget = 8 << 20
)

// Bounds of the caches of all targets.
const (
	mostTiles     = 96 // of 256 KiB
	mostOverviews = 4  // of 8 MiB
)

// Requests for a remote tensor: how many are made at once, and the bytes that package remote reads before and after
// what is wanted, in blocks of this size.
const (
	remoteWorkers = 16
	remoteRead    = 64 << 10
)

// drawable returns a tensor as real numbers.
func drawable(t *safetensors.Tensor) (*safetensors.Tensor, error) {
	real, err := raster.Real(t)
	if err != nil {
		return nil, reply.Problemf(http.StatusConflict, "%s cannot be drawn: %v", reply.Quoted(t.Name), err)
	}
	return real, nil
}

// budget returns how many bytes a request may read; 0 for all.
func (s *subject) budget(r *reply.Request) int64 {
	switch {
	case r.FormValue("exact") == "1":
		return 0
	case s.remote:
		return remoteBudget
	}
	return localBudget
}

// A picture is a plane of a request, with what identifies it in caches.
type picture struct {
	*raster.Plane
	*subject
	key     string
	release func()
	shape   []int64
	axes    [2]int
	at      []int64
}

// picture returns the plane that a request is about.
func (v *Viewer) picture(r *reply.Request) (*picture, error) {
	s, err := v.subject(r)
	if err != nil {
		return nil, err
	}
	p, err := s.picture(r)
	if err != nil || !r.Has("minus_id") {
		return p, err
	}
	other, err := v.target(r, "minus_t")
	if err != nil {
		p.release()
		return nil, err
	}
	id, err := r.Number("minus_id", 0, int64(other.all)-1, 0)
	if err != nil {
		p.release()
		return nil, err
	}
	q, err := (&subject{opened: other, id: int(id), as: other.views(int(id))[0], Row: other.row(int(id))}).picture(r)
	if err != nil {
		p.release()
		return nil, err
	}
	first := p.release
	p.release = func() { first(); q.release() }
	p.key += " minus " + q.key
	if p.Plane, err = p.Minus(q.Plane); err != nil {
		p.release()
		return nil, reply.Problemf(http.StatusConflict, "%v", err)
	}
	return p, nil
}

// picture returns the plane of a tensor for a request.
func (s *subject) picture(r *reply.Request) (*picture, error) {
	t, release, err := s.open(r.Ctx())
	if err != nil {
		return nil, err
	}
	p := &picture{subject: s, release: release}
	if t, err = drawable(t); err == nil {
		p.shape = t.Shape
		if err = p.choose(r); err == nil {
			p.Plane, err = raster.NewPlane(t, p.axes, p.at)
		}
		if err != nil {
			err = reply.Wrong("%s", describe(err))
		}
	}
	if err != nil {
		release()
		return nil, err
	}
	if s.remote {
		p.Workers, p.MinRead = remoteWorkers, remoteRead
	}
	p.key = fmt.Sprint(s.t, s.id, s.as, p.axes, p.at)
	return p, nil
}

// choose reads the axes and the indices. By default they are the last two axes, and the first index.
func (p *picture) choose(r *reply.Request) error {
	rank := len(p.shape)
	p.axes, p.at = [2]int{max(rank-2, 0), max(rank-1, 0)}, make([]int64, rank)
	if text := r.FormValue("axes"); text != "" && rank > 1 {
		list, err := numbers(text)
		if err != nil || len(list) != 2 {
			return reply.Wrong("axes must be two numbers such as 0,1, not %s", reply.Quoted(text))
		}
		p.axes = [2]int{int(list[0]), int(list[1])}
	}
	if text := r.FormValue("at"); text != "" && rank > 1 {
		list, err := numbers(text)
		if err != nil || len(list) != rank {
			return reply.Wrong("at must have an index for each of the %d axes, not %s", rank, reply.Quoted(text))
		}
		p.at = list
	}
	for _, axis := range p.axes { // their indices are ignored
		if axis >= 0 && axis < rank {
			p.at[axis] = 0
		}
	}
	return nil
}

// numbers parses numbers between commas.
func numbers(text string) (list []int64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(word), 10, 64)
		if err != nil || n < 0 {
			return nil, reply.Wrong("%s is not a number from 0", reply.Quoted(word))
		}
		list = append(list, n)
	}
	return list, nil
}

// plane answers with what is drawn.
func (v *Viewer) plane(r *reply.Request) (reply.Answer, error) {
	p, err := v.picture(r)
	if err != nil {
		return nil, err
	}
	defer p.release()
	var span, sampled any
	reach, err := p.Range(r.Ctx())
	if err != nil {
		return nil, err
	}
	if reach.Count > 0 {
		span = []encode.Member{encode.M("low", -reach.High), encode.M("high", reach.High), encode.M("most", reach.Most)}
	}
	if reach.Read < p.Rows || reach.Bytes < p.Plane.Bytes() {
		sampled = []encode.Member{encode.M("rows", reach.Read), encode.M("of", p.Rows)}
	}
	return reply.Object(encode.M("schema", "weigh.view.plane/1"), encode.M("shape", append(encode.Dims{}, p.shape...)),
		encode.M("axes", p.axes), encode.M("at", p.at), encode.M("rows", p.Rows), encode.M("columns", p.Columns),
		encode.M("levels", p.Levels()), encode.M("range", span), encode.M("sampled", sampled),
		encode.M("bytes", reach.Bytes)), nil
}

// tile answers with the pixels of a tile.
func (v *Viewer) tile(r *reply.Request) (reply.Answer, error) {
	level, err := r.Number("level", 0, 62, 0)
	if err != nil {
		return nil, err
	}
	x, err := r.Number("x", 0, math.MaxInt32, 0)
	if err != nil {
		return nil, err
	}
	y, err := r.Number("y", 0, math.MaxInt32, 0)
	if err != nil {
		return nil, err
	}
	mode, err := raster.ParseMode(r.FormValue("mode"))
	if err != nil {
		return nil, reply.Wrong("%v", err)
	}
	p, err := v.picture(r)
	if err != nil {
		return nil, err
	}
	defer p.release()
	if b := p.BoxOf(int(level), x, y); b.Height() == 0 || b.Width() == 0 {
		return nil, reply.Problemf(http.StatusNotFound, "no tile %d,%d at level %d of %d rows and %d columns", x, y,
			level, p.Rows, p.Columns)
	}
	t, cached, err := v.draw(r, p, int(level), x, y, mode)
	if err != nil {
		return nil, err
	}
	h := r.W.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Weigh-Width", strconv.Itoa(t.Width))
	h.Set("Weigh-Height", strconv.Itoa(t.Height))
	h.Set("Weigh-Mode", string(mode))
	h.Set("Weigh-Bytes", "0")
	if !cached {
		h.Set("Weigh-Bytes", strconv.FormatInt(t.Bytes, 10))
	}
	if t.Read < t.Of || t.Columns {
		h.Set("Weigh-Sampled", fmt.Sprintf("%d/%d", t.Read, t.Of))
	}
	pixels := make([]byte, 0, 4*len(t.Pixels))
	for _, v := range t.Pixels {
		pixels = binary.LittleEndian.AppendUint32(pixels, math.Float32bits(v))
	}
	_, _ = r.W.Write(pixels)
	return nil, nil
}

// draw returns a tile, from the cache if it is there.
func (v *Viewer) draw(r *reply.Request, p *picture, level int, x, y int64, mode raster.Mode) (
	*raster.Tile, bool, error) {
	budget := p.budget(r)
	key := fmt.Sprintf("%s %d %d %d %s %d", p.key, level, x, y, mode, budget)
	if t, ok := v.tiles.Get(key); ok {
		return t, true, nil
	}
	var t *raster.Tile
	var err error
	// An overview of the whole tensor makes all tiles of its level and above.
	if least := p.OverviewLevel(); mode != raster.Sample && level >= least && level > 0 &&
		(budget == 0 || p.Plane.Bytes() <= budget) {
		o, fresh, err := v.overview(r, p)
		if err != nil {
			return nil, false, err
		}
		t = o.Tile(p.BoxOf(level, x, y), level, mode)
		if fresh {
			t.Bytes = p.Plane.Bytes()
		}
	} else if t, err = p.Tile(r.Ctx(), level, x, y, mode, budget); err != nil {
		return nil, false, err
	}
	v.tiles.Put(key, t)
	return t, false, nil
}

// overview returns the overview of a plane, and whether it was read for this request.
func (v *Viewer) overview(r *reply.Request, p *picture) (o *raster.Overview, fresh bool, err error) {
	// Tiles of one plane are requested at once, and need the same overview.
	v.drawing.Lock()
	defer v.drawing.Unlock()
	if o, ok := v.overviews.Get(p.key); ok {
		return o, false, nil
	}
	if o, err = p.Overview(r.Ctx()); err == nil {
		v.overviews.Put(p.key, o)
	}
	return o, true, err
}

// norms answers with the norms of rows and columns.
func (v *Viewer) norms(r *reply.Request, j *reply.Job) (reply.Answer, error) {
	p, err := v.picture(r)
	if err != nil {
		return nil, err
	}
	defer p.release()
	n, err := p.Norms(r.Ctx(), p.budget(r))
	if err != nil {
		return nil, err
	}
	var sampled any
	if n.Read < n.Of {
		sampled = []encode.Member{encode.M("rows", n.Read), encode.M("of", n.Of)}
	}
	return reply.Object(encode.M("schema", "weigh.view.norms/1"), encode.M("rows", finite(n.Rows)),
		encode.M("columns", finite(n.Columns)), encode.M("row_step", n.RowStep), encode.M("column_step", n.ColumnStep),
		encode.M("sampled", sampled)), nil
}

// finite returns numbers for JSON; null if there are none.
func finite(list []float64) any {
	if list == nil {
		return nil
	}
	numbers := make([]encode.Finite, len(list))
	for i, x := range list {
		numbers[i] = encode.Finite(x)
	}
	return numbers
}
