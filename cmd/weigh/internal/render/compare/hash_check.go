// Verification of checksums.

package compare

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// Outcomes of a comparison.
const (
	SumMatches = "ok"
	SumDiffers = "failed"  // another digest
	SumMissing = "missing" // recorded but not found
	SumExtra   = "extra"   // found but not recorded
	SumUnread  = "unread"  // not readable
)

// A SumCheck is the result of a verification.
type SumCheck struct {
	Recorded string // the file with the digests
	Algo     string
	What     string // "file" or "tensor"
	Results  []SumResult
	Quiet    bool // write only mismatches, and no summary
	Guessed  bool // nothing says that the digests are of this algorithm
}

// A SumResult is the result for one file or tensor.
type SumResult struct {
	Name    string `json:"name"`
	Outcome string `json:"outcome"`
	Detail  string `json:"detail"` // one line, or ""
}

// Failed reports whether there is a mismatch.
func (c *SumCheck) Failed() bool {
	return c.count(SumDiffers)+c.count(SumMissing)+c.count(SumExtra) > 0
}

// Unread reports whether something was not readable.
func (c *SumCheck) Unread() bool { return c.count(SumUnread) > 0 }

func (c *SumCheck) count(outcome string) (n int) {
	for i := range c.Results {
		if c.Results[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// JSON streams weigh.sums/1.
func (c *SumCheck) JSON(w io.Writer, s typeset.Style) error {
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.sums/1"),
		encode.M("recorded", c.Recorded),
		encode.M("algo", c.Algo),
		encode.M("what", c.What),
		encode.M("ok", !c.Failed() && !c.Unread()),
		encode.M("results", c.Results),
	})
}

// Text writes a line for each file, like sha256sum -c, but only mismatches of tensors.
func (c *SumCheck) Text(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		for _, r := range c.Results {
			if r.Outcome == SumMatches && (c.Quiet || c.What == "tensor") {
				continue
			}
			color := typeset.Red
			if r.Outcome == SumMatches {
				color = typeset.Green
			}
			w.WriteString(typeset.Name(r.Name) + ": " + s.Paint(color, strings.ToUpper(r.Outcome)))
			if r.Detail != "" {
				w.WriteString(": " + typeset.Line(r.Detail))
			}
			w.WriteByte('\n')
		}
		if c.Quiet {
			return
		}
		color := typeset.Green
		if c.Failed() || c.Unread() {
			color = typeset.Red
		}
		typeset.Wrap(w, s, 0, color, c.verdict())
	})
}

// verdict returns the summary line.
func (c *SumCheck) verdict() string {
	all := typeset.Plural(int64(len(c.Results)), c.What)
	if right := c.count(SumMatches); right < len(c.Results) {
		text := fmt.Sprintf("%s: %s of %s match, %d failed, %d missing, %d not recorded, %d unread", typeset.Label(c.Recorded),
			typeset.Count(int64(right)), all, c.count(SumDiffers), c.count(SumMissing), c.count(SumExtra), c.count(SumUnread))
		if c.Guessed && c.Algo == "sha256" && right == 0 && c.count(SumDiffers) > 0 {
			text += "; the list does not name its algorithm: if its digests are of BLAKE3, add --algo blake3"
		}
		return text
	}
	return typeset.Label(c.Recorded) + ": " + all + " match"
}
