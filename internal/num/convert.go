// Conversion between dtypes.

package num

// Convert converts n elements of src, beginning with element first, to dtype to, and writes them to
// the start of dst. It combines Decode and Encode with an intermediate type that is exact for the
// source, so each number is rounded once.
//
// It stops before the first number that the target cannot represent, and returns how many it
// converted. If both dtypes are the same, elements are copied and saturate is ignored.
//
// Both dtypes must have the same number of parts. Convert panics if dst or src is too short.
func Convert(to *Codec, dst []byte, from *Codec, src []byte, first, n int, saturate bool) int {
	switch {
	case to == from:
		return transcribe(to, dst, src, first, n)
	case from.kind == Float && from.bits == 64:
		return convert[float64](to, dst, from, src, first, n, saturate)
	case from.kind == Float:
		return convert[float32](to, dst, from, src, first, n, saturate)
	case from.kind == Unsigned:
		return convert[uint64](to, dst, from, src, first, n, saturate)
	}
	// Signed, and BOOL.
	return convert[int64](to, dst, from, src, first, n, saturate)
}

// convert is Convert with intermediate type T.
func convert[T Number](to *Codec, dst []byte, from *Codec, src []byte, first, n int, saturate bool) int {
	var buf [chunk]T
	done := 0
	for done < n {
		part := buf[:min(chunk, n-done)]
		switch part := any(part).(type) {
		case []float32:
			from.float32s(part, src, first+done)
		case []float64:
			from.float64s(part, src, first+done)
		case []int64:
			Ints(from, part, src, first+done)
		case []uint64:
			Ints(from, part, src, first+done)
		}
		k := Encode(to, dst, done, part, saturate)
		done += k
		if k < len(part) {
			break
		}
	}
	return done
}

// transcribe copies n elements bit for bit.
func transcribe(c *Codec, dst, src []byte, first, n int) int {
	if c.bits >= 8 {
		size := c.bits / 8
		copy(clip(dst)[:n*size], clip(src)[first*size:][:n*size])
		return n
	}
	var buf [chunk]byte
	for done := 0; done < n; {
		part := buf[:min(chunk, n-done)]
		Unpack(part, src, first+done, c.bits)
		Pack(dst, done, part, c.bits)
		done += len(part)
	}
	return n
}
