// What is good, and what readers are wrong to refuse.

package gen

import (
	"fmt"
	"strings"
)

// healthy has files without a fault. All have metadata with a format, since
// there is a rule about that.
func healthy() []vector {
	all := append(ofEachDtype(), ofShapes()...)
	all = append(all, ofNames()...)
	all = append(all, ofMetadata()...)
	return append(all, ofForm()...)
}

// dtypes are the dtypes of the format, the bits of one element, and the bytes
// that four of them take.
var dtypes = []struct {
	name        string
	bits, bytes int
}{
	{"BOOL", 8, 4}, {"F4", 4, 2}, {"F6_E2M3", 6, 3}, {"F6_E3M2", 6, 3}, {"U8", 8, 4}, {"I8", 8, 4},
	{"F8_E5M2", 8, 4}, {"F8_E4M3", 8, 4}, {"F8_E8M0", 8, 4}, {"F8_E4M3FNUZ", 8, 4}, {"F8_E5M2FNUZ", 8, 4},
	{"I16", 16, 8}, {"U16", 16, 8}, {"F16", 16, 8}, {"BF16", 16, 8}, {"I32", 32, 16}, {"U32", 32, 16}, {"F32", 32, 16},
	{"C64", 64, 32}, {"F64", 64, 32}, {"I64", 64, 32}, {"U64", 64, 32},
}

// ofEachDtype has a file for each dtype, and one with all of them.
func ofEachDtype() []vector {
	var all []vector
	entries := []string{format}
	end := 0
	for _, d := range dtypes {
		name := strings.ToLower(strings.ReplaceAll(d.name, "_", "-"))
		all = append(all, vector{name: "dtype-" + name, comment: fmt.Sprintf("four elements of %s, %d bits each", d.name, d.bits),
			header: fmt.Sprintf(`{§,"a":{"dtype":"%s","shape":[2,2],"data_offsets":[0,%d]}}`, d.name, d.bytes), size: d.bytes})
	}
	// Wide before narrow, so that all are aligned.
	for i := len(dtypes) - 1; i >= 0; i-- {
		d := dtypes[i]
		entries = append(entries, fmt.Sprintf(`"%s":{"dtype":"%s","shape":[4],"data_offsets":[%d,%d]}`, d.name, d.name, end, end+d.bytes))
		end += d.bytes
	}
	return append(all, vector{name: "dtypes-all", comment: "a tensor of every dtype, wide before narrow",
		header: "{" + strings.Join(entries, ",") + "}", size: end})
}

// ofShapes has shapes at the edges: none, zeros, many.
func ofShapes() []vector {
	of := func(dtype, shape string, size int) string {
		return fmt.Sprintf(`{§,"a":{"dtype":"%s","shape":%s,"data_offsets":[0,%d]}}`, dtype, shape, size)
	}
	return []vector{
		{name: "no-tensors", comment: "metadata alone", header: `{§}`},
		{name: "scalar", comment: "a scalar, whose shape is empty", header: of("F32", "[]", 4), size: 4},
		{name: "empty", comment: "a tensor without elements", header: of("F32", "[0]", 0)},
		{name: "empty-of-rank-3", comment: "a tensor without elements, of three dimensions", header: of("F32", "[3,0,5]", 0)},
		{name: "empty-and-huge", comment: "no elements, and the largest dimension that there is", header: of("F64", "[0,18446744073709551615]", 0)},
		{name: "empty-and-huge-first", comment: "the same the other way round: the product does not overflow on its way to zero",
			header: of("F64", "[18446744073709551615,0]", 0)},
		{name: "empty-of-four-bits", comment: "no elements of 4 bits", header: of("F4", "[3,0]", 0)},
		{name: "ones", comment: "a rank of eight, and one element", header: of("I64", "[1,1,1,1,1,1,1,1]", 8), size: 8},
		{name: "rank-9", comment: "a rank of nine", header: of("U8", "[1,1,1,1,2,1,1,1,2]", 4), size: 4},
		{name: "rank-64", comment: "a rank of 64, and one element", header: of("U8", "["+strings.Repeat("1,", 63)+"1]", 1), size: 1},
		{name: "rank-1000", comment: "a rank of 1,000, and one element", header: of("U8", "["+strings.Repeat("1,", 999)+"1]", 1), size: 1},
		{name: "f4-three-by-two", comment: "rows of one byte", header: of("F4", "[3,2]", 3), size: 3},
		{name: "f4-two-by-three", comment: "rows of a byte and a half: the tensor fills whole bytes, and that is enough", header: of("F4", "[2,3]", 3), size: 3},
		{name: "f6-sixteen", comment: "16 elements of 6 bits", header: of("F6_E3M2", "[4,4]", 12), size: 12},
		{name: "empty-at-boundaries", comment: "tensors without bytes before, between and after the others, some at one place",
			header: `{§,` + u8("a", 0, 0) + `,` + u8("b", 0, 0) + `,` + u8("c", 0, 4) + `,` + u8("d", 4, 4) + `,` + u8("e", 4, 8) + `,` + u8("f", 8, 8) + `}`, size: 8},
		{name: "empty-alone-twice", comment: "two tensors without bytes, and no others", header: `{§,` + u8("a", 0, 0) + `,` + u8("b", 0, 0) + `}`},
		{name: "hundred-tensors", comment: "a hundred tensors", header: `{§,` + strings.Join(row(100), ",") + `}`, size: 200},
		{name: "names-not-in-order", comment: "tensors in the order of their data, and not of their names",
			header: `{§,` + u8("z", 0, 4) + `,` + u8("m", 4, 8) + `,` + u8("a", 8, 12) + `}`, size: 12},
	}
}

