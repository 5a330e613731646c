// Checksums.

package compare

import (
	"bufio"
	"encoding/hex"
	"io"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/encode"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/typeset"
	"github.com/weightools/safetensors/digest"
)

// A Hash is the digests of some targets.
type Hash struct {
	Targets []string
	Algo    string // "sha256", "xxh3" or "blake3"
	Files   []HashedFile
	Sets    []HashedSet
	Tensors []HashedTensor
	List    bool // the table lists tensors
}

// A HashedFile is the digests of a file; nil if not computed.
type HashedFile struct {
	Path string     `json:"path"`
	Size int64      `json:"size"`
	File encode.Hex `json:"digest"`
	Data encode.Hex `json:"data"`
}

// A HashedSet is the digest of a set of tensors.
type HashedSet struct {
	Name    string     `json:"name"`
	Tensors int        `json:"tensors"`
	Sum     encode.Hex `json:"digest"`
}

// A HashedTensor is the digest of a tensor.
type HashedTensor struct {
	*safetensors.TensorInfo
	File string
	Sum  []byte
}

// hashTensor is a tensor in JSON.
type hashTensor struct {
	Name   string            `json:"name"`
	Dtype  safetensors.Dtype `json:"dtype"`
	Shape  encode.Dims       `json:"shape"`
	File   string            `json:"file"`
	Digest encode.Hex        `json:"digest"`
}

// JSON streams weigh.hash/1.
func (h *Hash) JSON(w io.Writer, s typeset.Style) error {
	tensors := encode.List(h.Tensors, func(t *HashedTensor) any {
		return hashTensor{t.Name, t.Dtype, append(encode.Dims{}, t.Shape...), t.File, t.Sum}
	})
	return encode.Object(w, s, []encode.Member{
		encode.M("schema", "weigh.hash/1"),
		encode.M("targets", h.Targets),
		encode.M("algo", h.Algo),
		encode.M("files", h.Files),
		encode.M("sets", h.Sets),
		encode.M("tensors", tensors),
	})
}

// Text writes a table of digests: files, sets, and tensors if requested.
func (h *Hash) Text(w io.Writer, s typeset.Style) error {
	type row struct {
		what, name string
		sum        []byte
	}
	var rows []row
	for _, f := range h.Files {
		if f.File != nil {
			rows = append(rows, row{"file", typeset.Label(f.Path), f.File})
		}
		if f.Data != nil {
			rows = append(rows, row{"data", typeset.Label(f.Path), f.Data})
		}
	}
	for _, one := range h.Sets {
		rows = append(rows, row{"set", typeset.Label(one.Name), one.Sum})
	}
	if h.List {
		for i := range h.Tensors {
			rows = append(rows, row{"tensor", typeset.Name(h.Tensors[i].Name), h.Tensors[i].Sum})
		}
	}
	// Digests are copied and compared, and never shortened. Names are.
	const leastName = 18 // columns
	table := &typeset.Table{N: len(rows), Columns: []typeset.Column{
		{Title: "WHAT", Cell: func(i int) string { return rows[i].what }},
		{Title: strings.ToUpper(h.Algo), Cell: func(i int) string { return hex.EncodeToString(rows[i].sum) }},
		{Title: "NAME", Distinct: true, Least: leastName, Cut: typeset.Dotted,
			Cell: func(i int) string { return rows[i].name }},
	}}
	return typeset.Buffered(w, func(w *bufio.Writer) { table.Write(w, s) })
}

// Lines writes the lines from which the digest of a set is computed (see package digest).
func (h *Hash) Lines(w io.Writer, _ typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		for i := range h.Tensors {
			w.Write(digest.AppendLine(nil, h.Tensors[i].TensorInfo, h.Tensors[i].Sum))
		}
	})
}

// Sums writes the digests of files in the format of sha256sum, with its escapes. On a terminal,
// names are made safe.
func (h *Hash) Sums(w io.Writer, s typeset.Style) error {
	return typeset.Buffered(w, func(w *bufio.Writer) {
		for _, f := range h.Files {
			name := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(f.Path)
			if name != f.Path {
				w.WriteByte('\\')
			}
			if s.Terminal() {
				name = typeset.Line(name)
			}
			w.WriteString(hex.EncodeToString(f.File) + "  " + name + "\n")
		}
	})
}
