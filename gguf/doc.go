// Package gguf reads GGUF files: the format of models for llama.cpp and programs like it.
//
// [Open] reads what precedes the data: metadata, and the names, types and shapes of tensors. [Validate] also finds all
// violations of the rules of the format. [File.Tensor] returns a tensor: with its own dtype if its type is one of
// safetensors, and otherwise as F32 that is decoded when it is read. [Format] makes the files a format of checkpoints.
//
// Versions 2 and 3 are read, in both byte orders, and the metadata of version 1, which no current program reads. The
// facts about the format are from ggml's docs/gguf.md (ggml d99724f, "the specification") and from llama.cpp b11434;
// rules say where the two differ. GGUF files are not written.
//
// Memory for a file is proportional to the number of its keys and tensors, which is limited: names and short strings
// take at most 16 MiB, and long strings and arrays are read only when they are asked for. All functions may be called
// concurrently.
package gguf