// ofNames has names that a reader has to take as they are, byte by byte.
func ofNames() []vector {
	// of returns a header with a tensor of each of the names, as they stand in JSON.
	of := func(names ...string) string {
		text := "{§"
		for i, name := range names {
			text += "," + u8(name, i, i+1)
		}
		return text + "}"
	}
	return []vector{
		{name: "name-empty", comment: "a tensor whose name is empty", header: of(``), size: 1},
		{name: "name-a-space", comment: "a tensor whose name is a space", header: of(` `), size: 1},
		{name: "name-dtype", comment: "tensors that are called as members are", header: of(`dtype`, `shape`, `data_offsets`), size: 3},
		{name: "name-almost-metadata", comment: "names like that of the metadata", header: of(`__metadata`, `__metadata__ `, `__METADATA__`, `metadata`), size: 4},
		{name: "name-unicode", comment: "names in five scripts", header: of(`größe`, `вес`, `重み`, `무게`, `الوزن`), size: 5},
		{name: "name-emoji", comment: "a character outside the first 65,536", header: of(`😀`), size: 1},
		{name: "name-surrogates", comment: "the same as a surrogate pair", header: of(`\ud83d\ude00`), size: 1},
		{name: "name-last-surrogates", comment: "the last character of Unicode as a surrogate pair", header: of(`\uDBFF\uDFFF`), size: 1},
		{name: "name-escapes", comment: "hexadecimal digits in capitals and not", header: of(`\u00e9`, `\u00E8`, `\uABcd`), size: 3},
		{name: "name-escaped-letters", comment: "a name all of whose letters are escaped", header: of(`\u0061\u0062\u0063`), size: 1},
		{name: "name-short-escapes", comment: "a quote, a backslash and a slash, with escapes", header: of(`a\"b`, `a\\b`, `a\/b`), size: 3},
		{name: "name-backslash-last", comment: "a backslash before the quote that ends the name", header: of(`a\\`, `\\\\`), size: 2},
		{name: "name-like-an-escape", comment: "a backslash, and then the letters of an escape", header: of(`a\\u0041`, `\\n`), size: 2},
		{name: "name-line-separator", comment: "U+2028, which is a line end in JavaScript and not in JSON", header: of("a\u2028b"), size: 1},
		{name: "name-noncharacter", comment: "U+FFFF, which is no character and yet allowed", header: of("a\uffffb"), size: 1},
		{name: "name-byte-order-mark", comment: "a byte order mark in a name, where it means nothing", header: of("\ufeffa"), size: 1},
		{name: "names-by-case", comment: "names that differ by case alone", header: of(`a.weight`, `A.weight`), size: 2},
		{name: "names-by-normalization", comment: "names that look the same: é as one character and as two", header: of("\u00e9", "e\u0301"), size: 2},
		{name: "names-by-a-zero", comment: "names that a number in them would make the same", header: of(`a.1`, `a.01`, `a.001`), size: 3},
		{name: "name-dots", comment: "dots that are no path", header: of(`a..b`, `...`, `a.`, `./a`, `a/...`), size: 5},
		{name: "name-of-braces", comment: "brackets, commas and colons in a name", header: of(`{\"a\":[1,2],`, `]}`), size: 2},
		{name: "name-long", comment: "a name of 1,000 bytes", header: of(strings.Repeat("layers.", 142) + "weight"), size: 1},
	}
}

