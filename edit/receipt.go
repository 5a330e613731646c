// The receipt of an edit.

package edit

import (
	"github.com/weightools/safetensors"
)

// A Receipt describes what an edit did, or, if DryRun is set, what it would do; then there are
// no digests and no losses.
type Receipt struct {
	Source string // as it was named, without what may be secret
	Target string // the file or folder that was written, with slashes; "" if it was edited in place
	DryRun bool

	Files   []File
	Index   *File    // nil if there is none
	Tensors []Tensor // of all files, in the order of the source
	Mended  []Fault  // violations in the source that the output does not have
	Left    []Fault  // violations that the output still has, if Edit.Fix was set
}

// An Action says what happened to a file.
type Action string

// The actions. Overwritten files have other bytes in their headers. Written files are new, whether
// they replace others or not.
const (
	Unchanged   Action = "unchanged"
	Overwritten Action = "overwritten"
	Written     Action = "written"
	Removed     Action = "removed"
	Omitted     Action = "not written" // to the target, because it would have no tensors; the source has it
)

// A File describes one file of a source. For an index, only Path and Action are set.
type File struct {
	Path   string // with slashes; the former path if Action is Removed or Omitted
	Action Action

	Size       int64 // of the file now, in bytes
	HeaderSize int64 // in bytes, without the length before it
	Tensors    int

	// Overwritten is the range of bytes that were written, if Action is Overwritten.
	Overwritten safetensors.Span

	// Before and After are the metadata; nil if there is none.
	Before, After map[string]string
}

// A Tensor describes what happened to one tensor.
type Tensor struct {
	Was  *safetensors.TensorInfo // nil if the tensor is made of none
	Now  *safetensors.TensorInfo // nil if it was dropped
	File int                     // the index of its file in Files

	// Payload says how the bytes of the tensor were verified.
	Payload Payload

	// SHA256 is the digest of the new bytes, if Payload is Same, Converted, Arranged or New.
	SHA256 [32]byte

	// Losses counts the values that a cast changed, if Payload is Converted.
	Losses Losses

	// Packed is [Change.Packed].
	Packed bool

	// How, From and Into are as in [Change]; From has names.
	How  string
	From []string
	Into string

	// Copied is set if the tensor is a copy, and Was is also written.
	Copied bool
}

// A Payload says what is known of the bytes of a tensor.
type Payload string

// The payloads. New files are read again and compared with the source before they are renamed into
// place.
const (
	Untouched Payload = "untouched" // the data of the file was not written
	Same      Payload = "same"      // the bytes equal those in the source
	Converted Payload = "converted" // the bytes equal the cast of the source
	Arranged  Payload = "arranged"  // the bytes equal those of From, or of Was, as How arranges them
	New       Payload = "new"       // there is no source
	Joined    Payload = "joined"    // the bytes are in the tensor Into
	Dropped   Payload = "dropped"
	Planned   Payload = "planned" // in a dry run: it would be one of those that were written
)

// IsRead reports whether the bytes were written and read again, so that their digest is known.
func (p Payload) IsRead() bool { return p == Same || p == Converted || p == Arranged || p == New }

// Losses counts the elements that a cast changed. Each is counted once. NaN that stays NaN
// does not count.
type Losses struct {
	Rounded    int64 // to another number, but not to zero
	Zeroed     int64 // to zero, because they were too small
	OutOfRange int64 // larger than the dtype's largest, or smaller than its smallest
}

// A Fault is a violation of a rule, and the file that has it.
type Fault struct {
	File string // its path, with slashes; the index or the folder for a rule about several files
	*safetensors.Violation
}
