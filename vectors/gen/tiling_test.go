// What is wrong with the data: bytes of two tensors, of none, too few, too many.

package gen

import (
	"fmt"
	"strings"
)

// u8 returns the entry of a tensor of bytes.
func u8(name string, begin, end int) string {
	return fmt.Sprintf(`"%s":{"dtype":"U8","shape":[%d],"data_offsets":[%d,%d]}`, name, end-begin, begin, end)
}

// overlap has bytes that two tensors claim. In the order of (BEGIN, END) it is
// the second one that is at fault.
func overlap() []vector {
	return []vector{
		{name: "identical", comment: "two tensors of the same bytes", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«` + u8("b", 0, 4) + `»}`, size: 4},
		{name: "by-one-byte", comment: "the last byte of one tensor is the first of another", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«` + u8("b", 3, 7) + `»}`, size: 7},
		{name: "by-half", comment: "half of a tensor is half of another", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«` + u8("b", 2, 6) + `»}`, size: 6},
		{name: "contained", comment: "a tensor inside of another", tensor: "b",
			header: `{§,` + u8("a", 0, 8) + `,«` + u8("b", 2, 4) + `»,` + u8("c", 8, 12) + `}`, size: 12},
		{name: "contained-at-the-start", comment: "a tensor inside of another, from its first byte on: in the order of (BEGIN, END) it comes first", tensor: "a",
			header: `{§,«` + u8("a", 0, 8) + `»,` + u8("b", 0, 4) + `}`, size: 8, also: "entry-order"},
		{name: "contained-at-the-end", comment: "a tensor inside of another, up to its last byte", tensor: "b",
			header: `{§,` + u8("a", 0, 8) + `,«` + u8("b", 4, 8) + `»}`, size: 8},
		{name: "listed-backwards", comment: "the one that comes later in the data is listed first", tensor: "a",
			header: `{§,«` + u8("a", 2, 6) + `»,` + u8("b", 0, 4) + `}`, size: 6, also: "entry-order"},
		{name: "empty-inside", comment: "a tensor without bytes, inside of another", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«` + u8("b", 2, 2) + `»}`, size: 4},
		{name: "all-at-zero", comment: "a writer that does not count: every tensor begins at 0", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«` + u8("b", 0, 6) + `»}`, size: 6},
		{name: "of-other-dtypes", comment: "the same bytes as floats and as integers", tensor: "b",
			header: `{§,"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},«"b":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}»}`, size: 8},
	}
}

