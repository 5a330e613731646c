// What is wrong with the members of the header and of its entries.

package gen

import "strings"

// entryB is a second tensor, of 4 bytes after those of entryA.
const entryB = `"b":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}`

// duplicateName has names that are equal once unescaped. The bytes at fault are
// the second member, which is the one that counts.
func duplicateName() []vector {
	return []vector{
		{name: "identical", comment: "one tensor twice, byte for byte", tensor: "a",
			header: `{§,` + entryA + `,«` + entryA + `»}`, size: 4},
		{name: "other-dtype", comment: "two tensors of one name, and two dtypes", tensor: "a",
			header: `{§,` + entryA + `,«"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}»}`, size: 4},
		{name: "other-bytes", comment: "two tensors of one name; the first one's bytes belong to another as well", tensor: "a",
			header: `{§,` + entryA + `,"b":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},«"a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}»}`, size: 8},
		{name: "first-one-wrong", comment: "two tensors of one name; the first has the wrong size, and does not count", tensor: "a",
			header: `{§,"a":{"dtype":"F64","shape":[9],"data_offsets":[0,4]},«` + entryA + `»}`, size: 4},
		{name: "far-apart", comment: "two tensors of one name, and others between them", tensor: "a",
			header: `{§,` + entryA + `,` + entryB + `,"c":{"dtype":"U8","shape":[0],"data_offsets":[8,8]},«` + entryA + `»}`,
			size:   8, also: "entry-order"},
		{name: "one-escaped", comment: "two tensors of one name, of which one is written with an escape", tensor: "a",
			header: `{§,` + entryA + `,«"\u0061":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}»}`, size: 4},
		{name: "escaped-in-two-ways", comment: "two tensors of one name, with hexadecimal digits in capitals and not", tensor: "é",
			header: `{§,"\u00e9":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},«"\u00E9":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}»}`, size: 4},
		{name: "surrogates-and-raw", comment: "two tensors of one name, once as a surrogate pair and once in UTF-8", tensor: "😀",
			header: `{§,"\ud83d\ude00":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},«"😀":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}»}`, size: 4},
		{name: "empty", comment: "two tensors whose name is empty",
			header: `{§,"":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},«"":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}»}`, size: 4},
		{name: "in-metadata", comment: "a key of the metadata twice",
			header: `{"__metadata__":{"format":"pt","a":"1",«"a":"2"»},` + entryA + `}`, size: 4},
		{name: "in-metadata-escaped", comment: "a key of the metadata twice, once with an escape",
			header: `{"__metadata__":{"format":"np",«"f\u006frmat":"pt"»},` + entryA + `}`, size: 4},
	}
}

// metadata has metadata that are no map from text to text.
func metadata() []vector {
	whole := func(value string) string { return `{"__metadata__":«` + value + `»,` + entryA + `}` }
	value := func(value string) string {
		return `{"__metadata__":{"format":"pt","a":«` + value + `»},` + entryA + `}`
	}
	const absent = "metadata-format" // metadata of another kind have no format
	return []vector{
		{name: "a-number", comment: "metadata that are a number", header: whole("1"), size: 4, also: absent},
		{name: "a-string", comment: "metadata that are a string", header: whole(`"pt"`), size: 4, also: absent},
		{name: "an-array", comment: "metadata that are an array", header: whole(`["format","pt"]`), size: 4, also: absent},
		{name: "true", comment: "metadata that are true", header: whole(`true`), size: 4, also: absent},
		{name: "value-a-number", comment: "a value that is a number", header: value("1"), size: 4},
		{name: "value-true", comment: "a value that is true", header: value("true"), size: 4},
		{name: "value-null", comment: "a value that is null", header: value("null"), size: 4},
		{name: "value-an-array", comment: "a value that is an array", header: value(`["b"]`), size: 4},
		{name: "value-an-object", comment: "a value that is an object", header: value(`{"b":"c"}`), size: 4},
		{name: "value-an-empty-object", comment: "a value that is an empty object", header: value(`{}`), size: 4},
		{name: "twice", comment: "metadata twice", header: `{§,` + entryA + `,«"__metadata__":{"format":"pt"}»}`, size: 4},
		{name: "twice-one-escaped", comment: "metadata twice, once with an escape in the name",
			header: `{§,` + entryA + `,«"\u005f_metadata__":{"format":"pt"}»}`, size: 4},
	}
}

