// Package arrange computes tensors from others: axes in another order, tensors that are joined, stacked or cut, and
// the rows of attention heads in the order of another implementation of rotary embeddings.
//
// The functions read nothing. A result reads its sources when it is read, and needs at most 1 MiB of memory for each
// read, however large the tensors are. It may be read by several goroutines at once if its sources may. The elements
// are moved and never changed, so the inverse function restores every byte.
package arrange
