// Package parts says what a tensor is by its name: which part of a packed weight, which layer of
// which stack, an embedding or an output layer.
//
// It is the only place that knows these names. Package model counts by them and package check judges
// by them.
package parts
