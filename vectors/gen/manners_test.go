// What readers accept, and should not have to: alignment, names, order.

package gen

// dataAlignment has data that begin at an odd place.
func dataAlignment() []vector {
	n := &span{0, 8}
	return []vector{
		{name: "by-one", comment: "a header of 89 bytes, as of writers that do not pad",
			header: `{§,` + u8("tensor", 0, 0) + `}··`, span: n},
		{name: "by-four", comment: "a header of 84 bytes", header: `{§,` + entryA + `}··`, size: 4, span: n},
		{name: "no-tensors", comment: "a header of 33 bytes, and no data", header: `{§} ··`, span: n},
	}
}

// elementAlignment has tensors that a loader cannot use where they are.
func elementAlignment() []vector {
	return []vector{
		{name: "f32-after-a-byte", comment: "a float at 1", tensor: "b",
			header: `{§,` + u8("a", 0, 1) + `,«"b":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}»}`, size: 5},
		{name: "f64-at-four", comment: "a float of 64 bits at a multiple of 4", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«"b":{"dtype":"F64","shape":[1],"data_offsets":[4,12]}»}`, size: 12},
		{name: "bf16-at-three", comment: "elements of 16 bits at an odd offset", tensor: "b",
			header: `{§,` + u8("a", 0, 3) + `,«"b":{"dtype":"BF16","shape":[2],"data_offsets":[3,7]}»}`, size: 7},
		{name: "c64-at-four", comment: "a pair of floats at a multiple of 4: its element has 8 bytes", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«"b":{"dtype":"C64","shape":[1],"data_offsets":[4,12]}»}`, size: 12},
		{name: "by-the-header", comment: "a float at 0 of the data, which begins at an odd byte of the file", tensor: "a", also: "data-alignment",
			header: `{§,«"a":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}»}··`, size: 4},
	}
}

// boolValue has bytes that are neither true nor false.
func boolValue() []vector {
	return []vector{
		{name: "two", comment: "a byte of 2", tensor: "a",
			header: `{§,"a":{"dtype":"BOOL","shape":[4],"data_offsets":[0,4]}}`, values: "\x00\x01\x02\x01", data: &span{2, 3}},
		{name: "all-ones", comment: "a byte of 255, as of programs to which true is -1", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,"b":{"dtype":"BOOL","shape":[2,2],"data_offsets":[4,8]}}`,
			values: "\x02\x03\x04\x05\xff\x00\x01\x01", data: &span{4, 5}},
		{name: "last", comment: "the last byte of the file", tensor: "a",
			header: `{§,"a":{"dtype":"BOOL","shape":[],"data_offsets":[0,1]}}`, values: "\x80", data: &span{0, 1}},
	}
}

// nameControl has names that do harm on a terminal, in C, or as a path.
func nameControl() []vector {
	of := func(name string) string {
		return `{§,«"` + name + `":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}»}`
	}
	return []vector{
		{name: "zero", comment: "a zero, at which C ends the name", tensor: "a\x00b", header: of(`a\u0000b`), size: 4},
		{name: "newline", comment: "a line end, by which a listing has a line too many", tensor: "a\nb", header: of(`a\nb`), size: 4},
		{name: "escape", comment: "a sequence that paints a terminal red", tensor: "a\x1b[31mb", header: of(`a\u001b[31mb`), size: 4},
		{name: "backspace", comment: "a character that removes the one before it from a terminal", tensor: "a\bb", header: of(`a\bb`), size: 4},
		{name: "delete", comment: "the one control character that needs no escape in JSON", tensor: "a\x7fb", header: of("a\x7fb"), size: 4},
		{name: "c1", comment: "a control character above ASCII, in UTF-8", tensor: "a\u0085b", header: of("a\u0085b"), size: 4},
		{name: "c1-escaped", comment: "the same with an escape", tensor: "a\u009bb", header: of(`a\u009bb`), size: 4},
		{name: "parent", comment: "a path to the folder above", tensor: "../a", header: of(`../a`), size: 4},
		{name: "parent-inside", comment: "a path to the folder above, in the middle", tensor: "a/../../b", header: of(`a/../../b`), size: 4},
		{name: "parent-at-the-end", comment: "a path to the folder above, at the end", tensor: "a/..", header: of(`a/..`), size: 4},
		{name: "parent-alone", comment: "the folder above", tensor: "..", header: of(`..`), size: 4},
		{name: "parent-of-windows", comment: "a path to the folder above, with backslashes", tensor: `..\a`, header: of(`..\\a`), size: 4},
		{name: "parent-escaped", comment: "a path to the folder above, with an escape for a dot", tensor: "../a", header: of(`.\u002e/a`), size: 4},
	}
}

// metadataFormat has files without the one key that some loaders insist on.
func metadataFormat() []vector {
	none := &span{8, 8}
	return []vector{
		{name: "no-metadata", comment: "no metadata", header: `{` + entryA + `}`, size: 4, span: none},
		{name: "empty", comment: "metadata without a key", header: `{"__metadata__":{},` + entryA + `}`, size: 4, span: none},
		{name: "other-keys", comment: "metadata with other keys", header: `{"__metadata__":{"Format":"pt","a":"format"},` + entryA + `}`, size: 4, span: none},
		{name: "null", comment: "metadata that are null, which counts as none", header: `{"__metadata__":«null»,` + entryA + `}`, size: 4},
		{name: "nothing-at-all", comment: "no metadata and no tensors", header: `{}`, span: none},
	}
}

// entryOrder has entries that are not in the order of their data.
func entryOrder() []vector {
	return []vector{
		{name: "backwards", comment: "two tensors, the later one first", tensor: "b",
			header: `{§,` + u8("a", 4, 8) + `,«` + u8("b", 0, 4) + `»}`, size: 8},
		{name: "last-is-first", comment: "three tensors, the first one last", tensor: "c",
			header: `{§,` + u8("a", 4, 8) + `,` + u8("b", 8, 12) + `,«` + u8("c", 0, 4) + `»}`, size: 12},
		{name: "empty-tensor-after", comment: "a tensor without bytes, after that at whose beginning it is", tensor: "b",
			header: `{§,` + u8("a", 0, 4) + `,«` + u8("b", 0, 0) + `»}`, size: 4},
	}
}
