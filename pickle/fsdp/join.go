// Joining the parts of tensors.

package fsdp

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/internal/chunked"
	"github.com/weightools/safetensors/pickle/torch"
)

// Tensors are the tensors of all processes. They implement [checkpoint.Tensors] and [checkpoint.Describer].
type Tensors struct {
	names numbered
	ranks []*torch.Checkpoint // by rank
	list  []*safetensors.Tensor
}

// A share is what a process has of a tensor.
type share struct {
	rank   int
	tensor *safetensors.Tensor
	part   *torch.Part // nil if the tensor is not distributed
}

// join makes the tensors.
func (t *Tensors) join() error {
	shares := make(map[string][]share)
	var order []string
	distributed := false
	for rank, cp := range t.ranks {
		for _, one := range cp.Tensors {
			if shares[one.Name] == nil {
				order = append(order, one.Name)
			}
			part := trimmed(cp.Parts[one.Name], len(one.Shape))
			distributed = distributed || part != nil
			shares[one.Name] = append(shares[one.Name], share{rank, one, part})
		}
	}
	if !distributed {
		return checkpoint.Unsupported("Join them with the program that trained the model.", "the files of %d processes have "+
			"no distributed tensors (DTensor), so nothing says which part of a tensor each has", t.names.world)
	}
	var faults []error
	for _, name := range order {
		one, err := t.joined(name, shares[name])
		const most = 1000
		if err != nil && len(faults) < most {
			faults = append(faults, err)
		}
		t.list = append(t.list, one)
	}
	return errors.Join(faults...)
}

// trimmed returns a part whose whole has so many dimensions: some programs record a vector as a matrix of one column.
func trimmed(p *torch.Part, dims int) *torch.Part {
	if p == nil || len(p.Shape) <= dims {
		return p
	}
	own := *p
	for n := len(own.Shape); n > dims && own.Shape[n-1] == 1 && !slices.Contains(own.Along, n-1); n-- {
		own.Shape = own.Shape[:n-1]
	}
	return &own
}

// fault returns a violation about a tensor.
func fault(name, format string, args ...any) error {
	v := checkpoint.Damaged(format, args...)
	v.Tensor, v.Fix = name, "Copy the files of all processes again from where the training wrote them."
	return v
}

// joined returns the tensor of its shares.
func (t *Tensors) joined(name string, all []share) (*safetensors.Tensor, error) {
	first := all[0]
	quoted := wording.Quote(name)
	if len(all) != t.names.world {
		return nil, fault(name, "%s is in the files of %d of %d processes", quoted, len(all), t.names.world)
	}
	mesh, err := t.mesh(name, all)
	if err != nil {
		return nil, err
	}
	if mesh == nil { // a copy in each file
		return first.tensor, nil
	}
	var pieces []chunked.Piece
	seen := make(map[string]bool)
	for _, s := range all {
		at, shape := box(s.part, mesh)
		if s.tensor.Dtype != first.tensor.Dtype || !slices.Equal(s.tensor.Shape, shape) {
			return nil, fault(name, "%s: rank %d has %s%v, and its part of the shape %v is %s%v", quoted, s.rank, s.tensor.Dtype,
				[]int64(s.tensor.Shape), first.part.Shape, first.tensor.Dtype, shape)
		}
		key := fmt.Sprint(at)
		if !seen[key] {
			seen[key] = true
			r := io.ReaderAt(s.tensor.ReaderAt)
			pieces = append(pieces, chunked.Piece{At: at, Shape: shape, Source: func() (io.ReaderAt, error) { return r, nil }})
		}
	}
	r, err := chunked.New(first.part.Shape, int64(first.tensor.Dtype.Bits()/8), pieces)
	if err != nil {
		return nil, fault(name, "%s of shape %v: %v", quoted, first.part.Shape, err)
	}
	info := safetensors.TensorInfo{Name: name, Dtype: first.tensor.Dtype, Shape: first.part.Shape,
		Offsets: safetensors.Span{End: r.Size()}}
	return &safetensors.Tensor{TensorInfo: info, ReaderAt: r}, nil
}

// mesh returns the extent of the mesh of processes that a tensor is distributed over, nil if it is not distributed.
func (t *Tensors) mesh(name string, all []share) ([]int64, error) {
	first := all[0]
	var mesh []int64
	for i := range all {
		s := &all[i]
		switch {
		case (s.part == nil) != (first.part == nil):
			return nil, fault(name, "%s is a distributed tensor in some files only", wording.Quote(name))
		case s.part == nil:
			if s.tensor.Dtype != first.tensor.Dtype || !slices.Equal(s.tensor.Shape, first.tensor.Shape) {
				return nil, fault(name, "%s has several shapes, and is not a distributed tensor", wording.Quote(name))
			}
			continue
		case !slices.Equal(s.part.Shape, first.part.Shape) || !slices.Equal(s.part.Along, first.part.Along):
			return nil, fault(name, "%s has several shapes, or is divided in several ways", wording.Quote(name))
		case s.part.At == nil && len(s.part.Along) == 1: // the process has the same number in a mesh of one dimension
			own := *s.part
			own.At = []int64{int64(s.rank)}
			s.part = &own
		case s.part.At == nil:
			return nil, fault(name, "%s: the file of rank %d does not say where in the mesh of processes it is",
				wording.Quote(name), s.rank)
		}
		if mesh == nil {
			mesh = make([]int64, len(s.part.Along))
		}
		for d, n := range s.part.At {
			mesh[d] = max(mesh[d], n+1)
		}
	}
	return mesh, nil
}

// box returns where the part of a process begins, and its shape. Each dimension of the mesh divides what the one before
// has left, into parts of equal length of which the last are shorter. (torch/distributed/tensor/_utils.py,
// compute_local_shape_and_global_offset.)
func box(p *torch.Part, mesh []int64) (at, shape []int64) {
	at, shape = make([]int64, len(p.Shape)), slices.Clone(p.Shape)
	for d, dim := range p.Along {
		if dim < 0 {
			continue
		}
		length := (shape[dim] + mesh[d] - 1) / mesh[d]
		begin := min(p.At[d]*length, shape[dim])
		at[dim] += begin
		shape[dim] = min(length, shape[dim]-begin)
	}
	return at, shape
}

// All implements [checkpoint.Tensors].
func (t *Tensors) All() iter.Seq2[*safetensors.Tensor, error] {
	return func(yield func(*safetensors.Tensor, error) bool) {
		for _, one := range t.list {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// Close does nothing: the files are closed with the first one.
func (t *Tensors) Close() error { return nil }

// Files returns the names of the files.
func (t *Tensors) Files() (names []string) {
	for rank := range t.names.world {
		names = append(names, t.names.name(rank))
	}
	return names
}

// Skipped returns the values of the first file that are not among the tensors.
func (t *Tensors) Skipped() []torch.Skipped { return t.ranks[0].Skipped }

// Describe implements [checkpoint.Describer].
func (t *Tensors) Describe() checkpoint.Description {
	d := checkpoint.Description{Variant: "pytorch-ranks", Metadata: map[string]string{"format": "pt"}}
	for _, cp := range t.ranks {
		if cp.Report != nil && cp.Report.Verdict == pickle.Dangerous && d.Dangerous == "" {
			d.Notes = append(d.Notes, "dangerous to load: weigh scan says why")
			d.Dangerous = cp.Report.Worst()
		}
	}
	d.Notes = append(d.Notes, fmt.Sprintf("joins the files of %d processes", t.names.world))
	d.Notes = append(d.Notes, torch.NotesOf(t.Skipped())...)
	return d
}
