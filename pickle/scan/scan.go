// A scan of one file.

package scan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/pickle"
)

// Scan analyzes the file of the given size in r. The name, which may be a path, is compared
// with the content.
//
// An error is an error of r; the report is then nil.
func (s *Scanner) Scan(r io.ReaderAt, size int64, name string) (*Report, error) {
	if ok, err := s.accepted(r, size); err != nil {
		return nil, err
	} else if ok {
		note := pickle.Finding{Rule: RuleAccepted, Message: "the policy accepts the file by its SHA-256"}
		return &Report{Format: "accepted", Complete: true, Findings: []Finding{{Finding: note}}}, nil
	}
	run := &scanning{Scanner: *s, report: new(Report), lookInto: look}
	run.budgets(size)
	file := run.newPart(nil, "", r, size)
	file.name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	if err := look(file); err != nil {
		return nil, err
	}
	run.report.Format, run.report.Verdict = file.format, file.verdict
	run.report.Reason, run.report.Complete = file.why(), file.reason == ""
	if run.report.Complete {
		run.report.Evidence = file.verdict
	}
	return run.report, nil
}

// accepted reports whether the policy accepts the file by its digest. It reads all of the
// file, unless the policy lists no digests.
func (s *Scanner) accepted(r io.ReaderAt, size int64) (bool, error) {
	if s.Policy == nil || len(s.Policy.Files) == 0 {
		return false, nil
	}
	sum := sha256.New()
	if n, err := io.Copy(sum, io.NewSectionReader(r, 0, size)); err != nil || n < size {
		return false, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return slices.Contains(s.Policy.Files, hex.EncodeToString(sum.Sum(nil))), nil
}
