// hf.js: why its number is not ours, in one sentence for each reason.

package quant

// cause says why hf.js counts so many parameters of an entry that has others.
func (h *hfjs) cause(e *entry, theirs float64) string {
	switch e.rule {
	case RuleBookkeeping, RuleScaleDtype:
		if h.factor(e) > 1 {
			return "It takes bookkeeping that is kept in integers for packed values."
		}
		return "It counts scales, zero points and other bookkeeping of packed weights that it does not know."
	case RuleBuffer, RuleMask, RuleIndex:
		return "It counts buffers, masks and indices."
	case RulePlain:
		switch {
		case len(e.ti.Shape) == 0:
			return "It leaves out scalars."
		case theirs == 0:
			return "It leaves out parameters that are called as scales are."
		}
		return "It takes parameters for packed values, by their dtype."
	case RuleUnknown:
		return "It knows no more than we do how the rest is packed, and ours is the most that it can be."
	}
	switch {
	case theirs == 0:
		return "It leaves out weights, by their dtype or name."
	case h.factor(e) == 1:
		return "It takes an element of a weight packed by " + e.name + " for one parameter."
	case e.rule == "int-words" && theirs < float64(e.params.High) && h.config.bits == float64(e.bits):
		return "It takes a word for floor(32 / bits) values, which for 3 bits is 10, but 32 values fill three words."
	case e.rule == "int-words", e.rule == "mlx":
		return "It goes by the one width that the configuration says, and modules have others."
	case e.rule == "packed-int" && e.params.Exact():
		return "It takes the last word of each row for full."
	}
	return "It takes an element for another number of values than the shapes prove."
}
