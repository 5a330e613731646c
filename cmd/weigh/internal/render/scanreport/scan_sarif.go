// Scans as SARIF.

package scanreport

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/sarif"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan"
)

// pickleLevels maps severities to SARIF levels (3.27.10).
var pickleLevels = [...]string{pickle.Error: "error", pickle.Warning: "warning", pickle.Note: "note"}

// pickleProblems maps severities to GitHub's "problem.severity".
var pickleProblems = [...]string{pickle.Error: "error", pickle.Warning: "warning", pickle.Note: "recommendation"}

// SARIF writes the findings as a SARIF log of one run, with the program's version. Files that were
// not read or analyzed completely are notifications, and make the run unsuccessful.
func (c *Scan) SARIF(w io.Writer, s typeset.Style, version string) error {
	log := sarif.Log{Version: version}
	index := make(map[pickle.Rule]int)
	for rule := range scan.Rules() {
		index[rule] = len(log.Rules)
		log.Rules = append(log.Rules, sarifScanRule(rule))
	}
	log.Invocation.Successful = c.Complete()
	for i := range c.Unread {
		log.Invocation.Notifications = append(log.Invocation.Notifications,
			sarif.Unread(c.Root, c.Unread[i].File, c.Unread[i].Message))
	}
	for i := range c.Files {
		if f := &c.Files[i]; !f.Complete {
			log.Invocation.Notifications = append(log.Invocation.Notifications,
				sarif.Unread(c.Root, f.Path, "not analyzed completely: "+f.Reason))
		}
	}
	log.Results = func(yield func(any) bool) {
		r := sarifScan{root: c.Root, index: index, seen: make(map[string]int), yield: yield}
		for i := range c.Files {
			if !r.file(&c.Files[i]) {
				return
			}
		}
	}
	return log.Write(w, s)
}

// sarifScanRule returns a rule for the log.
func sarifScanRule(rule pickle.Rule) sarif.Rule {
	text, severity := scan.Text(rule), scan.Severity(rule)
	help := "https://github.com/weightools/safetensors/blob/main/docs/scan.md#" + string(rule)
	const more = "weigh scan --why explains the verdict on a file."
	return sarif.Rule{
		ID: string(rule), ShortDescription: sarif.Text{Text: text}, FullDescription: sarif.Text{Text: text},
		Help: sarif.Help{Text: text + " " + more, Markdown: text + "\n\n" + more + "\n\n[More about it](" + help +
			")"},
		HelpURI:       help,
		Configuration: sarif.Default{Level: pickleLevels[severity]},
		Properties:    sarif.Properties{Tags: []string{"security"}, Precision: "high", Problem: pickleProblems[severity]},
	}
}

// A sarifScan converts findings to results.
type sarifScan struct {
	root  string
	index map[pickle.Rule]int
	seen  map[string]int
	yield func(any) bool
}

// file yields the findings of a file.
func (r *sarifScan) file(f *ScannedFile) bool {
	parts := make(map[string]*scan.Member)
	for i := range f.Members {
		parts[f.Members[i].Path] = &f.Members[i]
	}
	names := make(map[told]string)
	for i := range f.Imports {
		im := &f.Imports[i]
		names[told{im.Rule, im.Member, im.Offset}] = im.String()
	}
	for i := range f.Findings {
		found := &f.Findings[i]
		at := sarif.Location{Physical: sarif.Physical{Artifact: sarif.At(r.root, f.Path), Region: sarif.WholeFile}}
		if off := f.offset(parts[found.Member], found); off >= 0 {
			length := int64(0)
			at.Physical.Region.ByteOffset, at.Physical.Region.ByteLength = &off, &length
		}
		if found.Member != "" {
			at.Logical = []sarif.Logical{{Name: typeset.Shortened(found.Member), Kind: "member"}}
		}
		print := f.fingerprint(found, names[told{found.Rule, found.Member, found.Offset}])
		if !r.yield(sarif.Result{
			RuleID: string(found.Rule), RuleIndex: r.index[found.Rule], Level: pickleLevels[found.Severity],
			Message: sarif.Message(found.Message), Locations: []sarif.Location{at},
			Fingerprints: sarif.Fingerprints(print, r.seen),
		}) {
			return false
		}
	}
	return true
}

// offset returns the offset of a finding in the file, or -1 if it is in compressed data.
func (f *ScannedFile) offset(m *scan.Member, found *scan.Finding) int64 {
	switch {
	case found.Member == "":
		return found.Offset
	case m == nil || m.Offset < 0:
		return -1
	}
	return m.Offset + found.Offset
}

// fingerprint identifies the finding across runs, by rule, archive member and import. It does not
// depend on offsets or messages.
func (f *ScannedFile) fingerprint(found *scan.Finding, name string) string {
	sum := sha256.Sum256([]byte(string(found.Rule) + "\x00" + path.Base(f.Path) + "\x00" + found.Member + "\x00" + name))
	return hex.EncodeToString(sum[:16])
}
