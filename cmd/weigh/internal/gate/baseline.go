// Baselines of known findings.

package gate

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/finding"
)

// baselineSchema identifies the file format.
const baselineSchema = "weigh.baseline/1"

// A Baseline counts findings by rule, file and tensor. Messages and bytes are not part of it,
// because they change when a file is rewritten.
type Baseline struct {
	name   string // for messages
	counts map[entry]int
}

// An entry identifies findings. With more set, it means findings that were counted but not
// kept.
type entry struct {
	rule, file, tensor string
	more               bool
}

// entryJSON is an entry in the file.
type entryJSON struct {
	Rule   string `json:"rule"`
	File   string `json:"file"`   // relative to the baseline's folder
	Tensor string `json:"tensor"` // "" for the file as a whole
	Count  int    `json:"count"`
	More   bool   `json:"more,omitempty"`
}

// entryOf returns the entry of a finding.
func entryOf(f *finding.Finding) entry {
	return entry{string(f.Rule), cmp.Or(f.Key, f.File), f.Name(), false}
}

// moreOf returns the entry of an omission.
func moreOf(o *finding.Omission) entry {
	return entry{string(o.Rule), cmp.Or(o.Key, o.File), "", true}
}

// NewBaseline records all findings that are not already allowed.
func NewBaseline(name string, findings []finding.Finding, omitted []finding.Omission) *Baseline {
	b := &Baseline{name, make(map[entry]int)}
	for i := range findings {
		if findings[i].Allowed == "" {
			b.counts[entryOf(&findings[i])]++
		}
	}
	for i := range omitted {
		if omitted[i].Allowed == "" {
			b.counts[moreOf(&omitted[i])] += omitted[i].N
		}
	}
	return b
}

// Len returns the number of recorded findings.
func (b *Baseline) Len() (n int) {
	for _, c := range b.counts {
		n += c
	}
	return n
}

// ReadBaseline parses a baseline. Name appears in errors.
func ReadBaseline(name string, text []byte) (*Baseline, error) {
	var doc struct {
		Schema   string      `json:"schema"`
		Findings []entryJSON `json:"findings"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&doc)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("something follows it")
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s is no baseline, as --write-baseline writes one: %w", name, err)
	case doc.Schema != baselineSchema:
		return nil, fmt.Errorf("%s is no baseline: its schema is %.100q, and has to be %q", name, doc.Schema, baselineSchema)
	}
	b := &Baseline{name, make(map[entry]int)}
	for i, e := range doc.Findings {
		if e.Count < 1 || e.Rule == "" || e.File == "" {
			return nil, fmt.Errorf("%s: finding number %d has no rule or no file, or a count below 1", name, i+1)
		}
		b.counts[entry{e.Rule, e.File, e.Tensor, e.More}] += e.Count
	}
	return b, nil
}

// IsBaseline reports whether r begins like a baseline. Such a file may be written again.
func IsBaseline(r io.Reader) bool {
	d := json.NewDecoder(io.LimitReader(r, 1<<10))
	for _, want := range []json.Token{json.Delim('{'), "schema", baselineSchema} {
		if got, err := d.Token(); err != nil || got != want {
			return false
		}
	}
	return true
}

// Write writes the baseline, one entry on each line, sorted.
func (b *Baseline) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "{\"schema\":%q,\"findings\":[", baselineSchema)
	for i, e := range b.entries() {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		line, err := json.Marshal(entryJSON{e.rule, e.file, e.tensor, b.counts[e], e.more})
		if err != nil {
			return err
		}
		out.Write(line)
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

// entries returns the sorted entries.
func (b *Baseline) entries() []entry {
	list := make([]entry, 0, len(b.counts))
	for e := range b.counts {
		list = append(list, e)
	}
	slices.SortFunc(list, func(x, y entry) int {
		return cmp.Or(cmp.Compare(x.file, y.file), cmp.Compare(x.rule, y.rule), cmp.Compare(x.tensor, y.tensor),
			finding.CompareBools(x.more, y.more))
	})
	return list
}

// Accept allows recorded findings. An omission is split if only part of it is recorded. It returns
// the recorded findings that were not found again, of files in scope.
func (b *Baseline) Accept(findings []finding.Finding, omitted []finding.Omission,
	inScope func(file string) bool) (all []finding.Omission, stale []finding.Stale) {
	left := make(map[entry]int, len(b.counts))
	for e, n := range b.counts {
		left[e] = n
	}
	why := "recorded in " + b.name
	for i := range findings {
		f := &findings[i]
		if e := entryOf(f); left[e] > 0 {
			left[e]--
			f.Allowed = cmp.Or(f.Allowed, why)
		}
	}
	for _, o := range omitted {
		e := moreOf(&o)
		known := o
		known.N, known.Allowed = min(o.N, left[e]), cmp.Or(o.Allowed, why)
		left[e] -= known.N
		o.N -= known.N
		for _, part := range []finding.Omission{known, o} {
			if part.N > 0 {
				all = append(all, part)
			}
		}
	}
	for _, e := range b.entries() {
		if n := left[e]; n > 0 && inScope(e.file) {
			stale = append(stale, finding.Stale{Rule: e.rule, File: e.file, Tensor: e.tensor, Count: n})
		}
	}
	return all, stale
}
