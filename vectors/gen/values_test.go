// What is wrong with the values of an entry: its dtype, its shape, its offsets, and how they go together.

package gen

import "strings"

// dtype has dtypes that are none.
func dtype() []vector {
	of := func(value string) string {
		return `{§,"a":{"dtype":«` + value + `»,"shape":[4],"data_offsets":[0,4]}}`
	}
	return []vector{
		{name: "unknown", comment: "a dtype that the format does not have", tensor: "a", header: of(`"I4"`), size: 4},
		{name: "in-lower-case", comment: "the name in lower case", tensor: "a", header: of(`"u8"`), size: 4},
		{name: "of-pytorch", comment: "the name that PyTorch has for F8_E4M3", tensor: "a", header: of(`"F8_E4M3FN"`), size: 4},
		{name: "of-numpy", comment: "the name that NumPy has for U8", tensor: "a", header: of(`"uint8"`), size: 4},
		{name: "complex-128", comment: "two numbers of 64 bits, which the format does not have", tensor: "a",
			header: `{§,"a":{"dtype":«"C128"»,"shape":[1],"data_offsets":[0,16]}}`, size: 16},
		{name: "with-a-space", comment: "a space after the name", tensor: "a", header: of(`"U8 "`), size: 4},
		{name: "with-a-nul", comment: "a zero after the name", tensor: "a", header: of(`"U8\u0000"`), size: 4},
		{name: "empty", comment: "the empty string", tensor: "a", header: of(`""`), size: 4},
		{name: "long", comment: "a string of 1,000 letters", tensor: "a", header: of(`"` + strings.Repeat("U8", 500) + `"`), size: 4},
		{name: "null", comment: "null", tensor: "a", header: of(`null`), size: 4},
		{name: "number", comment: "a number", tensor: "a", header: of(`8`), size: 4},
		{name: "array", comment: "an array of the name", tensor: "a", header: of(`["U8"]`), size: 4},
		{name: "object-of-an-object", comment: "an object of the name and an object", tensor: "a", header: of(`{"U8":{}}`), size: 4},
		{name: "object-of-two", comment: "an object of two names", tensor: "a", header: of(`{"U8":null,"I8":null}`), size: 4},
		{name: "object-empty", comment: "an empty object", tensor: "a", header: of(`{}`), size: 4},
		{name: "in-the-second-entry", comment: "the second of three tensors: the others can be listed", tensor: "b",
			header: `{§,` + entryA + `,"b":{"dtype":«"F7"»,"shape":[4],"data_offsets":[4,8]},"c":{"dtype":"U8","shape":[4],"data_offsets":[8,12]}}`, size: 12},
	}
}

// shape has dimensions that are no integers from 0 to 2^64-1.
func shape() []vector {
	of := func(value string) string {
		return `{§,"a":{"dtype":"U8","shape":` + value + `,"data_offsets":[0,4]}}`
	}
	return []vector{
		{name: "fraction", comment: "a dimension with a fraction, though of nothing", tensor: "a", header: of(`[«4.0»]`), size: 4},
		{name: "exponent", comment: "a dimension with an exponent, though of zero", tensor: "a", header: of(`[«4e0»]`), size: 4},
		{name: "negative", comment: "a dimension of -1, as for one to be inferred", tensor: "a", header: of(`[«-1»]`), size: 4},
		{name: "negative-zero", comment: "a dimension of -0", tensor: "a", header: `{§,"a":{"dtype":"U8","shape":[«-0»],"data_offsets":[0,0]}}`},
		{name: "two-to-the-64", comment: "a dimension of 2^64, one more than 64 bits hold; with the 0 there would be no elements", tensor: "a",
			header: `{§,"a":{"dtype":"U8","shape":[0,«18446744073709551616»],"data_offsets":[0,0]}}`},
		{name: "twenty-digits", comment: "a dimension of 2^64 + 4: 4, if the carry is lost", tensor: "a", header: of(`[«18446744073709551620»]`), size: 4},
		{name: "many-digits", comment: "a dimension of 40 digits", tensor: "a", header: of(`[«` + strings.Repeat("4", 40) + `»]`), size: 4},
		{name: "dimension-null", comment: "a dimension that is null", tensor: "a", header: of(`[4,«null»]`), size: 4},
		{name: "dimension-a-string", comment: "a dimension that is a string", tensor: "a", header: of(`[«"4"»]`), size: 4},
		{name: "dimension-true", comment: "a dimension that is true", tensor: "a", header: of(`[4,«true»]`), size: 4},
		{name: "dimension-an-array", comment: "a shape in a shape", tensor: "a", header: of(`[«[4]»]`), size: 4},
		{name: "last-dimension", comment: "a fault after two good dimensions", tensor: "a", header: of(`[2,2,«1.5»]`), size: 4},
		{name: "null", comment: "null", tensor: "a", header: of(`«null»`), size: 4},
		{name: "number", comment: "a number, where an array of it is due", tensor: "a", header: of(`«4»`), size: 4},
		{name: "string", comment: "a string", tensor: "a", header: of(`«"4"»`), size: 4},
		{name: "object", comment: "an object", tensor: "a", header: of(`«{"0":4}»`), size: 4},
	}
}