// reservedName has what writers make of a tensor that is called as the metadata
// are.
func reservedName() []vector {
	const absent = "metadata-format"
	return []vector{
		{name: "alone", comment: "a tensor with the name of the metadata, and no other", tensor: "__metadata__", also: absent,
			header: `{«"__metadata__":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}»}`, size: 4},
		{name: "empty", comment: "a tensor without elements, with the name of the metadata", tensor: "__metadata__", also: absent,
			header: `{«"__metadata__":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}»}`},
		{name: "beside-another", comment: "a tensor with the name of the metadata, after another", tensor: "__metadata__", also: absent,
			header: `{` + entryA + `,«"__metadata__":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}»}`, size: 8},
	}
}

// member has entries that lack a member, or have one twice.
func member() []vector {
	whole := func(value string) string { return `{§,"a":«` + value + `»}` }
	entry := func(members string) string { return `{§,«"a":{` + members + `}»}` }
	const dtype, shape, offsets = `"dtype":"U8"`, `"shape":[4]`, `"data_offsets":[0,4]`
	return []vector{
		{name: "entry-null", comment: "an entry that is null", tensor: "a", header: whole(`null`), size: 4},
		{name: "entry-a-string", comment: "an entry that is a string", tensor: "a", header: whole(`"U8"`), size: 4},
		{name: "entry-a-number", comment: "an entry that is a number", tensor: "a", header: whole(`4`), size: 4},
		{name: "entry-false", comment: "an entry that is false", tensor: "a", header: whole(`false`), size: 4},
		{name: "entry-empty", comment: "an entry without members", tensor: "a", header: entry(``), size: 4},
		{name: "no-dtype", comment: "an entry without a dtype", tensor: "a", header: entry(shape + `,` + offsets), size: 4},
		{name: "no-shape", comment: "an entry without a shape", tensor: "a", header: entry(dtype + `,` + offsets), size: 4},
		{name: "no-offsets", comment: "an entry without data_offsets", tensor: "a", header: entry(dtype + `,` + shape), size: 4},
		{name: "dtype-twice", comment: "an entry with two dtypes", tensor: "a",
			header: `{§,"a":{` + dtype + `,` + shape + `,` + offsets + `,«` + dtype + `»}}`, size: 4},
		{name: "shape-twice", comment: "an entry with two shapes", tensor: "a",
			header: `{§,"a":{` + dtype + `,` + shape + `,«` + shape + `»,` + offsets + `}}`, size: 4},
		{name: "offsets-twice", comment: "an entry with two data_offsets", tensor: "a",
			header: `{§,"a":{` + dtype + `,` + offsets + `,` + shape + `,«` + offsets + `»}}`, size: 4},
		{name: "shape-twice-one-escaped", comment: "an entry with two shapes, one written with an escape", tensor: "a",
			header: `{§,"a":{` + dtype + `,` + shape + `,«"sh\u0061pe":[4]»,` + offsets + `}}`, size: 4},
		{name: "array-of-two", comment: "an entry that is an array without offsets", tensor: "a",
			header: `{§,«"a":["U8",[4]]»}`, size: 4},
		{name: "array-of-four", comment: "an entry that is an array of one too many", tensor: "a",
			header: `{§,"a":["U8",[4],[0,4],«null»]}`, size: 4},
		{name: "array-empty", comment: "an entry that is an empty array", tensor: "a", header: `{§,«"a":[]»}`, size: 4},
		{name: "in-the-second-entry", comment: "the second of three entries has no shape", tensor: "b",
			header: `{§,` + entryA + `,«"b":{"dtype":"U8","data_offsets":[4,8]}»,"c":{"dtype":"U8","shape":[4],"data_offsets":[8,12]}}`, size: 12},
	}
}

