// Parts: runs of bytes that are something by themselves, and what is found in them.

package scan

import (
	"io"

	"github.com/weightools/safetensors/filetype"
	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// A part is the file itself, a member of an archive, or decompressed data.
type part struct {
	*scanning
	within *part  // the enclosing part, nil for the file
	path   string // "" for the file
	name   string // the last element of path; it may promise a format
	file   io.ReaderAt
	size   int64
	offset int64 // in the file, -1 for decompressed data
	depth  int
	member int  // its index in the report, -1 for the file
	loaded bool // a loader unpickles it regardless of its name
	ran    bool // it was analyzed as a pickle
	// numeric reports whether a pickle declares the part as tensor data, and plain whether it is
	// also named like a storage.
	numeric, plain bool
	holds          bool // it is an archive
	zipped         bool // it is a zip archive
	packed         bool // it is compressed
	goesOn         bool // it was decompressed only in part
	cut            bool // its end is missing
	// ids reports which persistent ids, apart from storages, a loader of the part accepts.
	// graph is called with the values of a pickle. Both may be nil.
	ids   func(pickle.Value) bool
	graph func(*pickle.Graph)

	window   *bytesio.Window
	detected filetype.Type // by the first bytes
	format   string
	formats  int        // number of formats detected
	known    extent.Set // ranges explained by a format
	zips     extent.Set // members that are zip archives
	swept    bool       // the rest was searched or needs no search
	verdict  pickle.Verdict
	reason   string // why the analysis is incomplete, "" if it is complete
	blame    string // path of the incomplete nested part, "" for this one
}

// reopen resets the read window after the part's bytes were replaced.
func (p *part) reopen() { p.window = bytesio.NewWindow(p.file, p.size) }

// Is records that the part has a format.
func (p *part) Is(format string) {
	if p.formats++; p.format == "" {
		p.format = format
	}
}

// At returns the n bytes at off, or fewer at the end of the part.
func (p *part) At(off int64, n int) ([]byte, error) { return p.window.At(off, n) }

// begins reports whether the bytes at off are the given magic number.
func (p *part) begins(off int64, magic string) (bool, error) {
	b, err := p.At(off, len(magic))
	return string(b) == magic, err
}

// explain records that a format accounts for the bytes from begin to end.
func (p *part) explain(begin, end int64) { p.known.Add(extent.Span{Begin: begin, End: end}) }

// opaque reports whether the format of the part is unknown.
func (p *part) opaque() bool { return p.format == "data" || p.format == "" }

// isProgram reports whether the part is Python source code or bytecode by its name, and no other
// format.
func (p *part) isProgram() bool {
	switch extensionOf(p.name) {
	case ".py", ".pyw", ".pyc", ".pyo":
		return p.opaque() || p.format == "text" || p.format == "python-source" || p.format == formatBytecode ||
			p.format == "empty"
	}
	return false
}

// headSize is the number of bytes from which the format of a part is detected. The tar
// checksum needs the most: 512 bytes.
const headSize = 1 << 10