// offsets has data_offsets that are no two such integers, or in the wrong order.
func offsets() []vector {
	of := func(value string) string {
		return `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":` + value + `}}`
	}
	return []vector{
		{name: "reversed", comment: "BEGIN after END", tensor: "a",
			header: `{§,«"a":{"dtype":"U8","shape":[4],"data_offsets":[4,0]}»}`, size: 4},
		{name: "reversed-by-one", comment: "BEGIN one past END, and a size of 0 that is not their difference", tensor: "b",
			header: `{§,` + entryA + `,«"b":{"dtype":"U8","shape":[0],"data_offsets":[4,3]}»}`, size: 4},
		{name: "reversed-around", comment: "BEGIN near 2^64, so that END - BEGIN is 4 if the borrow is lost", tensor: "a",
			header: `{§,«"a":{"dtype":"U8","shape":[4],"data_offsets":[18446744073709551615,3]}»}`, size: 4},
		{name: "none", comment: "an empty array", tensor: "a", header: of(`«[]»`), size: 4},
		{name: "one", comment: "one offset", tensor: "a", header: of(`«[4]»`), size: 4},
		{name: "three", comment: "three offsets", tensor: "a", header: of(`«[0,4,4]»`), size: 4},
		{name: "fraction", comment: "an offset with a fraction", tensor: "a", header: of(`[0,«4.0»]`), size: 4},
		{name: "exponent", comment: "an offset with an exponent", tensor: "a", header: of(`[0,«4E0»]`), size: 4},
		{name: "negative", comment: "an offset of -4", tensor: "a", header: of(`[«-4»,0]`), size: 4},
		{name: "negative-zero", comment: "an offset of -0", tensor: "a", header: of(`[«-0»,4]`), size: 4},
		{name: "two-to-the-64", comment: "an END of 2^64, one more than 64 bits hold", tensor: "a", header: of(`[0,«18446744073709551616»]`), size: 4},
		{name: "twenty-digits", comment: "an END of 2^64 + 4: 4, if the carry is lost", tensor: "a", header: of(`[0,«18446744073709551620»]`), size: 4},
		{name: "strings", comment: "an offset that is a string", tensor: "a", header: of(`[0,«"4"»]`), size: 4},
		{name: "offset-null", comment: "an offset that is null", tensor: "a", header: of(`[«null»,4]`), size: 4},
		{name: "nested", comment: "offsets in an array of their own", tensor: "a", header: of(`[«[0,4]»]`), size: 4},
		{name: "null", comment: "null", tensor: "a", header: of(`«null»`), size: 4},
		{name: "number", comment: "a number", tensor: "a", header: of(`«4»`), size: 4},
		{name: "string", comment: "a string", tensor: "a", header: of(`«"0,4"»`), size: 4},
		{name: "object", comment: "an object", tensor: "a", header: of(`«{"0":0,"1":4}»`), size: 4},
	}
}

