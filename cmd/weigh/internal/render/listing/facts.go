// Metadata in readable form.

package listing

import (
	"bufio"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/model/metadata"
)

// facts is the metadata of one file, and its digests if they were computed.
type facts struct {
	groups []metadata.Group
	sums   *metadata.Sums
}

// A saidJSON is a fact in JSON.
type saidJSON struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value string `json:"value"`
	Key   string `json:"key"`
}

// A claimJSON is a claim in JSON.
type claimJSON struct {
	Key     string `json:"key"`
	Says    string `json:"says"`
	Is      string `json:"is"`
	Verdict string `json:"verdict"`
	Why     string `json:"why"`
}

// A sumsJSON is the digests of a file in JSON.
type sumsJSON struct {
	SHA256 string      `json:"sha256"`
	Data   string      `json:"data_sha256"`
	AutoV1 string      `json:"autov1"`
	AutoV2 string      `json:"autov2"`
	AutoV3 string      `json:"autov3"`
	Claims []claimJSON `json:"claims"`
}

// statuses are the names of statuses in JSON.
var statuses = [...]string{metadata.Unverified: "unknown", metadata.Verified: "true", metadata.Mismatch: "false"}

// saidOf returns facts for JSON.
func saidOf(groups []metadata.Group) []saidJSON {
	list := []saidJSON{}
	for _, g := range groups {
		for _, one := range g.Facts {
			list = append(list, saidJSON{g.Title, one.Name, one.Value, one.Key})
		}
	}
	return list
}

// digestsJSON returns digests for JSON, or nil.
func digestsJSON(s *metadata.Sums) *sumsJSON {
	if s == nil {
		return nil
	}
	j := &sumsJSON{s.SHA256, s.Data, s.AutoV1, s.AutoV2, s.AutoV3, []claimJSON{}}
	for _, c := range s.Claims {
		j.Claims = append(j.Claims, claimJSON{c.Key, c.Says, c.Is, statuses[c.Status], c.Why})
	}
	return j
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
	title("Verified")
	rows := [][2]string{
		{"SHA-256 of the file", f.sums.SHA256}, {"SHA-256 of the data", f.sums.Data},
		{"AutoV1", f.sums.AutoV1}, {"AutoV2", f.sums.AutoV2}, {"AutoV3", f.sums.AutoV3},
	}
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
