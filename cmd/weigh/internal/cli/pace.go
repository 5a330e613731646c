// The line that shows progress: how much is done, how fast, and the time left.

package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
)

// A pace measures the rate of a Progress.
type pace struct{ samples []sample }

// A sample is how many bytes were processed at a time.
type sample struct {
	at   time.Time
	done int64
}

// paceWindow is the time over which the rate is measured.
const paceWindow = 10 * time.Second

// rate adds a sample, and returns the bytes per second in the window, or 0.
func (p *pace) rate(done int64, now time.Time) float64 {
	p.samples = append(p.samples, sample{now, done})
	for len(p.samples) > 2 && now.Sub(p.samples[1].at) >= paceWindow {
		p.samples = p.samples[1:]
	}
	passed := now.Sub(p.samples[0].at).Seconds()
	if passed <= 0 {
		return 0
	}
	return float64(done-p.samples[0].done) / passed
}

// line returns what shows the progress in so many columns. The percentage, the rate and the time left come first, then
// numbers, then a bar: as much as fits.
func (p *pace) line(of *Progress, width int, now time.Time) string {
	done, total := of.doneSize.Load(), of.Bytes.Load()
	share := fmt.Sprintf("%d%%", int(of.share()*100))
	if total == 0 && of.Tensors == 0 {
		share = "" // nobody knows
	}
	var rate, left string
	if speed := p.rate(done-of.skipped.Load(), now); speed >= 1 {
		rate = typeset.Bytes(int64(speed)) + "/s"
		if seconds := float64(total-done) / speed; total > done && seconds < 1e6 {
			left = (time.Duration(seconds+1) * time.Second).String()
		}
	}
	long := left
	if left != "" {
		long += " left"
	}
	for _, parts := range [][]string{
		{share, of.String(), rate, long}, {share, of.size(), rate, long}, {share, rate, long}, {share, rate, left},
		{share, left}, {share},
	} {
		line := oneLine(parts)
		if n := utf8.RuneCountInString(line); n <= width {
			return bar(of.share(), width-n) + line
		}
	}
	return cut(share, width)
}

// oneLine joins the parts that are not empty.
func oneLine(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// bar returns a bar and a space in at most so many columns, or "" if they are too few.
func bar(share float64, columns int) string {
	const least, most = 13, 33
	if columns < least || share == 0 {
		return ""
	}
	inner := min(columns, most) - len("[] ")
	full := int(share * float64(inner))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", inner-full) + "] "
}

// cut returns the start of a text.
func cut(text string, columns int) string {
	if r := []rune(text); len(r) > columns {
		return string(r[:max(columns, 0)])
	}
	return text
}
