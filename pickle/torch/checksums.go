// Checksums of archive members.

package torch

// CheckSums reads the archive members with tensor data and verifies their checksums, which PyTorch does not. A wrong
// checksum is a *FormatError. Files without checksums are not read.
func (cp *Checkpoint) CheckSums() error {
	for _, c := range cp.records {
		if err := c.check(nil); err != nil {
			return err
		}
	}
	return nil
}

// CheckSumsOf is CheckSums for the members with the data of some tensors, given by their indexes in Tensors. It calls
// told, if that is not nil, with numbers of bytes that were read.
func (cp *Checkpoint) CheckSumsOf(tensors []int, told func(bytes int64)) error {
	if cp.extents == nil {
		return nil // of a format without checksums
	}
	done := make(map[*record]bool)
	for _, i := range tensors {
		for _, c := range cp.extents[i].records {
			if done[c] {
				continue
			}
			done[c] = true
			if err := c.check(told); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sum returns the CRC-32 (crc32.ChecksumIEEE) that the archive has for the bytes of Tensors[i]; ok is false if the
// archive has none for exactly these bytes, because the tensor is a part of a member or its elements are in another
// order there.
//
// A program that copies the tensor and finds the same sum in the copy has verified both source and copy while reading
// the source once.
func (cp *Checkpoint) Sum(i int) (crc uint32, ok bool) {
	if cp.extents == nil || !cp.extents[i].exact {
		return 0, false
	}
	return cp.extents[i].records[0].crc, true
}
