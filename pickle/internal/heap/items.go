// Items of containers, stored in pages.

package heap

// room reserves space for n adjacent items. It returns the page number, and the index within the page in the lower
// pageBits.
func (a *Heap) room(n int) uint64 {
	p := a.pages[a.page]
	switch {
	case len(p)+n <= pageSize:
	case n > pageSize/4: // a separate page, to keep the rest of the current one usable
		a.pages = append(a.pages, make([]Ref, 0, n))
		a.large += int64(n)
		return uint64(len(a.pages)-1) << pageBits
	default:
		a.pages = append(a.pages, make([]Ref, 0, pageSize))
		a.page = len(a.pages) - 1
	}
	return uint64(a.page)<<pageBits | uint64(len(a.pages[a.page]))
}

// put stores items in the space that room reserved.
func (a *Heap) put(at uint64, items ...Ref) {
	p := &a.pages[at>>pageBits]
	*p = append(*p, items...)
}

// ItemsOf returns the items of a tuple or frozenset.
func (a *Heap) ItemsOf(r Ref) []Ref {
	n := a.At(r)
	return a.itemsAt(n.A, int(n.N))
}

// itemsAt returns n items at a position.
func (a *Heap) itemsAt(at uint64, n int) []Ref {
	p := a.pages[at>>pageBits]
	i := int(at & (pageSize - 1))
	return p[i : i+n : i+n]
}

// AddTuple adds a tuple or frozenset.
func (a *Heap) AddTuple(k Kind, items []Ref) Ref {
	if len(items) == 0 && k == KindTuple {
		return EmptyTuple
	}
	n := Node{Kind: k, N: uint32(len(items)), A: a.room(len(items))}
	for _, item := range items {
		n.Hold(a.At(item))
	}
	a.put(n.A, items...)
	return a.Add(n)
}

// Fill appends items to a list, set or dict.
func (a *Heap) Fill(n *Node, items []Ref) {
	for _, item := range items {
		n.Hold(a.At(item))
	}
	n.N += uint32(len(items))
	a.extend(&n.A, items)
}

// FillResult appends items, or keys and values, to the result of a call.
func (a *Heap) FillResult(n *Node, items []Ref, pairs bool) {
	for _, item := range items {
		n.Hold(a.At(item))
	}
	c := a.CallAt(n.A)
	if pairs {
		a.extend(&c.pairs, items)
	} else {
		a.extend(&c.items, items)
	}
}

// Hold updates n's depth and flags for an item that it contains.
func (n *Node) Hold(item *Node) {
	if d := item.Depth + 1; d > n.Depth && item.Depth < 1<<16-1 {
		n.Depth = d
	}
	switch item.Kind {
	case KindList, KindDict, KindSet, KindByteArray:
		n.Flags |= Hashless
	case KindTuple:
		n.Flags |= item.Flags & Hashless
	}
}

// extend appends items to a chain of runs: the first run in the lower half, the last in the upper half. A run at the
// end of the current page grows in place.
func (a *Heap) extend(chain *uint64, items []Ref) {
	if len(items) == 0 {
		return
	}
	if last := *chain >> 32; last != 0 {
		head := a.itemsAt(last, 2)
		p := &a.pages[last>>pageBits]
		end := int(last&(pageSize-1)) + 2 + int(head[1])
		if end == len(*p) && int(last>>pageBits) == a.page && end+len(items) <= pageSize {
			head[1] += Ref(len(items))
			*p = append(*p, items...)
			return
		}
	}
	run := a.room(2 + len(items))
	a.put(run, 0, Ref(len(items)))
	a.put(run, items...)
	if last := *chain >> 32; last == 0 {
		*chain = run
	} else {
		a.itemsAt(last, 2)[0] = Ref(run)
	}
	*chain = *chain&(1<<32-1) | run<<32
}

// runs calls yield with each run of a chain until it returns false.
func (a *Heap) runs(chain uint64, yield func([]Ref) bool) {
	for run := uint64(uint32(chain)); run != 0; {
		head := a.itemsAt(run, 2)
		if !yield(a.itemsAt(run+2, int(head[1]))) {
			return
		}
		run = uint64(head[0])
	}
}

// Each calls yield with the values that a value contains directly, until it returns false.
func (a *Heap) Each(r Ref, yield func([]Ref) bool) {
	switch n := a.At(r); n.Kind {
	case KindTuple, KindFrozenSet:
		if n.N > 0 {
			yield(a.itemsAt(n.A, int(n.N)))
		}
	case KindList, KindDict, KindSet:
		a.runs(n.A, yield)
	case KindPersistent:
		yield([]Ref{Ref(n.A)})
	case KindCall:
		c := a.CallAt(n.A)
		if !yield([]Ref{c.Callee, c.Args, c.Kwargs, c.State}) {
			return
		}
		a.runs(c.items, yield)
		a.runs(c.pairs, yield)
	}
}
