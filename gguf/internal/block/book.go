// The code books of the "I" types.

package block

import (
	_ "embed" // for the code books
	"sync"

	"github.com/weightools/safetensors/internal/num"
)

// packedBooks has the code books iq2xxs, iq2xs, iq2s, iq3xxs, iq3s and iq1s of ggml-common.h, one after another. Each
// value is its index in the list of values, with the fewest bits, from the lowest bit of each byte on. They are from
// ggml (MIT License, Copyright (c) 2023-2026 The ggml authors).
//
//go:embed books.bin
var packedBooks []byte

// codeBooks are the code books, with the values of a code one after another.
type codeBooks struct {
	iq2xxs, iq2xs, iq2s []float32 // 8 values for each of 256, 512 and 1024 codes
	iq3xxs, iq3s        []float32 // 4 values for each of 256 and 512 codes
	iq1s                []float32 // 8 values for each of 2048 codes
}

// books unpacks the code books at the first call.
var books = sync.OnceValue(func() *codeBooks {
	c := new(codeBooks)
	packed := packedBooks
	for _, book := range []struct {
		to     *[]float32
		n      int
		width  int
		values []float32
	}{
		{&c.iq2xxs, 256 * 8, 2, []float32{8, 25, 43}},
		{&c.iq2xs, 512 * 8, 2, []float32{8, 25, 43}},
		{&c.iq2s, 1024 * 8, 2, []float32{8, 25, 43}},
		{&c.iq3xxs, 256 * 4, 3, []float32{4, 12, 20, 28, 36, 44, 52, 62}},
		{&c.iq3s, 512 * 4, 3, []float32{1, 3, 5, 7, 9, 11, 13, 15}},
		{&c.iq1s, 2048 * 8, 2, []float32{-1, 0, 1}},
	} {
		codes := make([]byte, book.n)
		num.Unpack(codes, packed, 0, book.width)
		packed = packed[book.n*book.width/8:]
		*book.to = make([]float32, book.n)
		for i, code := range codes {
			(*book.to)[i] = book.values[code]
		}
	}
	return c
})
