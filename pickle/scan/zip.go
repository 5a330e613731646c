// Zip archives: every content that any reader may find in them.

package scan

import (
	"bytes"
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
	"github.com/weightools/safetensors/pickle/scan/internal/kinds"
	"github.com/weightools/safetensors/pickle/scan/internal/unpack"
)

// zip analyzes a zip archive, or several in a row.
func (p *part) zip() error {
	if done, err := p.row(); done || err != nil {
		return err
	}
	a, err := zipwalk.Walk(p.file, p.size, &zipwalk.Options{Head: 16, Members: p.MaxMembers, Search: p.mostSearch()})
	if err != nil {
		return err
	}
	b := &box{part: p, Archive: a, keys: make(map[string]bool), sizes: make(map[string]int64),
		opened: make(map[string]openPart)}
	b.kind, b.folder = kinds.OfZip(a)
	p.Is(b.format())
	p.holds, p.zipped = true, true
	if p.within != nil && p.within.format != formatRow {
		p.Find(RuleNestedArchive, 0, "an archive of %s is nested in the file", wording.Count(len(a.Members), "member"))
	}
	if err := b.faults(); err != nil {
		return err
	}
	if err := b.members(); err != nil {
		return err
	}
	b.judgeKind()
	if err := b.positions(); err != nil {
		return err
	}
	if a.Partial != "" {
		p.Unscanned(0, "%s", a.Partial)
	}
	return b.leftovers()
}

// faults reports the faults of the archive. Gaps filled with zeros are only notes.
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
		if f.Member < 0 && fills[f.Offset] && (f.Kind == zipwalk.UnlistedData || f.Kind == zipwalk.TrailingData ||
			f.Kind == zipwalk.PrefixData) {
			severity = pickle.Note
		}
		b.follow(pickle.Finding{Rule: pickle.Rule(f.Kind), Severity: severity, Offset: f.Offset, Message: f.Detail}, f.Cut)
	}
	b.report.Omitted += b.Omitted
	if b.torch() {
		b.roots()
	}
	return nil
}

// roots reports an archive with several checkpoint folders. Loaders use the folder of the
// first entry.
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
		b.Find(RuleManyRoots, 0,
			"the archive contains several checkpoints; loaders use %s, the first in the directory, and ignore %s", names[0],
			strings.Join(names[1:min(len(names), most)], ", "))
	}
}

// members analyzes all members: pickles first, since they name the members that contain
// tensor data.
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

// rank orders members: those with a lower rank are analyzed first.
func rank(name string) int {
	if extensionOf(name) == ".pkl" {
		return 0
	}
	return 1
}

