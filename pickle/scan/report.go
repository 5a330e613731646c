// Reports: the verdict, and what it rests on.

package scan

import "github.com/weightools/safetensors/pickle"

// A Report is what a scan found.
type Report struct {
	// Format is what the file is, in a word or two: "pytorch-zip", "pickle", … Of what
	// is several things at once it is the first.
	Format string

	// Verdict is the worst of all parts.
	Verdict pickle.Verdict

	// Complete says whether all was seen that a loader may take for code; Reason why
	// not, "" if Complete.
	Complete bool
	Reason   string

	// Members are the parts of the file that are something by themselves, those of
	// archives and what is packed, each after that which it is in.
	Members  []Member
	Imports  []Import
	Calls    []Call
	Findings []Finding

	// Limited says whether a budget of the scanner was met, so that a larger one would
	// show more: MaxOpcodes, MaxMemory, MaxUnpacked or MaxMembers. A finding says where.
	Limited bool

	// Omitted is how many imports, calls and findings there are beyond
	// Scanner.MaxReport of their kind. The verdict is of all.
	Omitted int
}

// A Member is a part of a file.
type Member struct {
	Path     string // its name; within another, that one's path and "!" stand before it
	Offset   int64  // in the file, in bytes; -1 if it has to be unpacked
	Size     int64  // in bytes, unpacked; -1 if that is not known
	Format   string
	Verdict  pickle.Verdict // of it and what is in it
	Complete bool
	Reason   string
}

// An Import is one name that loading a part would import.
type Import struct {
	Member string // the path of the part, "" for the file itself; offsets are in it
	// How says what names it: an opcode, or of formats that are no pickles what is in
	// its place.
	How string
	pickle.Import
}

// A Call is one call that loading a part would make.
type Call struct {
	Member string
	pickle.Call
}

// A Finding is something in a part that a reader should know.
type Finding struct {
	Member string
	pickle.Finding
}

// Resolved returns the name that would be imported, with its module.
func (im *Import) Resolved() string {
	if im.ResolvedModule == "" {
		return im.ResolvedName
	}
	return im.ResolvedModule + "." + im.ResolvedName
}

// Why says in a sentence why the import has its verdict.
func (im *Import) Why() string {
	if l := lawOf(im.Rule); l != nil {
		return l.text
	}
	return im.Import.Why()
}
