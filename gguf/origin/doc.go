// Package origin finds out whether a GGUF model was made from a checkpoint of transformers.
//
// It maps the names of each architecture, undoes what llama.cpp's converter does to the tensors (rows of attention
// heads in another order, experts that are stacked, norms to which 1 is added and more), and compares the values. The
// error of a quantized tensor is set beside the one that rounding to its type has to give, which the distances between
// the values in its blocks tell.
//
// The map is model/names/gguf/maps.txt. It was measured on llama.cpp b11434 and transformers 4.57.6, for 55 architectures.
package origin
