// Metadata reports.

package listing

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model/metadata"
)

// A Metadata is the metadata of the files in an inventory.
type Metadata struct {
	Inventory
	Sums map[string]*metadata.Sums // digests by path; nil if not computed
	Raw  bool                      // show keys and values unchanged
}

// Failed reports whether a hash in the metadata does not match.
func (m *Metadata) Failed() bool {
	for _, sums := range m.Sums {
		for _, c := range sums.Claims {
			if c.Status == metadata.Mismatch {
				return true
			}
		}
	}
	return false
}

// A group is a set of equal things: the index of the first one and their number.
type group struct{ First, n int }

// Of describes the group by the label of its first member.
func (g group) Of(first string) string {
	if g.n > 1 {
		return fmt.Sprintf("%s and %s more", first, typeset.Count(int64(g.n-1)))
	}
	return first
}

// Grouped groups n things by equality, in the order of first members.
func Grouped(n int, alike func(i, j int) bool) (groups []group) {
	for i := range n {
		j := slices.IndexFunc(groups, func(g group) bool { return alike(g.First, i) })
		if j < 0 {
			j = len(groups)
			groups = append(groups, group{First: i})
		}
		groups[j].n++
	}
	return groups
}

// groupsOf groups files with a header by metadata.
func groupsOf(files []File) []group {
	groups := Grouped(len(files), func(i, j int) bool {
		a, b := files[i].Header, files[j].Header
		return a == nil && b == nil || a != nil && b != nil && maps.Equal(a.Metadata, b.Metadata) &&
			(a.Metadata == nil) == (b.Metadata == nil)
	})
	return slices.DeleteFunc(groups, func(g group) bool { return files[g.First].Header == nil })
}

// ShortValue returns a value for a line in which used columns are taken. On a terminal it is
// shortened unless all is set.
func ShortValue(s typeset.Style, used int, value string, all bool) string {
	text := typeset.Line(value)
	room := max(s.Width-used, 0)
	if !s.Terminal() || all || typeset.Width(text) <= room {
		return text
	}
	rest := fmt.Sprintf("… (%s bytes)", typeset.Count(int64(len(value))))
	return typeset.HeadOf(text, max(room-utf8.RuneCountInString(rest), 0)) + s.Paint(typeset.Dim, rest)
}

// expanded returns the value as JSON if it is an object or an array. Numbers and words stay text.
func expanded(value string) (json.RawMessage, bool) {
	text := strings.TrimLeft(value, " \t\r\n")
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") || !json.Valid([]byte(text)) {
		return nil, false
	}
	return json.RawMessage(text), true
}

// Text writes the metadata, under file names if it differs: in readable form, or raw with JSON
// indented.
func (m *Metadata) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		groups := groupsOf(m.Files)
		if m.Sums != nil { // digests differ for each file
			groups = Grouped(len(m.Files), func(i, j int) bool { return i == j })
			groups = slices.DeleteFunc(groups, func(g group) bool { return m.Files[g.First].Header == nil })
		}
		for i, g := range groups {
			depth := 0
			if len(groups) > 1 {
				if i > 0 {
					w.WriteByte('\n')
				}
				w.WriteString(s.Paint(typeset.Bold, g.Of(typeset.Label(m.Files[g.First].Path))) + "\n")
				depth = 1
			}
			f := &m.Files[g.First]
			if m.Raw {
				writeValues(w, s, f.Header.Metadata, depth)
			} else {
				(&facts{metadata.Describe(f.Header.Metadata), m.Sums[f.Path]}).write(w, s, 2*depth)
			}
		}
		if len(m.Findings) > 0 && len(groups) > 0 && worseThan(m.Findings) {
			w.WriteByte('\n')
		}
		finding.WriteProblems(w, s, m.Findings, m.Omitted)
	})
}

// worseThan reports whether there is a finding for which files are refused.
func worseThan(findings []finding.Finding) bool {
	worst, any := finding.Worst(findings)
	return any && worst >= finding.Nonconforming
}

// writeValues writes raw metadata at an indentation level.
func writeValues(w *bufio.Writer, s typeset.Style, metadata map[string]string, depth int) {
	const step = 2 // columns
	switch {
	case metadata == nil:
		typeset.Spaces(w, step*depth)
		w.WriteString(s.Paint(typeset.Dim, "no metadata") + "\n")
	case len(metadata) == 0:
		typeset.Spaces(w, step*depth)
		w.WriteString(s.Paint(typeset.Dim, "empty metadata") + "\n")
	}
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		typeset.Spaces(w, step*depth)
		w.WriteString(s.Paint(typeset.Cyan, typeset.Name(key)) + ":")
		value := metadata[key]
		if text, ok := expanded(value); ok {
			w.WriteByte(' ')
			encode.Indent(w, text, depth)
			continue
		}
		if !strings.Contains(value, "\n") {
			w.WriteString(" " + typeset.Line(value) + "\n")
			continue
		}
		w.WriteByte('\n')
		for line := range strings.SplitSeq(strings.TrimSuffix(value, "\n"), "\n") {
			typeset.Spaces(w, step*(depth+1))
			w.WriteString(typeset.Line(strings.TrimSuffix(line, "\r")) + "\n")
		}
	}
}

// json returns a file for JSON. Values that are JSON objects or arrays are expanded.
func (m *Metadata) json(f *File) any {
	var entries map[string]string
	if f.Header != nil {
		entries = f.Header.Metadata
	}
	all := make(map[string]json.RawMessage)
	for key, value := range entries {
		if text, ok := expanded(value); ok {
			all[key] = text
		}
	}
	return []encode.Member{
		encode.M("path", f.Path),
		encode.M("metadata", entries),
		encode.M("expanded", all),
		encode.M("facts", factsJSON(metadata.Describe(entries))),
		encode.M("digests", digestsJSON(m.Sums[f.Path])),
	}
}

// JSON streams weigh.metadata/1.
func (m *Metadata) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.metadata/1"),
		encode.M("targets", m.Targets),
		encode.M("files", encode.List(m.Files, m.json)),
		encode.M("violations", finding.FindingsJSON(m.Findings)),
	})
}
