// Loops that do not end in a lifetime.

package jinja

import (
	"math"
	"strconv"
	"strings"
)

// mostRounds is how often the innermost loops may run: a chat has thousands of messages and tokens, not millions.
const mostRounds = 10_000_000

// loop follows the statements for and endfor, and multiplies the numbers of rounds of those over a constant range.
func (j *judge) loop(t []token) {
	if !j.block || len(t) == 0 {
		return
	}
	switch {
	case t[0].named("for"):
		rounds := 1.0
		if n := len(j.loops); n > 0 {
			rounds = j.loops[n-1]
		}
		if rounds *= ranged(t); rounds > mostRounds {
			j.find(Busy, t[0].at, "its loops run %s times", strconv.FormatFloat(rounds, 'g', 3, 64))
		}
		j.loops = append(j.loops, rounds)
	case t[0].named("endfor") && len(j.loops) > 0:
		j.loops = j.loops[:len(j.loops)-1]
	}
}

// ranged returns the length of the constant range over which a loop runs, 1 for any other list.
func ranged(t []token) float64 {
	for i := range t {
		if !t[i].named("range") || i+2 >= len(t) || !t[i+1].is("(") {
			continue
		}
		bounds := []float64{0}
		for k := i + 2; k+1 < len(t) && t[k].kind == number; k += 2 {
			x, err := strconv.ParseFloat(strings.ReplaceAll(t[k].text, "_", ""), 64)
			if err != nil || !t[k+1].is(",") && !t[k+1].is(")") {
				return 1
			}
			if bounds = append(bounds, x); t[k+1].is(")") {
				break
			}
		}
		n := len(bounds)
		switch n {
		case 1:
			return 1
		case 2: // the end
			return max(1, bounds[1])
		case 3: // the beginning and the end
			return max(1, bounds[2]-bounds[1])
		}
		return max(1, (bounds[2]-bounds[1])/math.Max(bounds[3], 1))
	}
	return 1
}
