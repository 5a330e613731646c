// Parts: runs of bytes that are something by themselves, and what is found in them.

package scan

import (
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/extent"
)

// A part is the file, a member of an archive, or what something unpacks to.
type part struct {
	*scanning
	within *part  // the part that it is in, nil for the file
	path   string // "" for the file
	name   string // the last element of it, which may say what the part should be
	file   io.ReaderAt
	size   int64
	offset int64 // in the file, -1 if it is unpacked
	depth  int
	member int  // its index in the report, -1 for the file
	loaded bool // a loader unpickles it, whatever its name
	holds  bool // it is an archive
	zipped bool // and of zip
	packed bool // what it unpacks to is a part of it
	goesOn bool // there is more of it, which is not unpacked
	// ids says which persistent ids a loader of the part knows beside those of storages,
	// and graph is called with the values of a pickle. Both may be nil.
	ids   func(pickle.Value) bool
	graph func(*pickle.Graph)

	window  *bytesio.Window
	format  string
	formats int        // how many formats it is
	known   extent.Set // what some format explains
	swept   bool       // what none does was searched already, or is not worth it
	verdict pickle.Verdict
	reason  string // why it was not seen completely
	blame   string // the path of the part within it that was not, "" if it is this one
}

// reopen makes the part begin anew, after its bytes were set.
func (p *part) reopen() { p.window = bytesio.NewWindow(p.file, p.size) }

// is takes note that the part is of a format.
func (p *part) is(format string) {
	if p.formats++; p.format == "" {
		p.format = format
	}
}

// at returns the n bytes at off, or fewer if the part ends before.
func (p *part) at(off int64, n int) ([]byte, error) { return p.window.At(off, n) }

// begins says whether the bytes at off are those of a magic.
func (p *part) begins(off int64, magic string) (bool, error) {
	b, err := p.at(off, len(magic))
	return string(b) == magic, err
}

// explain takes note that a format accounts for the bytes from begin to end.
func (p *part) explain(begin, end int64) { p.known.Add(extent.Span{Begin: begin, End: end}) }

// opaque says whether nothing is known of the part's bytes.
func (p *part) opaque() bool { return p.format == "data" || p.format == "" }

// opaqueOrText says whether the part is of no format but text.
func (p *part) opaqueOrText() bool {
	return p.opaque() || p.format == "text" || p.format == "python-source" || p.format == "empty"
}

// headSize is how many bytes from the start of a part say what it is. The farthest
// that any format needs is tar's checksum, in the first 512.
const headSize = 1 << 10
