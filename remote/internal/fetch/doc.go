// Package fetch reads objects from HTTP servers, one range of bytes at a time. It makes the
// requests, follows redirects, retries, limits and counts them, and caches what they return.
// The stores of package remote are built on it.
package fetch
