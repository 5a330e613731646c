// Zip archives: what a walk finds, and a look at every content that any reader sees.

package scan

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/codec"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/zipwalk"
	"github.com/weightools/safetensors/pickle/scan/internal/unpack"
)

// zip looks at a zip archive.
func (p *part) zip() error {
	a, err := zipwalk.Walk(p.file, p.size, &zipwalk.Options{Head: 16, Members: p.MaxMembers, Search: p.mostSearch()})
	if err != nil {
		return err
	}
	b := &box{part: p, Archive: a, keys: make(map[string]bool), sizes: make(map[string]int64)}
	b.classify()
	p.is(b.format())
	p.holds, p.zipped = true, true
	if p.within != nil {
		p.find(RuleNestedArchive, 0, "an archive of %s", wording.Count(len(a.Members), "member"))
	}
	if err := b.faults(); err != nil {
		return err
	}
	if err := b.members(); err != nil {
		return err
	}
	b.judgeKind()
	if a.Partial != "" {
		p.unscanned(0, "%s", a.Partial)
	}
	return b.leftovers()
}

// faults reports what is wrong with the archive. Nothing hides in zeros, which are there
// to fill something up.
func (b *box) faults() error {
	fills := make(map[int64]bool)
	for _, gap := range b.Gaps {
		zero, err := b.zero(gap)
		if err != nil {
			return err
		}
		fills[gap.Begin] = zero
	}
	for _, f := range b.Faults {
		severity := Severity(pickle.Rule(f.Kind))
		if f.Member < 0 && fills[f.Offset] && (f.Kind == zipwalk.UnlistedData || f.Kind == zipwalk.TrailingData || f.Kind == zipwalk.PrefixData) {
			severity = pickle.Note
		}
		b.add(pickle.Finding{Rule: pickle.Rule(f.Kind), Severity: severity, Offset: f.Offset, Message: f.Detail})
	}
	b.report.Omitted += b.Omitted
	if b.torch() {
		b.roots()
	}
	return nil
}

// roots reports a checkpoint of several folders. Which one is loaded depends on which
// entry is the first.
func (b *box) roots() {
	roots := make(map[string]bool)
	var names []string
	for i := range b.Members {
		root, _, _ := strings.Cut(b.Members[i].Name, "/")
		if m := &b.Members[i]; m.Listed && strings.EqualFold(path.Base(m.Name), "data.pkl") && !roots[root] {
			roots[root] = true
			names = append(names, quoted(root))
		}
	}
	if len(names) > 1 {
		const most = 3
		b.find(RuleManyRoots, 0, "the checkpoint that is loaded is in %s, since that is the first in the directory; there are others: %s", names[0], strings.Join(names[1:min(len(names), most)], ", "))
	}
}

// members looks at all contents: pickles first, since they say which of the others
// are the numbers of tensors.
func (b *box) members() error {
	order := make([]int, len(b.Members))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return rank(b.Members[x].Name) - rank(b.Members[y].Name)
	})
	for _, i := range order {
		if b.crowded() {
			return nil
		}
		if err := b.content(i); err != nil {
			return err
		}
	}
	return nil
}

// rank says how early a member is looked at.
func rank(name string) int {
	if extensionOf(name) == ".pkl" {
		return 0
	}
	return 1
}

// content looks at one member, as each reader sees it.
func (b *box) content(i int) error {
	m := &b.Members[i]
	if m.Name != "" && strings.HasSuffix(m.Name, "/") && len(m.Views) > 0 && m.Views[0].Span.Len() == 0 {
		return nil // a folder
	}
	if len(m.Views) == 0 {
		sub := b.newPart(b.part, m.Name, strings.NewReader(""), 0)
		return b.settle(sub, func() error {
			sub.format = "missing"
			sub.unscanned(0, "there is nothing where the archive says that it is")
			return nil
		})
	}
	for n, v := range m.Views {
		name := m.Name
		if n > 0 {
			name = fmt.Sprintf("%s (by its own header)", m.Name)
		}
		if err := b.view(m, v, name); err != nil {
			return err
		}
	}
	return nil
}

// view looks at a member as one reader sees it.
func (b *box) view(m *zipwalk.Member, v zipwalk.View, name string) error {
	sub := b.part.section(name, v.Span)
	sub.name = path.Base(m.Name)
	sub.loaded = b.torch() && extensionOf(m.Name) == ".pkl"
	if b.torch() {
		if folder, ok := b.storagesOf(m.Name); ok {
			sub.graph = b.pickled(sub, folder)
		}
		if name, ok := b.storage(m.Name); ok && v.Method == zipwalk.Stored {
			b.sizes[name] = v.Span.Len()
			return b.settle(sub, func() error { return b.numbersOf(m, v, sub) })
		}
	}
	if v.Method == zipwalk.Stored {
		return b.settle(sub, func() error { return b.stored(m, v, sub) })
	}
	return b.settle(sub, func() error { return b.packedMember(m, v, sub) })
}