// memberForm has the two quirks of the parser that the reference is built on.
func memberForm() []vector {
	return []vector{
		{name: "entry-an-array", comment: "an entry that is an array of its three values", tensor: "a",
			header: `{§,«"a":["U8",[4],[0,4]]»}`, size: 4},
		{name: "dtype-an-object", comment: "a dtype that is an object of its name and null", tensor: "a",
			header: `{§,"a":{"dtype":«{"U8":null}»,"shape":[4],"data_offsets":[0,4]}}`, size: 4},
		{name: "dtype-an-object-with-space", comment: "the same with white space", tensor: "a",
			header: `{§,"a":{"dtype":«{ "U8" : null }» ,"shape":[4],"data_offsets":[0,4]}}`, size: 4},
	}
}

// unknownMember has members that the reference ignores, as long as they are JSON.
func unknownMember() []vector {
	entry := func(before, unknown string) string {
		return `{§,"a":{` + before + `«` + unknown + `»}}`
	}
	const known = `"dtype":"U8","shape":[4],"data_offsets":[0,4],`
	return []vector{
		{name: "string", comment: "a member that the format does not have", tensor: "a", header: entry(known, `"device":"cuda"`), size: 4},
		{name: "number", comment: "a number with a fraction and an exponent", tensor: "a", header: entry(known, `"x":-1.5e-3`), size: 4},
		{name: "zero-with-an-exponent", comment: "zero, however large the exponent", tensor: "a", header: entry(known, `"x":0e99999`), size: 4},
		{name: "tiny-number", comment: "a number nearer to zero than those of 64 bits", tensor: "a", header: entry(known, `"x":1e-400`), size: 4},
		{name: "large-number", comment: "the power of ten next to the largest number of 64 bits", tensor: "a", header: entry(known, `"x":1e308`), size: 4},
		{name: "long-integer", comment: "an integer of 308 digits", tensor: "a", header: entry(known, `"x":`+strings.Repeat("9", 308)), size: 4},
		{name: "null", comment: "null", tensor: "a", header: entry(known, `"x":null`), size: 4},
		{name: "true", comment: "true", tensor: "a", header: entry(known, `"x":true`), size: 4},
		{name: "nested", comment: "objects and arrays", tensor: "a", header: entry(known, `"x":{"a":[1,{"b":[]}],"c":{}}`), size: 4},
		{name: "arrays-at-depth-127", comment: "arrays nested as deep as is read", tensor: "a",
			header: entry(known, `"x":`+strings.Repeat("[", 125)+strings.Repeat("]", 125)), size: 4},
		{name: "objects-at-depth-127", comment: "objects nested as deep as is read", tensor: "a",
			header: entry(known, `"x":`+strings.Repeat(`{"":`, 124)+"{}"+strings.Repeat("}", 124)), size: 4},
		{name: "brackets-in-a-string", comment: "brackets that close nothing", tensor: "a", header: entry(known, `"x":"}]}{[\""`), size: 4},
		{name: "empty-name", comment: "a member whose name is empty", tensor: "a", header: entry(known, `"":0`), size: 4},
		{name: "in-capitals", comment: "SHAPE, which is not shape", tensor: "a", header: entry(known, `"SHAPE":[9]`), size: 4},
		{name: "with-a-space", comment: "dtype with a space after it, which is not dtype", tensor: "a", header: entry(known, `"dtype ":"F4"`), size: 4},
		{name: "first", comment: "a member that the format does not have, before those that it has", tensor: "a",
			header: `{§,"a":{«"x":[]»,"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, size: 4},
	}
}
