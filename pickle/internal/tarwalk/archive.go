// Archives, their members and their faults: what a walk gives.

// Package tarwalk takes tar archives apart: where the content of each member is, and
// what is odd about it.
//
// It reads headers and no contents, in one pass, and nothing is allocated because a
// number in the archive says so. The format is that of POSIX.1-2001 (ustar and pax),
// with what GNU tar adds for long names and large sizes. Python's tarfile, which
// PyTorch used before version 0.2, ends an archive where it cannot read a header and
// says nothing; here that is a [Fault], and the rest a gap.
package tarwalk

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// An Archive is what a walk found.
type Archive struct {
	Members []Member
	// Faults are in the order of the file, the first 1,000. Omitted is how many more
	// there are.
	Faults  []Fault
	Omitted int
	// Gaps are the bytes that belong to no member and are not zero, ascending.
	Gaps []extent.Span
	// End is where the archive ends: at a block of zeros, or where there is no header.
	End int64
	// Partial says why there may be more than is listed, "" if all was seen.
	Partial string
}

// A Member is one member.
type Member struct {
	Name   string
	Type   byte        // '0' for a file, '5' for a folder, '1' and '2' for links, …
	Link   string      // what a link points to
	Header int64       // the offset of its first header
	Data   extent.Span // its content, where it is in the file
}

// File says whether the member is a file, and has its content where Data says.
func (m *Member) File() bool { return m.Type == '0' || m.Type == 0 || m.Type == '7' }

// A Kind is what is wrong with an archive. Its text is fit for a rule's name.
type Kind string

// The kinds of faults.
const (
	BadHeader    Kind = "bad-header"
	Truncated    Kind = "truncated"
	TrailingData Kind = "trailing-data"
	Duplicate    Kind = "duplicate-entry"
	UnsafeName   Kind = "unsafe-name"
	Symlink      Kind = "symlink"
	OddMember    Kind = "odd-member"
)

// A Fault is a way in which an archive is not what it should be.
type Fault struct {
	Kind   Kind
	Member int   // the index of the member at fault, -1 if it is the archive
	Offset int64 // of what is at fault
	Detail string
}

// fault takes note of a fault.
func (a *Archive) fault(kind Kind, member int, offset int64, format string, args ...any) {
	const most = 1000
	if len(a.Faults) >= most {
		a.Omitted++
		return
	}
	a.Faults = append(a.Faults, Fault{kind, member, offset, fmt.Sprintf(format, args...)})
}

// quoted returns a name as part of a message.
func quoted(name string) string { return wording.Quote(name) }
