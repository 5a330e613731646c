// The order of statistics.

package values

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/weightools/safetensors/stats"
)

// numbersBy maps sort keys to the numbers that they sort by, the largest first. A number that is not known is NaN, which
// comes last.
var numbersBy = map[string]func(s *stats.Summary) float64{
	"min":   func(s *stats.Summary) float64 { return -s.Min.Float64() }, // the smallest first
	"max":   func(s *stats.Summary) float64 { return s.Max.Float64() },
	"mean":  func(s *stats.Summary) float64 { return s.Mean },
	"std":   func(s *stats.Summary) float64 { return s.StdDev },
	"nan":   func(s *stats.Summary) float64 { return float64(s.NaN) },
	"inf":   func(s *stats.Summary) float64 { return float64(s.PosInf + s.NegInf) },
	"zeros": func(s *stats.Summary) float64 { return float64(s.Zero) },
	"flags": func(s *stats.Summary) float64 { return float64(len(s.Flags())) },
}

// StatsKeys are the sort keys of statistics.
var StatsKeys = slices.Sorted(maps.Keys(numbersBy))

// Arrange keeps only the rows with a flag, if flagged is set, sorts them by one of StatsKeys, and keeps at most limit
// rows if that is not 0. Without a key, the order is that of the tensors.
func (st *Stats) Arrange(key string, reverse, flagged bool, limit int) {
	st.selected = len(st.Rows)
	if st.Flagged = flagged; flagged {
		st.Rows = slices.DeleteFunc(st.Rows, func(r StatsRow) bool { return len(r.Summary.Flags()) == 0 })
	}
	st.sorted = key
	if number := numbersBy[key]; number != nil {
		slices.SortStableFunc(st.Rows, func(a, b StatsRow) int {
			x, y := number(a.Summary), number(b.Summary)
			if math.IsNaN(x) || math.IsNaN(y) {
				return cmp.Compare(y, x) // NaN is less than all numbers
			}
			if reverse {
				x, y = y, x
			}
			return cmp.Compare(y, x)
		})
	}
	if limit > 0 && len(st.Rows) > limit {
		st.Rows, st.Rest = st.Rows[:limit], st.Rows[limit:]
	}
}
