// Names of the files of a checkpoint.

package zero

import (
	"fmt"
	"strconv"
	"strings"
)

// A name is the name of a file, which says what it has. (deepspeed/runtime/engine.py, _get_ckpt_name and
// _get_rank_zero_ckpt_name, of DeepSpeed 0.19.8.)
type name struct {
	optimizer   bool // the file has the part of weights and optimizer state; otherwise names and shapes
	divided     bool // every process has a file
	data, model int  // the ranks in data and model parallelism
}

const (
	modelEnd     = "_model_states.pt"
	optimizerEnd = "_optim_states.pt"
	dataBegin    = "zero_pp_rank_"
	modelBegin   = "mp_rank_"
)

// precisions are what names of files with optimizer state can begin with.
var precisions = []string{"bf16_", "", "fp16_"}

// parse returns what a base name says; ok is false for files of other programs.
func parse(base string) (n name, ok bool) {
	rest, ok := strings.CutSuffix(base, modelEnd)
	if !ok {
		if rest, n.optimizer = strings.CutSuffix(base, optimizerEnd); !n.optimizer {
			return n, false
		}
		for _, p := range precisions {
			rest = strings.TrimPrefix(rest, p)
		}
	}
	if after, found := strings.CutPrefix(rest, dataBegin); found {
		digits, model, _ := strings.Cut(after, "_")
		if n.data, n.divided = number(digits); !n.divided {
			return n, false
		}
		rest = model
	}
	digits, ok := strings.CutPrefix(rest, modelBegin)
	if !ok || n.optimizer && !n.divided {
		return n, false
	}
	n.model, ok = number(digits)
	return n, ok
}

// number returns the number that digits say.
func number(digits string) (n int, ok bool) {
	const most = 6
	if len(digits) == 0 || len(digits) > most || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil
}

// The heads: the files with names and shapes, of stages 1 and 2, and of stage 3.
var (
	sharedHead  = modelBegin + "00" + modelEnd
	dividedHead = dataBegin + "0_" + sharedHead
)

// heads implements Heads of [checkpoint.Joined].
func heads(base string) []string {
	n, ok := parse(base)
	switch {
	case isUniversal(base):
		return []string{base}
	case !ok:
		return nil
	case n.optimizer:
		return []string{sharedHead, dividedHead}
	case n.divided:
		return []string{dividedHead}
	}
	return []string{sharedHead}
}

// modelFile returns the name of the file with names and shapes of a process in stage 3.
func modelFile(rank int) string {
	return fmt.Sprintf("%s%d_%s00%s", dataBegin, rank, modelBegin, modelEnd)
}

// optimizerFile returns the name of the file with the part of a process.
func optimizerFile(precision string, rank int) string {
	return fmt.Sprintf("%s%s%d_%s00%s", precision, dataBegin, rank, modelBegin, optimizerEnd)
}

// isHead reports whether a file has the names and shapes of a model.
func isHead(base string) bool { return base == sharedHead || base == dividedHead }
