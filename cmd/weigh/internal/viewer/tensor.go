// One tensor: what it is, and its values as text.

package viewer

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/values"
	"github.com/weightools/safetensors/cmd/weigh/internal/viewer/reply"
)

// mostElements is the number of elements of a slice as text.
const mostElements = 10_000

// Views of a tensor: as the file stores it, or as the weight that it is a part of.
const (
	asStored = "stored"
	asWeight = "weight"
)

// A subject is the tensor that a request is about.
type subject struct {
	*opened
	id int
	as string
	listing.Row
}

// subject returns the tensor that a request is about.
func (v *Viewer) subject(r *reply.Request) (*subject, error) {
	o, err := v.target(r, "t")
	if err != nil {
		return nil, err
	}
	id, err := o.find(r)
	if err != nil {
		return nil, err
	}
	s := &subject{opened: o, id: id, as: r.FormValue("as"), Row: o.row(id)}
	views := o.views(id)
	if s.as == "" {
		s.as = views[0]
	}
	if !slices.Contains(views, s.as) {
		return nil, reply.Wrong("as must be %s for this tensor, not %s", strings.Join(views, " or "),
			reply.Quoted(s.as))
	}
	return s, nil
}

// open returns the tensor. Its reads end with ctx; call release after them.
func (s *subject) open(ctx context.Context) (t *safetensors.Tensor, release func(), err error) {
	if s.as == asWeight {
		return s.weight(ctx, s.id)
	}
	return s.stored(ctx, s.id)
}

// tensor answers with what a tensor is.
func (v *Viewer) tensor(r *reply.Request) (reply.Answer, error) {
	s, err := v.subject(r)
	if err != nil {
		return nil, err
	}
	row := s.rowJSON(s.id)
	members := []encode.Member{encode.M("schema", "weigh.view.tensor/1"), encode.M("t", s.t), encode.M("id", s.id),
		encode.M("name", row.Name), encode.M("label", labelOf(s.Name)), encode.M("dtype", row.Dtype),
		encode.M("shape", row.Shape), encode.M("elements", row.Elements), encode.M("bytes", row.Bytes),
		encode.M("file", row.File), encode.M("file_offsets", row.FileOffsets),
		encode.M("data_offsets", row.DataOffsets), encode.M("flags", row.Flags)}
	previous, next := encode.Known(s.id-1), encode.Known(s.id+1)
	if s.id+1 == s.all {
		next = encode.Unknown
	}
	var reason *string
	t, release, err := s.open(r.Ctx())
	if err == nil {
		defer release()
		_, err = drawable(t)
	}
	if err != nil {
		text := typeset.Line(describe(err))
		reason = &text
	}
	return reply.Object(append(members, encode.M("previous", previous), encode.M("next", next),
		encode.M("readable", err == nil), encode.M("reason", reason), encode.M("weight", s.weightJSON(s.id)),
		encode.M("views", s.views(s.id)), encode.M("remote", s.remote),
		encode.M("command", s.command("")))...), nil
}

// command returns the command that prints the tensor or a slice of it; nil if its name is long, or cannot be shown as
// it is.
func (s *subject) command(slice string) *string {
	if len(s.Name) > mostName || typeset.Line(s.Name) != s.Name {
		return nil
	}
	if slice != "" {
		slice = "[" + slice + "]"
	}
	flags := ""
	if s.as == asStored && len(s.views(s.id)) > 1 {
		flags = "--packed "
	}
	name := s.opened.name.String()
	if len(s.files()) > 1 && s.repeated(s.Name) {
		name = s.files()[s.File].Path
	}
	line := "weigh cat " + flags + shellWord(name) + " " + shellWord(s.Name+slice)
	return &line
}

// repeated reports whether several files have a tensor of that name.
func (o *opened) repeated(name string) bool {
	n := 0
	for i := range o.files() {
		if h := o.files()[i].Header; h != nil && h.Lookup(name) != nil {
			n++
		}
	}
	return n > 1
}

// shellWord quotes a word for a POSIX shell, if that is needed.
func shellWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:@,+="
	if word != "" && strings.Trim(word, plain) == "" && !strings.HasPrefix(word, "-") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// slice answers with the values of a slice as cat prints them.
func (v *Viewer) slice(r *reply.Request) (reply.Answer, error) {
	s, err := v.subject(r)
	if err != nil {
		return nil, err
	}
	text := strings.Trim(strings.TrimSpace(r.FormValue("slice")), "[]")
	ranges, err := safetensors.ParseRanges(text)
	if err != nil {
		return nil, reply.Wrong("%s", describe(err))
	}
	t, release, err := s.open(r.Ctx())
	if err != nil {
		return nil, err
	}
	defer release()
	part, err := t.Slice(ranges...)
	if err != nil && t.Dtype.Bits() < 8 { // the part does not fill whole bytes
		if t, err = t.Convert(safetensors.F32); err == nil {
			part, err = t.Slice(ranges...)
		}
	}
	if err != nil {
		return nil, reply.Wrong("%s", describe(err))
	}
	if n := part.NumElems(); n > mostElements {
		return nil, reply.Problemf(http.StatusRequestEntityTooLarge,
			"the slice has %s, and the page shows at most %s: take a smaller one, or run weigh cat",
			typeset.Plural(n, "element"), typeset.Count(mostElements))
	}
	var printed bytes.Buffer
	c := &values.Cat{Tensor: part, Dtype: t.Dtype, Slice: text, All: true}
	if err := c.Text(&printed, typeset.Style{}); err != nil {
		return nil, err
	}
	return reply.Object(encode.M("schema", "weigh.view.slice/1"), encode.M("slice", text), encode.M("dtype", t.Dtype),
		encode.M("shape", append(encode.Dims{}, part.Shape...)), encode.M("text", printed.String()),
		encode.M("command", s.command(text))), nil
}
