// Archives, members and faults: the result of a walk.

// Package zipwalk parses zip archives as several readers see them at once.
//
// A zip archive states most facts twice: in its central directory and in a local header before each content. Readers
// use different copies. PyTorch's reader (miniz) ignores the names and checksums of local headers, Python's zipfile
// finds the directory after unrelated bytes, and readers of streams never see the directory. An attacker hides content
// from one reader by making the copies disagree. Walk therefore trusts neither: it lists everything that some reader
// could see as content, and reports every disagreement as a Fault.
//
// Walk reads the end of the archive, its directory and its local headers, but no contents. It does not allocate memory
// in proportion to claimed sizes. Names are the stored bytes. The format is PKWARE's APPNOTE 6.3.10.
//
// Package archive/zip is not suitable because it rejects archives that other readers accept.
package zipwalk

import (
	"compress/flate"
	"fmt"
	"io"
	"strings"

	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle/internal/extent"
	"github.com/weightools/safetensors/pickle/internal/membername"
)

// Options limit a walk. The zero value has the defaults.
type Options struct {
	// Head is the number of bytes at the start of each content that are kept in View.Head. They are next to the local
	// header, so reading them costs no extra request. The default is none.
	Head int
	// Members is the maximum number of members in the list. 0 means 100,000.
	Members int
	// Search is the maximum number of unlisted bytes that are searched for entries and end records. 0 means 16 MiB.
	Search int64
}

// mostNames is the maximum number of bytes of names that are kept. An archive can refer a hundred thousand times to one
// name of 64 KiB.
const mostNames = 8 << 20

// mostHeaders is the maximum number of bytes of local headers that are read. Headers can overlap.
const mostHeaders = 64 << 20

const (
	usualMembers = 100_000
	usualSearch  = 16 << 20
)

// An Archive is the result of a walk.
type Archive struct {
	// Members are the listed members in directory order, starting with the directory of the last end record, followed
	// by unlisted members.
	Members []Member
	// Faults are in the order in which they were found, at most 1,000 of each kind. Omitted is the number of the rest.
	Faults  []Fault
	Omitted int
	// Gaps are the bytes outside all headers, contents, directories and end records, in ascending order.
	Gaps []extent.Span
	// Comments are the comments of the archive and its entries. Extras are the extra fields with unknown contents.
	// Readers ignore both, so they can hide data.
	Comments, Extras []extent.Span
	// Partial says why the lists may be incomplete; "" if they are complete.
	Partial string
	// Cut reports whether the file ends before the end record.
	Cut bool

	r      io.ReaderAt
	size   int64
	counts map[Kind]int // number of faults
}

// A Member is one content and the facts about it.
type Member struct {
	// Name is the name in the directory, or in the local header of an unlisted member.
	Name string
	// LocalName is the name in the local header if that differs.
	LocalName string
	// Listed reports whether a directory lists the member. Python and Torch report whether it is the directory that
	// Python's zipfile or PyTorch reads; the two can differ.
	Listed, Python, Torch bool
	// Header is the offset of the local header, -1 if there is none at the offset in the directory.
	Header int64
	Flags  uint16 // of the directory entry, or of the local header of an unlisted member
	// Views are the contents that readers see: none without a local header, one if readers agree, two if they do not.
	Views []View
	// Symlink reports whether unpacking creates a symbolic link.
	Symlink bool
	// Faulty reports whether the member has a fault.
	Faulty bool
	// Cut reports whether the file ends within the content.
	Cut bool

	end int64 // end of everything that belongs to the member
}

// Flags of members (APPNOTE 4.4.4).
const (
	FlagEncrypted  = 1 << 0
	FlagDescriptor = 1 << 3  // sizes and checksum follow the content
	FlagPatched    = 1 << 5  // the content is a patch; current readers do not support it
	FlagStrong     = 1 << 6  // strong encryption
	FlagUTF8       = 1 << 11 // the name is UTF-8 instead of code page 437
	FlagMasked     = 1 << 13 // the local header is encrypted
)

// Encrypted reports whether reading requires a password.
func (m *Member) Encrypted() bool {
	return m.Flags&(FlagEncrypted|FlagStrong|FlagMasked) != 0
}

// Compression methods (APPNOTE 4.4.5).
const (
	Stored  = 0
	Deflate = 8
	Bzip2   = 12
	LZMA    = 14
	XZ      = 95
	AES     = 99 // the actual method is in the extra field
)

// A View is the content of a member as one reader sees it.
type View struct {
	Method uint16
	Span   extent.Span // the stored bytes
	Size   int64       // claimed uncompressed size in bytes
	CRC    uint32      // claimed checksum; some writers store 0
	Head   []byte      // the first bytes of Span; see Options
}

// A Kind is the kind of a fault. It is suitable as the name of a rule.
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

// A Fault is a violation of the format or a disagreement in the archive.
type Fault struct {
	Kind   Kind
	Member int   // index of the member, -1 for the archive
	Offset int64 // offset in the file
	Detail string
	Cut    bool // it follows from the end of the file before the end record
}

// fault records a fault, up to the limit for its kind.
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
	a.Faults = append(a.Faults, Fault{Kind: kind, Member: member, Offset: offset, Detail: fmt.Sprintf(format, args...)})
}

// Root returns the folder that PyTorch uses: the first element of the first name in the directory. It returns "" if
// that name has only one element.
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

// Lookup returns the indexes of the members that a reader can find by name. PyTorch ignores case; Python ends names at
// a NUL, and treats backslashes as slashes on Windows.
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

// quoted returns a name for messages.
func quoted(name string) string { return wording.Quote(name) }

// Raw returns the stored bytes of a view.
func (a *Archive) Raw(v View) *io.SectionReader {
	return io.NewSectionReader(a.r, v.Span.Begin, v.Span.Len())
}

// Open returns a reader of a stored or deflated content. It ends where the compressed data ends and not at the claimed
// size, so callers must limit it. Checksums are not verified.
func (a *Archive) Open(v View) (io.Reader, error) {
	switch v.Method {
	case Stored:
		return a.Raw(v), nil
	case Deflate:
		return flate.NewReader(a.Raw(v)), nil
	}
	return nil, fmt.Errorf("zip: method %d, and 0 (stored) and 8 (deflate) are read", v.Method)
}
