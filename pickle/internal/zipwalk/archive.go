// Archives, their members and their faults: what a walk gives.

// Package zipwalk takes zip archives apart the way several readers see them at
// once.
//
// Readers disagree about zip archives. An archive says most things twice, in its
// central directory and before each content, and some look here, some there:
// PyTorch's own reader (a miniz) ignores the names and checksums of local headers,
// Python's zipfile finds the directory behind bytes that are not the archive's, and
// readers of streams never see a directory. Whoever wants to hide something from
// one of them lets the two disagree. So [Walk] believes neither: it lists what any
// reader could take for a content, and reports every disagreement as a [Fault].
//
// It reads the end of the archive, its directory and its local headers, not the
// contents, and allocates nothing because a number in the archive says so. Names are
// the bytes that stand there. The format is that of PKWARE's APPNOTE 6.3.10.
//
// Package archive/zip is no help here: it refuses what others read.
package zipwalk

import (
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/membername"
)

// Options say how far a walk goes. The zero Options are the default.
type Options struct {
	// Head is how many of the first bytes of each content are kept, as View.Head.
	// They stand beside the local header, so keeping them costs no further read.
	// 0 means none.
	Head int
	// Members is how many members are listed at most. 0 means 100,000.
	Members int
	// Search is how many bytes that nothing in the archive accounts for are searched
	// for entries and end records. 0 means 16 MiB.
	Search int64
}

// mostNames is how many bytes of names are kept: an archive may say a name of 64 KiB a
// hundred thousand times by having it once.
const mostNames = 8 << 20

// mostHeaders is how many bytes of local headers are read, which may share their bytes.
const mostHeaders = 64 << 20

const (
	usualMembers = 100_000
	usualSearch  = 16 << 20
)

// An Archive is what a walk found.
type Archive struct {
	// Members are those that directories list, in their order, that of the last end
	// record first; then those that stand in the file and are listed nowhere.
	Members []Member
	// Faults are in the order in which they were found. Of each kind there are the
	// first 1,000, and Omitted is how many more there are.
	Faults  []Fault
	Omitted int
	// Gaps are the bytes that no header, content, directory or end record accounts
	// for, ascending.
	Gaps []extent.Span
	// Comments are the comments of the archive and of its entries, and Extras the extra
	// fields in which there is something that no writer is known to put there. Readers
	// look at neither, so that much fits into them.
	Comments, Extras []extent.Span
	// Partial says why there may be more than is listed. It is "" if all was seen.
	Partial string

	r      io.ReaderAt
	size   int64
	counts map[Kind]int // of faults
}

// A Member is one content and what is said of it.
type Member struct {
	// Name is that in the directory, or of a member that is in none that before its
	// content.
	Name string
	// LocalName is that before the content, if it differs.
	LocalName string
	// Listed says whether a directory lists it, Python whether that is one that
	// Python's zipfile reads, and Torch whether it is one that PyTorch reads: the
	// two may be deceived by different directories.
	Listed, Python, Torch bool
	// Header is the offset of the local header, -1 if there is none where the
	// directory says.
	Header int64
	Flags  uint16 // of the directory, or of a member that is in none its own
	// Views are what readers take for the content: none if there is no header, one if
	// they agree, two if they do not.
	Views []View
	// Symlink says whether unpacking would make a symbolic link.
	Symlink bool
	// Faulty says whether there is a fault of the member.
	Faulty bool

	end int64 // of all that belongs to it in the file
}

// Flags of members, by APPNOTE 4.4.4.
const (
	FlagEncrypted  = 1 << 0
	FlagDescriptor = 1 << 3  // sizes and checksum follow the content
	FlagPatched    = 1 << 5  // the content is a patch; no reader in use knows these
	FlagStrong     = 1 << 6  // strong encryption
	FlagUTF8       = 1 << 11 // the name is UTF-8, and otherwise of code page 437
	FlagMasked     = 1 << 13 // the local header is encrypted
)

// Encrypted says whether a reader asks for a password before it reads.
func (m *Member) Encrypted() bool {
	return m.Flags&(FlagEncrypted|FlagStrong|FlagMasked) != 0
}

// Methods of compression, by APPNOTE 4.4.5.
const (
	Stored  = 0
	Deflate = 8
	Bzip2   = 12
	LZMA    = 14
	XZ      = 95
	AES     = 99 // the method proper is in the extra field
)

// A View is the content of a member as one reader sees it.
type View struct {
	Method uint16
	Span   extent.Span // of the file, as it is there
	Size   int64       // in bytes once it is unpacked, as claimed
	CRC    uint32      // as claimed; 0 of many writers that do not say
	Head   []byte      // the first bytes of Span; see Options
}

// A Kind is what is wrong with an archive. Its text is fit for a rule's name.
type Kind string

// The kinds of faults.
const (
	BadEnd         Kind = "bad-eocd"
	ManyEnds       Kind = "multiple-eocd"
	NoEnd          Kind = "truncated"
	PrefixData     Kind = "prefix-data"
	TrailingData   Kind = "trailing-data"
	UnlistedData   Kind = "unlisted-data"
	BadOffset      Kind = "bad-offset"
	HeaderMismatch Kind = "header-mismatch"
	BadFlags       Kind = "bad-flags"
	Overlap        Kind = "overlap"
	Orphan         Kind = "orphan-entry"
	Duplicate      Kind = "duplicate-entry"
	UnsafeName     Kind = "unsafe-name"
	Symlink        Kind = "symlink"
)

// A Fault is a way in which an archive is not what it should be.
type Fault struct {
	Kind   Kind
	Member int   // the index of the member at fault, -1 if it is the archive
	Offset int64 // in the file, of what is at fault
	Detail string
}

// fault takes note of a fault. Of one kind there may be as many as members.
func (a *Archive) fault(kind Kind, member int, offset int64, format string, args ...any) {
	const most = 1000
	if member >= 0 {
		a.Members[member].Faulty = true
	}
	if a.counts == nil {
		a.counts = make(map[Kind]int)
	}
	if a.counts[kind]++; a.counts[kind] > most {
		a.Omitted++
		return
	}
	a.Faults = append(a.Faults, Fault{kind, member, offset, fmt.Sprintf(format, args...)})
}

// Root returns the folder that PyTorch takes for the archive's: the first
// element of the first name in the directory. It is "" if that has only one.
func (a *Archive) Root() string {
	if len(a.Members) == 0 {
		return ""
	}
	root, _, ok := strings.Cut(a.Members[0].Name, "/")
	if !ok {
		return ""
	}
	return root
}

// Lookup returns the indices of the members that a reader may find under the given
// name: PyTorch's ignores case, Python's ends names at a zero byte and takes
// backslashes for slashes on Windows.
func (a *Archive) Lookup(name string) []int {
	var found []int
	key := membername.Key(name)
	for i := range a.Members {
		if membername.Key(a.Members[i].Name) == key {
			found = append(found, i)
		}
	}
	return found
}
