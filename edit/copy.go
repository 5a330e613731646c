// Tensors that are written under a second name: tied weights, of which a loader wants both.

package edit

// copy adds the copies to the files of their tensors. The edit was applied to the tensors.
func (s *source) copy(e *Edit) error {
	for _, c := range e.Copy {
		var home *file
		var from *Change
		for _, f := range s.files {
			for i := range f.changes {
				change := &f.changes[i]
				if change.Was.Name == c.From && change.Now != nil {
					home, from = f, change
				}
				if change.Now != nil && change.Now.Name == c.To {
					return refuse("tensor %s cannot be copied to %s, which exists", quote(c.From), quote(c.To))
				}
			}
			for i := range f.added {
				if f.added[i].Now.Name == c.To {
					return refuse("two tensors would be copied to %s", quote(c.To))
				}
			}
		}
		if from == nil {
			return refuse("no tensor is called %s, so nothing would be copied", quote(c.From))
		}
		if c.To == "" || c.To == "__metadata__" {
			return refuse("no tensor can be called %q", c.To)
		}
		home.added = append(home.added, Change{Was: from.Was, Now: from.Now.Rename(c.To)})
	}
	return nil
}
