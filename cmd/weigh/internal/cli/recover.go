// What killed runs have left in a folder that is written to.

package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Mend finishes what killed runs have begun in a local folder, and removes what they left.
func (s *Session) Mend(dir string) error {
	r, err := shards.Recover(dir, false)
	for _, line := range Recovered(r) {
		s.Notice("%s", line)
	}
	return err
}

// tidy removes what killed runs have left in the folder of a report. It does nothing if that would replace weights,
// and ignores errors, because the report does not depend on it.
func (s *Session) tidy(file string) {
	if dir := filepath.Dir(file); shards.Unfinished(dir) == nil {
		_ = s.Mend(dir)
	}
}

// Recovered describes a recovery in lines, none if it is nil.
func Recovered(r *shards.Recovery) (lines []string) {
	switch {
	case r == nil:
		return nil
	case r.TakenBack != nil:
		lines = append(lines, fmt.Sprintf("took back an interrupted run in %q: %s", r.Dir, Describe(r.TakenBack)))
	case r.Finished != nil:
		lines = append(lines, fmt.Sprintf("finished an interrupted run in %q: %s in place", r.Dir,
			typeset.Plural(int64(len(r.Finished)), "new file")))
	}
	if len(r.Removed) > 0 {
		lines = append(lines, fmt.Sprintf("removed what interrupted runs left in %q: %s", r.Dir,
			strings.Join(r.Removed, ", ")))
	}
	return lines
}
