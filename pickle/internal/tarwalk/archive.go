// Archives, members and faults: the result of a walk.

// Package tarwalk parses tar archives: the position of each content, and irregularities.
//
// It reads headers but no contents, in one pass, and does not allocate memory in proportion to claimed sizes. The
// format is POSIX.1-2001 (ustar and pax) with GNU extensions for long names and large sizes. Python's tarfile, which
// PyTorch used before version 0.2, silently ends an archive at an invalid header; tarwalk reports a Fault, and the rest
// as a gap.
package tarwalk

import (
	"fmt"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// An Archive is the result of a walk.
type Archive struct {
	Members []Member
	// Faults are in file order, at most 1,000. Omitted is the number of the rest.
	Faults  []Fault
	Omitted int
	// Gaps are the non-zero bytes outside all members, in ascending order.
	Gaps []extent.Span
	// End is the end of the archive: a block of zeros, or an invalid header.
	End int64
	// Partial says why the lists may be incomplete; "" if they are complete.
	Partial string
	// Cut reports whether the file ends without an end marker.
	Cut bool
}

// A Member is a member of an archive.
type Member struct {
	Name   string
	Type   byte        // '0' for a file, '5' for a folder, '1' and '2' for links, …
	Link   string      // target of a link
	Header int64       // offset of the first header
	Data   extent.Span // the content
	Cut    bool        // the file ends within the content
}

// File reports whether the member is a file, whose content is at Data.
func (m *Member) File() bool { return m.Type == '0' || m.Type == 0 || m.Type == '7' }

// A Kind is the kind of a fault. It is suitable as the name of a rule.
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

// A Fault is a violation of the format.
type Fault struct {
	Kind   Kind
	Member int   // index of the member, -1 for the archive
	Offset int64 // offset in the file
	Detail string
}

// fault records a fault.
func (a *Archive) fault(kind Kind, member int, offset int64, format string, args ...any) {
	const most = 1000
	if len(a.Faults) >= most {
		a.Omitted++
		return
	}
	a.Faults = append(a.Faults, Fault{kind, member, offset, fmt.Sprintf(format, args...)})
}

// quoted returns a name for messages.
func quoted(name string) string { return wording.Quote(name) }
