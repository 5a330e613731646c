// Loading a pickle, and refusing what could not be read whole.

package torch

import (
	"io"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
)

// load loads a pickle of one complete stream.
func (f *file) load(r io.ReaderAt, size int64) (*pickle.Graph, error) {
	g, err := pickle.Load(r, size, f.opts.Pickle)
	if err != nil {
		return nil, err
	}
	return g, f.judge(g, 1)
}

// judge keeps the report on a graph with the expected number of streams. It returns an error if the graph is
// incomplete.
func (f *file) judge(g *pickle.Graph, streams int) error {
	f.Report = g.Report
	switch have := g.Report.Streams; {
	case len(have) == 0:
		return notCheckpoint("the file contains no pickle")
	case !have[min(streams, len(have))-1].Stopped:
		fail := refuse
		if overBudget(g.Report) {
			fail = exceeds
		}
		return fail("the pickle is incomplete: %s", cutReason(g.Report))
	case len(have) < streams:
		return refuse("the file is truncated: it contains only %d of %d pickles; download it again", len(have), streams)
	case len(have) > streams:
		return refuse("the file contains %s instead of %d", wording.Count(len(have), "pickle"), streams)
	}
	return nil
}

// overBudget reports whether the analysis of a pickle exceeded a limit.
func overBudget(r *pickle.Report) bool {
	return slices.ContainsFunc(r.Findings, func(f pickle.Finding) bool { return f.Rule == pickle.RuleBudget })
}

// cutReason returns why a pickle is incomplete.
func cutReason(r *pickle.Report) string {
	if r.Reason != "" {
		return r.Reason
	}
	return "it does not end with STOP"
}