// hole has bytes before the end of the data that no tensor claims.
func hole() []vector {
	return []vector{
		{name: "at-the-start", comment: "the first tensor begins at 4", tensor: "a",
			header: `{§,` + u8("a", 4, 8) + `}`, size: 8, data: &span{0, 4}},
		{name: "in-the-middle", comment: "4 bytes between two tensors", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,` + u8("b", 8, 12) + `}`, size: 12, data: &span{4, 8}},
		{name: "of-one-byte", comment: "1 byte between two tensors", tensor: "b",
			header: `{§,` + u8("a", 0, 3) + `,` + u8("b", 4, 8) + `}`, size: 8, data: &span{3, 4}},
		{name: "alignment", comment: "a writer that aligns each tensor to 8 bytes", tensor: "b",
			header: `{§,` + u8("a", 0, 5) + `,"b":{"dtype":"F64","shape":[1],"data_offsets":[8,16]}}`, size: 16, data: &span{5, 8}},
		{name: "before-an-empty-tensor", comment: "4 bytes before a tensor that has none, and nothing after it", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,` + u8("b", 8, 8) + `}`, size: 8, data: &span{4, 8}},
		{name: "empty-tensor-alone", comment: "the only tensor has no bytes, and is at 4", tensor: "a",
			header: `{§,` + u8("a", 4, 4) + `}`, size: 4, data: &span{0, 4}},
		{name: "listed-backwards", comment: "4 bytes between two tensors that are listed in the other order", tensor: "a",
			header: `{§,` + u8("a", 8, 12) + `,` + u8("b", 0, 4) + `}`, size: 12, data: &span{4, 8}, also: "entry-order"},
		{name: "of-a-thousand-bytes", comment: "1,000 bytes between two tensors", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,` + u8("b", 1004, 1008) + `}`, size: 1008, data: &span{4, 1004}},
	}
}

// truncated has files that end too early. The bytes at fault are those that are
// missing, and the tensor is the first that lacks some.
func truncated() []vector {
	two := `{§,` + u8("a", 0, 4) + `,` + u8("b", 4, 8) + `}`
	return []vector{
		{name: "by-one-byte", comment: "the last byte is missing", tensor: "b",
			header: two, size: 7, data: &span{7, 8}},
		{name: "between-tensors", comment: "the last tensor is missing", tensor: "b",
			header: two, size: 4, data: &span{4, 8}},
		{name: "in-the-first-tensor", comment: "two tensors are cut off", tensor: "a",
			header: two, size: 3, data: &span{3, 8}},
		{name: "after-the-header", comment: "there is no data", tensor: "a",
			header: two, size: 0, data: &span{0, 8}},
		{name: "listed-backwards", comment: "the tensor that comes first in the data is listed last", tensor: "b",
			header: `{§,` + u8("a", 4, 8) + `,` + u8("b", 0, 4) + `}`, size: 2, data: &span{2, 8}, also: "entry-order"},
		{name: "length-counts-data", comment: "N counts the data, which are 8 spaces, as padding", tensor: "a",
			header: `{§,` + u8("a", 0, 8) + `}·        `, data: &span{0, 8}},
		{name: "large", comment: "4 bytes of a tensor that has 4 GiB", tensor: "a",
			header: `{§,"a":{"dtype":"F32","shape":[32768,32768],"data_offsets":[0,4294967296]}}`, size: 4, data: &span{4, 4294967296}},
		{name: "largest", comment: "4 bytes of a tensor that has 2^61-1: more would overflow in bits", tensor: "a",
			header: `{§,"a":{"dtype":"U8","shape":[2305843009213693951],"data_offsets":[0,2305843009213693951]}}`,
			size:   4, data: &span{4, 2305843009213693951}},
		{name: "many", comment: "twelve tensors, of which the last two are missing", tensor: "t10",
			header: `{§,` + strings.Join(row(12), ",") + `}`, size: 20, data: &span{20, 24}},
	}
}

// row returns the entries of n tensors of 2 bytes, t00 to t99.
func row(n int) []string {
	var entries []string
	for i := range n {
		entries = append(entries, u8(fmt.Sprintf("t%02d", i), 2*i, 2*i+2))
	}
	return entries
}

// trailing has files that go on after their last tensor.
func trailing() []vector {
	one := `{§,` + u8("a", 0, 4) + `}`
	return []vector{
		{name: "one-byte", comment: "one byte after the last tensor", header: one, size: 5, data: &span{4, 5}},
		{name: "newline", comment: "a line end after the last tensor, as editors leave",
			header: one, values: "\x01\x02\x03\x04\n", data: &span{4, 5}},
		{name: "zeros", comment: "a hundred zeros after the last tensor",
			header: one, values: "\x01\x02\x03\x04" + strings.Repeat("\x00", 100), data: &span{4, 104}},
		{name: "no-tensors", comment: "data, and no tensor", header: `{§}`, size: 4, data: &span{0, 4}},
		{name: "after-an-empty-tensor", comment: "data, and a tensor without bytes",
			header: `{§,` + u8("a", 0, 0) + `}`, size: 1, data: &span{0, 1}},
		{name: "listed-backwards", comment: "the last tensor of the data is listed first",
			header: `{§,` + u8("a", 4, 8) + `,` + u8("b", 0, 4) + `}`, size: 10, data: &span{8, 10}, also: "entry-order"},
		{name: "two-files", comment: "a second file after the first",
			header: one, values: "\x01\x02\x03\x04\x02\x00\x00\x00\x00\x00\x00\x00{}", data: &span{4, 14}},
	}
}