// numbersOf looks at a member that is the numbers of tensors.
func (b *box) numbersOf(m *zipwalk.Member, v zipwalk.View, sub *part) error {
	if err := sub.storage(v.Head); err != nil || !b.Deep {
		return err
	}
	return b.checksum(m, v, sub, sub.file, sub.size)
}

// stored looks at a member that is there as it is.
func (b *box) stored(m *zipwalk.Member, v zipwalk.View, sub *part) error {
	if err := sub.hold(); err != nil {
		return err
	}
	if err := sub.look(); err != nil {
		return err
	}
	if m.Encrypted() && sub.opaque() {
		sub.find(RuleEncrypted, 0, "%s is said to be encrypted", quoted(m.Name))
		sub.unscanned(0, "it is encrypted")
		return nil
	}
	if err := b.checksum(m, v, sub, sub.file, sub.size); err != nil {
		return err
	}
	return b.record(m, sub)
}

// packedMember looks at a member that is packed.
func (b *box) packedMember(m *zipwalk.Member, v zipwalk.View, sub *part) error {
	c, ok := codec.Method(v.Method, v.Size)
	switch {
	case v.Method == zipwalk.AES || m.Encrypted() && !ok:
		sub.format = "encrypted"
		sub.find(RuleEncrypted, 0, "%s is encrypted", quoted(m.Name))
		sub.unscanned(0, "it is encrypted")
		return nil
	case !ok:
		sub.format = "packed"
		sub.find(RuleOddCompression, 0, "%s is packed by method %d", quoted(m.Name), v.Method)
		sub.unscanned(0, "it is packed by method %d, which is not unpacked here", v.Method)
		return sub.sweep(extent.Span{End: sub.size})
	}
	u, err := b.unpack(c, func() io.Reader { return b.Raw(v) })
	if err != nil {
		return err
	}
	sub.file, sub.size, sub.offset, sub.goesOn = u, u.Size, -1, errors.Is(u.Damage, unpack.ErrLimit)
	sub.reopen()
	b.report.Members[sub.member].Size = u.Size
	if v.Method != zipwalk.Deflate {
		sub.find(RuleOddCompression, 0, "%s is packed by %s, which Python reads and PyTorch does not", quoted(m.Name), c.Name)
	}
	if m.Encrypted() {
		sub.find(RuleEncrypted, 0, "%s is said to be encrypted", quoted(m.Name))
	}
	if u.Damage != nil {
		sub.unscanned(0, "it cannot be unpacked to its end: %v", u.Damage)
	}
	if err := sub.look(); err != nil {
		return err
	}
	if u.Damage == nil {
		if err := b.checksum(m, v, sub, u, u.Size); err != nil {
			return err
		}
	}
	return b.record(m, sub)
}

// checksum compares the checksum of a content that was read anyway, or of any if the
// scan is deep. Writers that do not say have zero.
func (b *box) checksum(m *zipwalk.Member, v zipwalk.View, sub *part, r io.ReaderAt, size int64) error {
	const small = 1 << 20 // bytes
	if v.CRC == 0 || m.Encrypted() || size > small && !b.Deep && sub.format != "pickle" {
		return nil
	}
	got := uint32(0)
	if u, ok := r.(*unpack.File); ok {
		got = u.Sum
	} else {
		sum := crc32.NewIEEE()
		b.buffer = slices.Grow(b.buffer[:0], 32<<10)
		// Without its other methods, so that the buffer is used.
		if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{io.NewSectionReader(r, 0, size)}, b.buffer[:32<<10]); err != nil {
			return err
		}
		b.spend(size / (4 * perInstr))
		got = sum.Sum32()
	}
	if got != v.CRC {
		sub.find(RuleBadCRC, 0, "%s has the checksum %08x, and the archive says %08x: PyTorch does not compare them", quoted(m.Name), got, v.CRC)
	}
	return nil
}

// leftovers looks at what belongs to no member, and at comments.
func (b *box) leftovers() error {
	var listed extent.Set
	for _, gap := range b.Gaps {
		listed.Add(gap)
	}
	// What a format found before has explained is none of the archive's.
	for _, span := range listed.Holes(extent.Span{End: b.size}) {
		b.known.Add(span)
	}
	for _, span := range slices.Concat(b.Comments, b.Extras) {
		if err := b.sweep(span); err != nil {
			return err
		}
	}
	return nil
}