// ofMetadata has metadata in every place and with every escape.
func ofMetadata() []vector {
	of := func(members string) string { return `{"__metadata__":{` + members + `},` + entryA + `}` }
	return []vector{
		{name: "metadata-last", comment: "metadata after the tensors", header: `{` + entryA + `,§}`, size: 4},
		{name: "metadata-between", comment: "metadata between the tensors", header: `{` + entryA + `,§,` + entryB + `}`, size: 8},
		{name: "metadata-escaped", comment: "the name of the metadata, with an escape", header: `{"\u005f_metadata__":{"format":"pt"},` + entryA + `}`, size: 4},
		{name: "metadata-empty-strings", comment: "a key and a value that are empty", header: of(`"format":"pt","":"a","b":""`), size: 4},
		{name: "metadata-json", comment: "a value that is JSON", header: of(`"format":"pt","config":"{\"a\":[1,2]}"`), size: 4},
		{name: "metadata-every-escape", comment: "every escape of JSON in a value", header: of(`"format":"pt","a":"\"\\\/\b\f\n\r\t\u0000\u001f\u00e9\ud83d\ude00"`), size: 4},
		{name: "metadata-unicode", comment: "keys and values outside ASCII", header: of(`"format":"pt","größe":"重み","\u00e9":"😀"`), size: 4},
		{name: "metadata-like-a-tensor", comment: "keys of a tensor, with values that are strings", header: of(`"format":"pt","dtype":"U8","shape":"[4]"`), size: 4},
		{name: "metadata-long", comment: "a value of 10,000 bytes", header: of(`"format":"pt","a":"` + strings.Repeat("0123456789", 1000) + `"`), size: 4},
	}
}

// ofForm has one header in several forms: what JSON allows, readers should.
func ofForm() []vector {
	all := []vector{
		{name: "space-everywhere", comment: "white space of all four kinds between all tokens",
			header: "{ \"__metadata__\" :\t{ \"format\"\n: \"pt\" } ,\r\n\"a\" : { \"dtype\" : \"U8\" , \"shape\" : [ 2 , 2 ] , \"data_offsets\" : [ 0 , 4 ] } }", size: 4},
		{name: "pretty-printed", comment: "indented by two spaces",
			header: "{\n  \"__metadata__\": {\n    \"format\": \"pt\"\n  },\n  \"a\": {\n    \"dtype\": \"U8\",\n    \"shape\": [\n      4\n    ],\n" +
				"    \"data_offsets\": [\n      0,\n      4\n    ]\n  }\n}", size: 4},
		{name: "as-python-prints", comment: "a space after every colon and comma, as json.dumps of Python has it",
			header: `{"__metadata__": {"format": "pt"}, "a": {"dtype": "U8", "shape": [2, 2], "data_offsets": [0, 4]}}`, size: 4},
		{name: "much-padding", comment: "a thousand spaces after the object", header: `{§,` + entryA + `}` + strings.Repeat(" ", 1000), size: 4},
		{name: "no-padding", comment: "a header whose length is a multiple of 8 as it is", header: `{§,` + u8("abcde", 0, 4) + `}`, size: 4},
		{name: "members-escaped", comment: "the names of the members, and the dtype, with escapes",
			header: `{§,"a":{"d\u0074ype":"\u00558","shap\u0065":[4],"\u0064ata_offsets":[0,4]}}`, size: 4},
	}
	// The three members in each of their orders.
	three := []string{`"dtype":"U8"`, `"shape":[4]`, `"data_offsets":[0,4]`}
	for _, o := range [][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		all = append(all, vector{name: fmt.Sprintf("members-in-order-%d%d%d", o[0]+1, o[1]+1, o[2]+1),
			comment: "dtype, shape and data_offsets in another order",
			header:  `{§,"a":{` + three[o[0]] + "," + three[o[1]] + "," + three[o[2]] + `}}`, size: 4})
	}
	return all
}