// overflow has sizes that are right, or that are none, in arithmetic of 64 bits
// without a look at the carry.
func overflow() []vector {
	of := func(dtype, shape, end string) string {
		return `{§,«"a":{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":[0,` + end + `]}»}`
	}
	return []vector{
		{name: "product", comment: "2^32 x 2^32 elements: none, if the carry is lost", tensor: "a",
			header: of("U8", `[4294967296,4294967296]`, "0")},
		{name: "product-of-four", comment: "2^16 five times: none, if the carry is lost", tensor: "a",
			header: of("U8", `[65536,65536,65536,65536,65536]`, "0")},
		{name: "product-wraps-to-four", comment: "(2^62+1) x 4 elements: 4, if the carry is lost", tensor: "a",
			header: of("U8", `[4611686018427387905,4]`, "4"), size: 4},
		{name: "largest-dimension", comment: "2 x (2^64-1) elements", tensor: "a",
			header: of("U8", `[2,18446744073709551615]`, "0")},
		{name: "bits", comment: "2^61 bytes, whose bits are 2^64", tensor: "a",
			header: of("U8", `[2305843009213693952]`, "0")},
		{name: "bits-of-a-wide-dtype", comment: "2^58 elements of 64 bits", tensor: "a",
			header: of("F64", `[288230376151711744]`, "0")},
		{name: "bits-of-a-narrow-dtype", comment: "2^62 elements of 4 bits", tensor: "a",
			header: of("F4", `[4611686018427387904]`, "0")},
		{name: "bits-wrap-to-four-bytes", comment: "2^61 + 4 bytes: 4, if the carry is lost", tensor: "a",
			header: of("U8", `[2305843009213693956]`, "4"), size: 4},
		{name: "then-zero", comment: "2^32 x 2^32 x 0 elements: the product overflows on its way to zero", tensor: "a",
			header: of("U8", `[4294967296,4294967296,0]`, "0")},
		{name: "high-rank", comment: "64 dimensions of 2: 2^64 elements", tensor: "a",
			header: of("U8", `[`+strings.Repeat("2,", 63)+`2]`, "0")},
	}
}

// wholeBytes has tensors that end inside of a byte.
func wholeBytes() []vector {
	of := func(dtype, shape string) string {
		return `{§,«"a":{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":[0,2]}»}`
	}
	return []vector{
		{name: "f4-three", comment: "3 elements of 4 bits: a byte and a half", tensor: "a", header: of("F4", `[3]`), size: 2},
		{name: "f4-one-by-three", comment: "the same with two dimensions", tensor: "a", header: of("F4", `[1,3]`), size: 2},
		{name: "f4-scalar", comment: "one element of 4 bits", tensor: "a", header: of("F4", `[]`), size: 2},
		{name: "f6-e2m3-three", comment: "3 elements of 6 bits: 18 bits", tensor: "a", header: of("F6_E2M3", `[3]`), size: 2},
		{name: "f6-e2m3-two", comment: "2 elements of 6 bits: 12 bits", tensor: "a", header: of("F6_E2M3", `[2]`), size: 2},
		{name: "f6-e3m2-three", comment: "3 elements of 6 bits: 18 bits", tensor: "a", header: of("F6_E3M2", `[3]`), size: 2},
		{name: "f6-e3m2-scalar", comment: "one element of 6 bits", tensor: "a", header: of("F6_E3M2", `[]`), size: 2},
	}
}

// tensorSize has sizes that dtype and shape do not make.
func tensorSize() []vector {
	of := func(dtype, shape, end string) string {
		return `{§,«"a":{"dtype":"` + dtype + `","shape":` + shape + `,"data_offsets":[0,` + end + `]}»}`
	}
	return []vector{
		{name: "one-more", comment: "5 bytes for 4", tensor: "a", header: of("U8", "[4]", "5"), size: 5},
		{name: "one-less", comment: "3 bytes for 4", tensor: "a", header: of("U8", "[4]", "3"), size: 3},
		{name: "elements-for-bytes", comment: "the number of elements, where that of bytes is due", tensor: "a", header: of("F32", "[4]", "4"), size: 4},
		{name: "twice-the-width", comment: "F32 for F16", tensor: "a", header: of("F16", "[2]", "8"), size: 8},
		{name: "nothing", comment: "no bytes for 4", tensor: "a", header: of("U8", "[4]", "0")},
		{name: "bytes-for-no-elements", comment: "4 bytes for a tensor without elements", tensor: "a", header: of("U8", "[0]", "4"), size: 4},
		{name: "bytes-for-no-elements-of-rank-2", comment: "4 bytes for a tensor without elements", tensor: "a", header: of("U8", "[4,0]", "4"), size: 4},
		{name: "scalar", comment: "two elements for a scalar", tensor: "a", header: of("F32", "[]", "8"), size: 8},
		{name: "scalar-without-bytes", comment: "no bytes for a scalar, whose rank is 0 and not its size", tensor: "a", header: of("F32", "[]", "0")},
		{name: "f4", comment: "a byte for each of 4 elements of 4 bits", tensor: "a", header: of("F4", "[4]", "4"), size: 4},
		{name: "f6", comment: "a byte for each of 4 elements of 6 bits", tensor: "a", header: of("F6_E3M2", "[4]", "4"), size: 4},
		{name: "in-the-second-entry", comment: "the first of two tensors is good", tensor: "b",
			header: `{§,` + entryA + `,«"b":{"dtype":"I16","shape":[2,2],"data_offsets":[4,8]}»}`, size: 4 + 4},
	}
}
