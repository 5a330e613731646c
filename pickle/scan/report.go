// Reports: the verdict and the evidence for it.

package scan

import (
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/ruletable"
)

// A Report is the result of a scan.
type Report struct {
	// Format is the format of the file, such as "pytorch-zip" or "pickle"; if it has
	// several formats, the first.
	Format string

	// Verdict is the worst verdict of all parts. Evidence is the worst verdict of what was
	// found in them: it is less than Verdict if the file is suspicious only because it was not
	// analyzed completely.
	Verdict, Evidence pickle.Verdict

	// Unanalysed reports whether the file or a part of it has a format that is not analyzed.
	// Findings of RuleUnanalysed say which.
	Unanalysed bool

	// Complete reports whether everything that a loader may execute was analyzed. If not,
	// Reason says why.
	Complete bool
	Reason   string

	// Members are the members of archives and the decompressed data, each after the part
	// that contains it.
	Members  []Member
	Imports  []Import
	Calls    []Call
	Findings []Finding

	// Limited reports whether a limit of the Scanner was exceeded, so a larger one may show
	// more: MaxOpcodes, MaxMemory, MaxUnpacked or MaxMembers. A finding says where.
	Limited bool

	// Omitted is the number of imports, calls and findings beyond Scanner.MaxReport. They
	// count for the verdict.
	Omitted int
}

// A Member is a part of a file.
type Member struct {
	Path     string // its name, after the path of the enclosing member and "!"
	Offset   int64  // in the file, in bytes; -1 if it is compressed
	Size     int64  // in bytes, uncompressed; -1 if unknown
	Format   string
	Verdict  pickle.Verdict // including nested members
	Complete bool
	Reason   string
}

// An Import is a name that loading a part imports.
type Import struct {
	Member string // the path of the part, "" for the file itself; offsets are relative to the part
	// How says where the name comes from: an opcode or, in other formats, the kind of
	// element.
	How string
	pickle.Import
}

// A Call is a call that loading a part makes.
type Call struct {
	Member string
	pickle.Call
}

// A Finding is a remark on a part.
type Finding struct {
	Member string
	pickle.Finding
}

// Resolved returns the name that is imported, with its module.
func (im *Import) Resolved() string {
	if im.ResolvedModule == "" {
		return im.ResolvedName
	}
	return im.ResolvedModule + "." + im.ResolvedName
}

// Why returns the reason for the verdict on the import, as a sentence.
func (im *Import) Why() string {
	if e := ruletable.Of(im.Rule); e != nil {
		return e.Text
	}
	return im.Import.Why()
}
