// Tar archives, including the checkpoints of PyTorch 0.1.

package scan

import (
	"io"
	"path"
	"slices"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/tarwalk"
	"github.com/weightools/safetensors/pickle/internal/torchfile"
)

// tar analyzes a tar archive.
func (p *part) tar() error {
	a, err := tarwalk.Walk(p.file, p.size, &tarwalk.Options{Members: p.MaxMembers})
	if err != nil {
		return err
	}
	names := make(map[string]bool)
	for i := range a.Members {
		names[a.Members[i].Name] = true
	}
	old := names["storages"] && names["tensors"] && names["pickle"] || a.Cut && oldNames(a.Members)
	if old {
		p.Is("pytorch-tar")
	} else {
		p.Is("tar")
	}
	p.holds = true
	if p.within != nil {
		p.Find(RuleNestedArchive, 0, "an archive of %s is nested in the file", wording.Count(len(a.Members), "member"))
	}
	for _, f := range a.Faults {
		p.Add(pickle.Finding{Rule: pickle.Rule(f.Kind), Severity: Severity(pickle.Rule(f.Kind)), Offset: f.Offset,
			Message: f.Detail})
	}
	p.report.Omitted += a.Omitted
	for i := range a.Members {
		if err := p.tarMember(&a.Members[i], old); err != nil {
			return err
		}
	}
	if a.Partial != "" {
		p.Unscanned(0, "%s", a.Partial)
	}
	p.explain(0, a.End)
	for _, gap := range a.Gaps {
		if gap.End > a.End {
			continue // behind the archive
		}
		if err := p.Sweep(gap); err != nil {
			return err
		}
	}
	return nil
}

// oldNames reports whether all members have names of a checkpoint of PyTorch 0.1.
func oldNames(members []tarwalk.Member) bool {
	known := map[string]bool{"sys_info": true, "pickle": true, "storages": true, "tensors": true}
	return len(members) > 0 && !slices.ContainsFunc(members, func(m tarwalk.Member) bool { return !known[m.Name] })
}

// tarMember analyzes a member. Folders and links have no content.
func (p *part) tarMember(m *tarwalk.Member, old bool) error {
	if m.Data.Len() == 0 {
		return nil
	}
	if p.crowded() {
		return nil
	}
	sub := p.section(m.Name, m.Data)
	sub.name, sub.cut = path.Base(m.Name), m.Cut
	defer func() {
		if sub.zipped {
			p.zips.Add(m.Data)
		}
	}()
	if !old {
		return p.settle(sub, func() error {
			if err := sub.look(); err != nil {
				return err
			}
			if sub.isProgram() {
				sub.Find(RulePythonSource, 0, "%s is Python source code, which runs if it is imported", quoted(m.Name))
			}
			return nil
		})
	}
	switch m.Name {
	case "storages":
		return p.settle(sub, func() error { return sub.oldMember(torchfile.ReadStorages) })
	case "tensors":
		return p.settle(sub, func() error { return sub.oldMember(torchfile.ReadTensors) })
	case "pickle":
		sub.ids = func(pickle.Value) bool { return true } // decimal strings, and tuples of containers
	}
	sub.loaded = true
	return p.inside(sub)
}

// oldMember analyzes the storages or the tensors of PyTorch 0.1: pickles and raw data in turn.
func (p *part) oldMember(read func(io.ReaderAt, int64, *pickle.Options) (*torchfile.Member, error)) error {
	p.format = "pytorch-tar-member"
	p.members++
	m, err := read(p.file, p.size, p.pickleOptions())
	if err != nil {
		return err
	}
	for i, g := range m.Graphs {
		p.paid(g.Report)
		p.judged(g.Report, m.Offsets[i], g.Report.End)
	}
	p.faulty(m.Faults)
	for i := range m.Blocks {
		if err := p.block(&m.Blocks[i]); err != nil {
			return err
		}
	}
	p.explain(0, m.End)
	if err := p.behind(m.End, "the checkpoint's data"); err != nil {
		return err
	}
	return p.rest()
}
