// Judging a set by the headers of all shards, in time linear in the number of tensors.

package checkpoint

import (
	"context"
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/internal/draft"
	"github.com/weightools/safetensors/checkpoint/internal/finding"
	"github.com/weightools/safetensors/checkpoint/internal/index"
	"github.com/weightools/safetensors/checkpoint/internal/shard"
)

// A survey is what is known of a set after all its shards were judged.
type survey struct {
	Findings
	c      *Checkpoint
	shards []surveyed
	errs   []error // read errors

	found []place32 // of each entry of the index; zero if it is in no shard
	stray []place32 // tensors in another shard than the index names
	other []place32 // tensors that no index lists
}

// A surveyed is a shard that was judged, or could not be.
type surveyed struct {
	*shard.Knowledge      // nil if the shard could not be read
	missing          bool // there is no such shard
}

// whole reports whether the shard exists and all its tensors are known.
func (s *surveyed) whole() bool { return s.Knowledge != nil && !s.Blind }

// A place32 is one tensor of a shard's header, in few bytes, because there may be a million. The
// shard is counted from 1: the zero place32 is none.
type place32 struct{ shard, tensor int32 }

func at(shard, tensor int) place32 { return place32{int32(shard) + 1, int32(tensor)} }

func newSurvey(c *Checkpoint) *survey {
	return &survey{c: c, shards: make([]surveyed, len(c.shards))}
}

// entry returns the entry of a header at a place.
func (s *survey) entry(p place32) *safetensors.TensorInfo {
	return &s.shards[p.shard-1].Header.Tensors[p.tensor]
}

// path returns the quoted path of a shard.
func (s *survey) path(shard int) string { return quote(s.c.shards[shard].Path) }

// judge judges the set. Errors are read errors.
func (s *survey) judge(ctx context.Context) (*safetensors.Report, []error) {
	if x := s.c.set.index; x != nil {
		s.Take(s.c.set.report)
		s.placeTensors(x)
		twins, misplaced := s.settleStrays(x)
		s.absent(ctx, x)
		s.misplaced(misplaced)
		if !index.Truncated(x) {
			s.unlisted()
			s.totalSize(x)
		}
		s.twins(ctx, append(twins, s.othersTwice()...))
	} else {
		s.Take(shard.JudgeParts(s.c.shards, func(i int) *shard.Knowledge { return s.shards[i].Knowledge }))
		s.deadNames()
		s.placeTensors(nil)
		s.twins(ctx, s.othersTwice())
	}
	for _, gap := range s.c.set.gaps() {
		s.Add(RuleShardMissing, "", safetensors.Span{}, "%s", gap)
	}
	s.otherFormats()
	s.beside(ctx)
	return s.Report(), s.errs
}

// placeTensors compares the shard of each tensor with the index, if there is one.
func (s *survey) placeTensors(x *Index) {
	if x != nil {
		s.found = make([]place32, len(x.Tensors))
	}
	for i := range s.shards {
		if s.shards[i].Knowledge != nil && s.shards[i].Header != nil {
			s.placeShard(x, i)
		}
	}
}

func (s *survey) placeShard(x *Index, shard int) {
	tensors := s.shards[shard].Header.Tensors
	name, home := "", -1 // of the shard that the index says of the tensor before
	for i := range tensors {
		e, ok := uint32(0), false
		if x != nil {
			e, ok = index.Find(x, tensors[i].Name)
		}
		if !ok {
			s.other = append(s.other, at(shard, i))
			continue
		}
		if listed := x.Tensors[e].Shard; listed != name || home < 0 {
			name, home = listed, s.c.set.home(listed)
		}
		if home == shard {
			s.found[e] = at(shard, i)
		} else {
			s.stray = append(s.stray, at(shard, i))
		}
	}
}

// settleStrays returns the tensors that are in the shard of the index and in another one, and
// tallies of the tensors that are only in another shard than the index names.
func (s *survey) settleStrays(x *Index) (twins []twin, misplaced *finding.Tallies[[2]string]) {
	misplaced = finding.NewTallies[[2]string]()
	for _, p := range s.stray {
		e, _ := index.Find(x, s.entry(p).Name) // it is listed
		listed := &x.Tensors[e]
		switch home := s.c.set.home(listed.Shard); {
		case s.found[e] != (place32{}):
			twins = append(twins, twin{s.found[e], p})
			continue
		case home >= 0 && (s.shards[home].missing || s.shards[home].whole()):
			misplaced.Add([2]string{listed.Shard, s.c.shards[p.shard-1].Path}, listed.Tensor, listed.Span)
		}
		s.found[e] = p
	}
	return twins, misplaced
}

// misplaced reports tensors that are only in another shard than the index names.
func (s *survey) misplaced(groups *finding.Tallies[[2]string]) {
	for key, t := range groups.All() {
		s.Add(RuleTensorMisplaced, t.First, t.At, "%s in shard %s, and the index puts %s in shard %s",
			t.Are(), quote(key[1]), t.It(), quote(key[0]))
	}
}

