// Tensors in memory.

package source

import "io"

// A Memory is bytes that do not change. It is read through a Section, which checks
// offsets.
type Memory []byte

// ReadAt copies from off on. The caller checks that off is in m.
func (m Memory) ReadAt(b []byte, off int64) (int, error) { return copy(b, m[off:]), nil }

// InMemory returns a Section of b, which is not copied.
func InMemory(tensor string, b []byte) *Section {
	return &Section{Memory(b), 0, int64(len(b)), tensor, func() ([]byte, error) { return b, nil }}
}

// memoryOf returns the first size bytes of r if they are a Memory, and nil
// otherwise. The bytes of a mapped file are not: touching them can fail.
func memoryOf(r io.ReaderAt, size int64) []byte {
	s, ok := r.(*Section)
	if !ok || s.Size < size {
		return nil
	}
	m, ok := s.R.(Memory)
	if !ok {
		return nil
	}
	return m[s.Begin : s.Begin+s.Size]
}
