// Filling in the receipt of a plan.

package edit

import "path/filepath"

// receipt describes the file, which is at the given path.
func (f *file) receipt(path string) File {
	r := File{Path: path, Action: f.action, Before: f.header.Metadata}
	switch f.action {
	case Removed:
		return r
	case Written:
		r.Size, r.HeaderSize = f.newSize, f.newHeader
	default:
		r.Size, r.HeaderSize = f.size, f.header.Size
	}
	r.After, r.Tensors = f.metadata, len(f.header.Tensors)+len(f.added)
	for i := range f.changes {
		if f.changes[i].Now == nil {
			r.Tensors--
		}
	}
	if f.patch != nil {
		r.Overwritten = f.patch.span()
	}
	return r
}

// appendRows appends a row for each tensor of the file at index i.
func (f *file) appendRows(rows []Tensor, i int) []Tensor {
	for j := range f.header.Tensors {
		if f.changes == nil {
			ti := &f.header.Tensors[j]
			rows = append(rows, Tensor{Was: ti, Now: ti, File: i, Payload: Untouched})
			continue
		}
		c := &f.changes[j]
		row := c.row(i)
		switch {
		case c.Into != "":
			row.Payload = Joined
		case c.Now != nil:
			row.Now, row.Payload = &c.Now.TensorInfo, Untouched
			if f.action == Written {
				row.Payload = Planned
			}
		}
		rows = append(rows, row)
	}
	for j := range f.added {
		row := f.added[j].row(i)
		row.Now, row.Payload, row.Copied = &f.added[j].Now.TensorInfo, Planned, row.How == "" && row.Was != nil
		rows = append(rows, row)
	}
	return rows
}

// row returns the row of a change in the file at index i, for a tensor that is dropped.
func (c *Change) row(i int) Tensor {
	row := Tensor{File: i, Payload: Dropped, Packed: c.Packed, How: c.How, Into: c.Into}
	if c.Was != nil {
		row.Was = &c.Was.TensorInfo
	}
	for _, t := range c.From {
		row.From = append(row.From, t.Name)
	}
	return row
}

// fillReceipt fills in the receipt before anything is written.
func (p *Plan) fillReceipt() {
	r := &Receipt{Source: p.ref, Target: filepath.ToSlash(p.target), DryRun: true}
	n := 0
	for _, f := range p.files {
		n += len(f.header.Tensors)
	}
	r.Tensors = make([]Tensor, 0, n)
	for i, f := range p.files {
		path := p.shown(f.name)
		if f.action != Removed {
			path = p.written(p.nameOf(f))
		}
		one := f.receipt(path)
		if one.Action == Removed && p.target != "" {
			one.Action = Omitted
		}
		r.Files = append(r.Files, one)
		r.Tensors = f.appendRows(r.Tensors, i)
		if f.action == Written || f.action == Overwritten {
			r.Mended = append(r.Mended, f.faults...)
		}
	}
	for _, left := range p.stale {
		if p.target == "" {
			r.Files = append(r.Files, File{Path: left.File, Action: Removed})
			r.Mended = append(r.Mended, left)
		}
	}
	r.Left = p.left
	if p.index != nil {
		r.Index = &File{Path: p.written(p.indexNow), Action: Unchanged}
		if p.target != "" || p.newIndex {
			r.Index.Action = Written
			r.Mended = append(r.Mended, p.faults...)
		}
	}
	p.Receipt = r
}

// written turns the receipt of a dry run into the receipt of an edit.
func (r *Receipt) written() {
	r.DryRun = false
	for i := range r.Tensors {
		if row := &r.Tensors[i]; row.Payload == Planned {
			switch {
			case row.Was == nil:
				row.Payload = New
			case row.How != "":
				row.Payload = Arranged
			case row.Now.Dtype != row.Was.Dtype:
				row.Payload = Converted
			default:
				row.Payload = Same
			}
		}
	}
}