// absent reports entries of the index that no shard has: with the shard if that is missing, and
// otherwise for each shard. It skips shards whose headers could not be read completely, which have
// their own reports.
func (s *survey) absent(ctx context.Context, x *Index) {
	gone, lost := finding.NewTallies[string](), finding.NewTallies[string]()
	elsewhere := make(map[string]int) // of the tensors of missing shards, how many are in another
	var mtp *draft.Layers
	for i := range x.Tensors {
		e := &x.Tensors[i]
		home := s.c.set.home(e.Shard)
		switch {
		case home < 0:
			continue // invalid, which is reported
		case s.shards[home].missing:
			if mtp == nil {
				mtp = draft.New(s.c.set.config(ctx))
			}
			mtp.Add(e.Shard, e.Tensor)
			gone.Add(e.Shard, e.Tensor, e.Span)
			if s.found[i] != (place32{}) {
				elsewhere[e.Shard]++
			}
		case s.found[i] == (place32{}) && s.shards[home].whole():
			lost.Add(e.Shard, e.Tensor, e.Span)
		}
	}
	instead := s.c.set.Instead(ctx)
	for shard, t := range gone.All() {
		also := ""
		if n := elsewhere[shard]; n > 0 {
			also = fmt.Sprintf("; other shards have %d of them", n)
		}
		s.Add(RuleShardMissing, t.First, t.At, "shard %s is missing, and with it %s%s%s", quote(shard), t.OfIndex(),
			mtp.Of(shard), also)
		if instead != "" {
			s.Fix(finding.FixInstead(instead))
		}
	}
	for shard, t := range lost.All() {
		s.Add(RuleTensorMissing, t.First, t.At, lostDetail, t.Are(), t.It(), quote(shard))
	}
}

// unlisted reports tensors that the index does not list.
func (s *survey) unlisted() {
	groups := finding.NewTallies[int32]()
	for _, p := range s.other {
		groups.Add(p.shard, s.entry(p).Name, safetensors.Span{})
	}
	for shard, t := range groups.All() {
		s.Add(RuleTensorUnlisted, t.First, t.At, "%s in shard %s, and not in the index", t.Are(), s.path(int(shard)-1))
	}
}

// othersTwice returns the unlisted tensors that are in two shards. A header has no name twice: the
// last one counts.
func (s *survey) othersTwice() (twins []twin) {
	if len(s.c.shards) < 2 {
		return nil
	}
	first := make(map[string]place32, len(s.other))
	for _, p := range s.other {
		name := s.entry(p).Name
		if one, twice := first[name]; twice {
			twins = append(twins, twin{one, p})
		} else {
			first[name] = p
		}
	}
	return twins
}

// deadNames reports broken links, and missing parts.
func (s *survey) deadNames() {
	for i := range s.shards {
		if s.shards[i].missing {
			s.Add(RuleShardMissing, "", safetensors.Span{}, "shard %s is missing, or its name is a broken link", s.path(i))
		}
	}
}

// otherFormats reports that shards are not safetensors files, unless they are in a format whose types safetensors lacks.
func (s *survey) otherFormats() {
	n, first := 0, -1
	for i := range s.shards {
		if k := s.shards[i].Knowledge; k != nil && k.Format != "" && k.Stored == nil {
			if n++; first < 0 {
				first = i
			}
		}
	}
	switch n {
	case 0:
	case 1:
		s.Add(RuleWeightsFormat, "", safetensors.Span{}, "%s is not a safetensors file: its format is %s",
			s.path(first), s.shards[first].Format)
	default:
		s.Add(RuleWeightsFormat, "", safetensors.Span{}, "%d files are not safetensors files, the first %s: its "+
			"format is %s", n, s.path(first), s.shards[first].Format)
	}
}

// totalSize compares the total_size of the index with the sum of the sizes. It does so only if no
// tensor is missing, which is reported already.
func (s *survey) totalSize(x *Index) {
	if x.TotalSize < 0 {
		return
	}
	for i := range s.shards {
		if s.shards[i].Knowledge == nil || s.shards[i].Fault != nil {
			return
		}
	}
	var bytes, elems int64
	for _, p := range s.found {
		if p == (place32{}) {
			return
		}
		ti := s.entry(p)
		if bytes += ti.Size(); bytes < 0 {
			return // more than any disk has
		}
		elems += ti.NumElems()
	}
	if bytes == x.TotalSize {
		return
	}
	hint := ""
	if elems == x.TotalSize {
		hint = ": it is the number of their elements"
	}
	s.Add(RuleTotalSize, "", index.TotalSizeAt(x), "total_size is %d, and the tensors of the index take %d bytes%s",
		x.TotalSize, bytes, hint)
}
