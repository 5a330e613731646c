// The package's documentation.

// Package digest computes digests of files, of their data, of tensors, and of sets of tensors,
// independently of how they are sharded.
//
//	h := &digest.Hasher{}
//	sums, err := h.Tensors(ctx, tensors)
//	if err != nil {
//		return err
//	}
//	set, err := h.Set(tensors, sums)
//
// # The digest of a set
//
// Each tensor is a line of text: the digest of its bytes in lower-case hexadecimal digits, its
// dtype, its shape without spaces, and its name as a JSON string, separated by spaces and followed
// by a line feed.
//
//	ba7816bf…15ad F32 [2,3] "model.norm.weight"
//
// The string contains only the escapes that JSON requires, in their short forms. The lines are
// sorted as bytes, and the digest of the set is the digest of the sorted text. It depends on names,
// dtypes, shapes and bytes, and not on the order of tensors, their files, or metadata. The lines
// are as [AppendLine] writes them, and this command prints the digest:
//
//	LC_ALL=C sort lines | sha256sum
package digest
