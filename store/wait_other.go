// Opening files without waiting for data: not needed on systems without /proc.

//go:build !unix

package store

// noWait is 0: the flag has no meaning there.
const noWait = 0
