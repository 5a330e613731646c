// The package's promise: what is digested, and what stays the same.

// Package digest makes digests of files, of their data, of tensors, and of sets of
// tensors, however these are spread over files.
//
//	h := &digest.Hasher{}
//	sums, err := h.Tensors(ctx, tensors)
//	if err != nil {
//		return err
//	}
//	fmt.Printf("%x\n", h.Set(tensors, sums))
//
// # The digest of a set
//
// Each tensor is one line of text: the digest of its bytes in lower-case hexadecimal
// digits, its dtype, its shape without spaces, its name as a JSON string, with a space
// between them and a line feed at the end.
//
//	ba7816bf…15ad F32 [2,3] "model.norm.weight"
//
// The string has the escapes that JSON demands, in their short forms, and no others. The
// lines are sorted as bytes, and the digest of the set is that of the sorted text, by
// the same algorithm. So it depends on names, dtypes, shapes and bytes alone: not on
// the order of tensors, on how many files they are in, nor on metadata. With the
// lines as [AppendLine] makes them, it is what this prints:
//
//	LC_ALL=C sort lines | sha256sum
package digest
