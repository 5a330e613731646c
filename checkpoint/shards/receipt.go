// Receipts: the files that were written, and how each tensor was verified.

package shards

import (
	"crypto/sha256"
	"iter"

	"github.com/weightools/safetensors"
)

// A Receipt describes the files that a Plan would write, or has written.
type Receipt struct {
	Written  bool   // false for a plan
	Verified bool   // every tensor was read again, and matched its source
	Dir      string // the folder that the files are in

	Files []ReceiptFile // the shards in order, and last the index, if there is one
	Index int           // the position of the index in Files, or -1

	// Replaced and Removed are the names of older files in Dir that are gone.
	Replaced, Removed []string

	plan    *Plan
	results [][]verification // by shard and tensor; nil if nothing was verified
}

// A ReceiptFile is one file of a Receipt.
type ReceiptFile struct {
	Name    string
	Size    int64 // bytes
	Data    int64 // bytes of tensors
	Tensors int
}

// A ReceiptTensor is one tensor of a Receipt.
type ReceiptTensor struct {
	*safetensors.Tensor        // as it was given to the Writer
	From                string // the input file, as Merge and Split name it, or ""
	File                int    // its file's position in Receipt.Files

	Proof  Proof             // how it was verified
	SHA256 [sha256.Size]byte // of its bytes; zero unless Writer.Digests is set
}

// Tensors yields the tensors, file by file.
func (r *Receipt) Tensors() iter.Seq[ReceiptTensor] {
	return func(yield func(ReceiptTensor) bool) {
		for i := range r.plan.Shards {
			for j, t := range r.plan.Shards[i].Tensors {
				row := ReceiptTensor{Tensor: t, From: r.plan.from[t], File: i}
				if r.results != nil {
					row.Proof, row.SHA256 = r.results[i][j].proof, r.results[i][j].sha256
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

// Receipt returns the receipt that Write would return, without proofs.
func (p *Plan) Receipt() *Receipt {
	r := &Receipt{Dir: p.Dir, Index: -1, Replaced: p.Replaced, Removed: p.Stale, plan: p}
	for i := range p.Shards {
		s := &p.Shards[i]
		r.Files = append(r.Files, ReceiptFile{s.Name, s.Size, dataSize(s.Tensors), len(s.Tensors)})
	}
	if p.Index != "" {
		r.Index = len(r.Files)
		r.Files = append(r.Files, ReceiptFile{Name: p.Index, Size: p.IndexSize})
	}
	return r
}
