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

// Scan looks at the file of the given size behind r. Its name, which may be a path,
// is only good for saying that the file is not what it is called.
//
// The error is of reading r, never of what was read; there is no report then.
func (s *Scanner) Scan(r io.ReaderAt, size int64, name string) (*Report, error) {
	if ok, err := s.accepted(r, size); err != nil {
		return nil, err
	} else if ok {
		note := pickle.Finding{Rule: RuleAccepted, Message: "the policy accepts the file as it is, by its SHA-256"}
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
	return run.report, nil
}

// accepted says whether the policy accepts the file as it is, by its digest. To know
// that, all of it has to be read.
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