// content analyzes one member in each way in which readers see it.
func (b *box) content(i int) error {
	m := &b.Members[i]
	full := func(v zipwalk.View) bool { return v.Span.Len() > 0 }
	if strings.HasSuffix(m.Name, "/") && len(m.Views) > 0 && !slices.ContainsFunc(m.Views, full) {
		return nil // a folder
	}
	if len(m.Views) == 0 {
		sub := b.newPart(b.part, m.Name, strings.NewReader(""), 0)
		return b.settle(sub, func() error {
			sub.format = "missing"
			sub.Unscanned(0, "the archive has no data at the member's offset")
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

// view analyzes a member as one reader sees it.
func (b *box) view(m *zipwalk.Member, v zipwalk.View, name string) error {
	sub := b.part.section(name, v.Span)
	sub.name, sub.cut = path.Base(m.Name), m.Cut
	sub.loaded = b.torch() && extensionOf(m.Name) == ".pkl"
	b.keepArray(m, v)
	if b.torch() {
		if folder, ok := b.storagesOf(m.Name); ok {
			sub.graph = b.pickled(sub, folder)
		}
		if name, ok := b.storage(m.Name); ok {
			return b.settle(sub, func() error { return b.numbersOf(m, v, sub, name) })
		}
	}
	sub.numeric = b.exported(m.Name)
	if v.Method == zipwalk.Stored {
		return b.settle(sub, func() error { return b.stored(m, v, sub) })
	}
	return b.settle(sub, func() error { return b.packedMember(m, v, sub, sub.look) })
}

// numbersOf examines a member that contains tensor data, and records its size under the name of the storage.
func (b *box) numbersOf(m *zipwalk.Member, v zipwalk.View, sub *part, storage string) error {
	if m.Cut {
		b.cut = storage
	}
	b.keep(storage, v)
	if v.Method == zipwalk.Stored {
		b.sizes[storage] = v.Span.Len()
		if err := sub.storage(v.Head); err != nil {
			return err
		}
		if b.Deep || sub.format != formatStorage {
			if err := b.checksum(m, v, sub, sub.file, sub.size); err != nil {
				return err
			}
		}
		return b.record(m, sub)
	}
	return b.packedMember(m, v, sub, func() error {
		if b.sizes[storage] = sub.size; sub.goesOn {
			b.sizes[storage] = v.Size // the rest was not decompressed
		}
		head, err := sub.At(0, headSize)
		if err != nil {
			return err
		}
		return sub.storage(bytes.Clone(head))
	})
}

// stored analyzes a member that is not compressed.
func (b *box) stored(m *zipwalk.Member, v zipwalk.View, sub *part) error {
	if err := sub.hold(); err != nil {
		return err
	}
	if err := sub.look(); err != nil {
		return err
	}
	if m.Encrypted() && sub.opaque() {
		sub.Find(RuleEncrypted, 0, "%s is marked as encrypted", quoted(m.Name))
		sub.Unscanned(0, "it is encrypted")
		return nil
	}
	if err := b.checksum(m, v, sub, sub.file, sub.size); err != nil {
		return err
	}
	return b.record(m, sub)
}

// packedMember decompresses a member and analyzes its content by calling look.
func (b *box) packedMember(m *zipwalk.Member, v zipwalk.View, sub *part, look func() error) error {
	c, ok := codec.Method(v.Method, v.Size)
	switch {
	case v.Method == zipwalk.AES || m.Encrypted() && !ok:
		sub.format = "encrypted"
		sub.Find(RuleEncrypted, 0, "%s is encrypted", quoted(m.Name))
		sub.Unscanned(0, "it is encrypted")
		return nil
	case !ok:
		sub.format = "packed"
		sub.Find(RuleOddCompression, 0, "%s is compressed by the unsupported method %d", quoted(m.Name), v.Method)
		sub.Unscanned(0, "it is compressed by the unsupported method %d", v.Method)
		return sub.Sweep(extent.Span{End: sub.size})
	}
	u, err := b.unpack(c, func() io.Reader { return b.Raw(v) })
	if err != nil {
		return err
	}
	sub.file, sub.size, sub.offset, sub.goesOn = u, u.Size, -1, errors.Is(u.Damage, unpack.ErrLimit)
	sub.reopen()
	b.report.Members[sub.member].Size = u.Size
	if v.Method != zipwalk.Deflate {
		sub.Find(RuleOddCompression, 0, "%s is compressed by %s, which Python supports and PyTorch does not",
			quoted(m.Name), c.Name)
	}
	if m.Encrypted() {
		sub.Find(RuleEncrypted, 0, "%s is marked as encrypted", quoted(m.Name))
	}
	if u.Damage != nil {
		sub.cut = true
		sub.Unscanned(0, "the %s data %s", c.Name, damage(u))
	}
	if err := look(); err != nil {
		return err
	}
	if u.Damage == nil {
		if err := b.checksum(m, v, sub, u, u.Size); err != nil {
			return err
		}
	}
	return b.record(m, sub)
}

// checksum verifies the checksum of a member that was read anyway or, in a deep scan, of any
// member. A checksum of zero means that the writer did not compute one.
func (b *box) checksum(m *zipwalk.Member, v zipwalk.View, sub *part, r io.ReaderAt, size int64) error {
	const small = 1 << 20 // bytes
	if v.CRC == 0 || m.Cut || m.Encrypted() || size > small && !b.Deep && sub.format != "pickle" {
		return nil
	}
	got := uint32(0)
	if u, ok := r.(*unpack.File); ok {
		got = u.Sum
	} else {
		sum := crc32.NewIEEE()
		b.buffer = slices.Grow(b.buffer[:0], 32<<10)
		// Hide other methods, so that CopyBuffer uses the buffer.
		if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, struct{ io.Reader }{io.NewSectionReader(r, 0, size)},
			b.buffer[:32<<10]); err != nil {
			return err
		}
		b.Spend(size / (4 * perInstr))
		got = sum.Sum32()
	}
	if got != v.CRC {
		sub.Find(RuleBadCRC, 0, "%s has the checksum %08x instead of %08x; PyTorch does not verify it", quoted(m.Name), got,
			v.CRC)
	}
	return nil
}

// leftovers searches comments and extra fields, and leaves the gaps between members to rest.
func (b *box) leftovers() error {
	var listed extent.Set
	for _, gap := range b.Gaps {
		listed.Add(gap)
	}
	// Everything outside the gaps is explained.
	for _, span := range listed.Holes(extent.Span{End: b.size}) {
		b.known.Add(span)
	}
	for _, span := range slices.Concat(b.Comments, b.Extras) {
		if err := b.Sweep(span); err != nil {
			return err
		}
	}
	return nil
}
