// Metadata in readable form.

package listing

import (
	"bufio"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model/metadata"
)

// facts is the metadata of one file, and its digests if they were computed.
type facts struct {
	groups []metadata.Group
	sums   *metadata.Sums
}

// statuses are the names of statuses in JSON.
var statuses = [...]string{metadata.Unverified: "unknown", metadata.Verified: "true", metadata.Mismatch: "false"}

// factsJSON returns facts for JSON.
func factsJSON(groups []metadata.Group) encode.Elements {
	return func(yield func(any) bool) {
		for _, g := range groups {
			for _, one := range g.Facts {
				if !yield([]encode.Member{encode.M("group", g.Title), encode.M("name", one.Name),
					encode.M("value", one.Value), encode.M("key", one.Key)}) {
					return
				}
			}
		}
	}
}

// digestsJSON returns digests for JSON; null if they were not computed.
func digestsJSON(s *metadata.Sums) any {
	if s == nil {
		return nil
	}
	return []encode.Member{
		encode.M("sha256", s.SHA256),
		encode.M("data_sha256", s.Data),
		encode.M("autov1", s.AutoV1),
		encode.M("autov2", s.AutoV2),
		encode.M("autov3", s.AutoV3),
		encode.M("claims", encode.List(s.Claims, func(c *metadata.Claim) any {
			return []encode.Member{encode.M("key", c.Key), encode.M("says", c.Says), encode.M("is", c.Is),
				encode.M("verdict", statuses[c.Status]), encode.M("why", c.Why)}
		})),
	}
}

// write writes the groups under their titles, then the digests, with an indentation.
func (f *facts) write(w *bufio.Writer, s typeset.Style, indent int) {
	first := true
	title := func(text string) {
		if !first {
			w.WriteByte('\n')
		}
		first = false
		typeset.Spaces(w, indent)
		w.WriteString(s.Paint(typeset.Bold, text) + "\n")
	}
	for _, g := range f.groups {
		title(g.Title)
		rows := make([][2]string, len(g.Facts))
		for i, one := range g.Facts {
			rows[i] = [2]string{one.Name, one.Value}
		}
		writePairs(w, s, indent+2, rows)
	}
	if len(f.groups) == 0 {
		typeset.Spaces(w, indent)
		w.WriteString(s.Paint(typeset.Dim, "no metadata") + "\n")
		first = false
	}
	if f.sums == nil {
		return
	}
	title("Digests")
	writePairs(w, s, indent+2, [][2]string{
		{"SHA-256 of the file", f.sums.SHA256}, {"SHA-256 of the data", f.sums.Data},
		{"AutoV1", f.sums.AutoV1}, {"AutoV2", f.sums.AutoV2}, {"AutoV3", f.sums.AutoV3},
	})
	if len(f.sums.Claims) == 0 {
		return
	}
	title("Digests in the metadata")
	var rows [][2]string
	for _, c := range f.sums.Claims {
		rows = append(rows, [2]string{c.Key, claimed(&c)})
	}
	writePairs(w, s, indent+2, rows)
}

// claimed says whether a hash in the metadata matches.
func claimed(c *metadata.Claim) string {
	switch {
	case c.Status == metadata.Verified:
		return "verified: it is the digest " + c.Of
	case c.Status == metadata.Mismatch:
		return "MISMATCH: the digest " + c.Of + " is " + c.Is + ": " + c.Why
	}
	return "cannot be verified: " + c.Why
}

// writePairs writes names and values in two columns. On a terminal it wraps and shortens long
// values.
func writePairs(w *bufio.Writer, s typeset.Style, indent int, rows [][2]string) {
	const widest = 32 // columns; longer names get a line for themselves
	column := 0
	for _, r := range rows {
		if n := typeset.Width(typeset.Name(r[0])); n <= widest {
			column = max(column, n)
		}
	}
	for _, r := range rows {
		name := typeset.Name(r[0])
		typeset.Spaces(w, indent)
		w.WriteString(s.Paint(typeset.Dim, s.Fit(name)))
		at := indent + column + 2
		if n := typeset.Width(name); n <= column {
			typeset.Spaces(w, column+2-n)
		} else if s.Terminal() {
			w.WriteByte('\n')
			typeset.Spaces(w, at)
		} else {
			typeset.Spaces(w, 2)
		}
		typeset.Wrap(w, s, at, "", headOfValue(s, at, r[1]))
	}
}

// headOfValue shortens a value to a few lines on a terminal: some are logs of a megabyte.
func headOfValue(s typeset.Style, at int, value string) string {
	const lines = 8
	text := typeset.Line(value)
	if text == "" {
		return `""`
	}
	most := lines * max(s.Width-at, 20)
	if !s.Terminal() || typeset.Width(text) <= most {
		return text
	}
	return typeset.HeadOf(text, most) + "… (" + typeset.Count(int64(len(value))) + " bytes)"
}
