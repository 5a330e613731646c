// What is wrong with the JSON: its grammar, its depth, its numbers, what is around it.

package gen

import "strings"

// entryA is the first tensor of most vectors. It has 4 bytes.
const entryA = `"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}`

// jsonFaults has the faults of grammar, each in the place where writers and
// fuzzers put it. The byte at fault is the first that no JSON text could have
// there: for a comma too many it is the bracket after it.
func jsonFaults() []vector {
	all := append(structureFaults(), stringFaults()...)
	return append(append(all, numberFaults()...), depthFaults()...)
}

// structureFaults has brackets, commas, colons and literals in the wrong places.
func structureFaults() []vector {
	return []vector{
		{name: "nothing", comment: "N is 0: there is no header", file: "\x00\x00\x00\x00\x00\x00\x00\x00", span: &span{0, 8}},
		{name: "spaces", comment: "a header of nothing but spaces", header: `        «»`},
		{name: "array", comment: "an array, where the object is due", header: `«[»[]]`},
		{name: "number", comment: "a number, where the object is due", header: `«1»`},
		{name: "string", comment: "a string, where the object is due", header: `«"»{}"`},
		{name: "null", comment: "null, where the object is due", header: `«n»ull`},
		{name: "unclosed", comment: "the object does not end", header: `{§,` + entryA + `·«»`, size: 4},
		{name: "unclosed-entry", comment: "the entry and the object do not end", header: `{§,"a":{"dtype":"U8"·«»`, size: 4},
		{name: "closed-by-a-bracket", comment: "the object ends with a bracket", header: `{§,` + entryA + `«]»`, size: 4},
		{name: "two-objects", comment: "a second object after the first", header: `{§,` + entryA + `}«{»}`, size: 4},
		{name: "metadata-after-the-object", comment: "what writers before 0.4.4 made of no tensors and some metadata",
			header: `{}«,»"__metadata__":{"format":"pt"}}`},
		{name: "word-after-the-object", comment: "null after the object", header: `{§,` + entryA + `}«n»ull`, size: 4},
		{name: "nul-after-the-object", comment: "a header padded with zeros", header: `{§,` + entryA + "}«\x00»\x00\x00·", size: 4},
		{name: "vertical-tab-after-the-object", comment: "white space that is none in JSON", header: `{§,` + entryA + "}«\v»", size: 4},
		{name: "form-feed-before-the-object", comment: "white space that is none in JSON", header: "«\f»{§," + entryA + "}", size: 4},
		{name: "nul-before-the-object", comment: "a zero before the object", header: "«\x00»{§," + entryA + "}", size: 4},
		{name: "byte-order-mark", comment: "a byte order mark before the object, counted in N", header: "«\xef»\xbb\xbf{§," + entryA + "}", size: 4},
		{name: "no-break-space", comment: "a space that is none in JSON, between two tokens", header: `{§,«` + "\xc2»\xa0" + entryA + `}`, size: 4},
		{name: "comma-at-the-end", comment: "a comma after the last member", header: `{§,` + entryA + `,«}»`, size: 4},
		{name: "comma-at-the-start", comment: "a comma before the first member", header: `{«,»§,` + entryA + `}`, size: 4},
		{name: "two-commas", comment: "two commas in a row", header: `{§,«,»` + entryA + `}`, size: 4},
		{name: "comma-in-an-entry", comment: "a comma after the last member of an entry",
			header: `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],«}»}`, size: 4},
		{name: "comma-in-a-shape", comment: "a comma after the last dimension",
			header: `{§,"a":{"dtype":"U8","shape":[4,«]»,"data_offsets":[0,4]}}`, size: 4},
		{name: "comma-alone-in-a-shape", comment: "a shape that is a comma",
			header: `{§,"a":{"dtype":"U8","shape":[«,»],"data_offsets":[0,4]}}`, size: 4},
		{name: "no-comma", comment: "two members without a comma between them", header: `{§ «"»a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, size: 4},
		{name: "no-comma-in-a-shape", comment: "two dimensions with a space between them",
			header: `{§,"a":{"dtype":"U8","shape":[2 «2»],"data_offsets":[0,4]}}`, size: 4},
		{name: "no-colon", comment: "a name without a colon after it", header: `{§,"a" «{»"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, size: 4},
		{name: "no-value", comment: "a name without a value after it", header: `{§,"a":«}»`},
		{name: "name-without-quotes", comment: "a name without quotes", header: `{§,«a»:{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, size: 4},
		{name: "name-in-single-quotes", comment: "a name in single quotes", header: `{§,«'»a':{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, size: 4},
		{name: "name-is-a-number", comment: "a name that is a number", header: `{§,«1»:{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`, size: 4},
		{name: "comment", comment: "a comment, as in C", header: `{§,«/»**/` + entryA + `}`, size: 4},
		{name: "literal-in-capitals", comment: "True, as Python prints it",
			header: `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":«T»rue}}`, size: 4},
		{name: "literal-cut-short", comment: "a literal without its last letter",
			header: `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":nul«}»}`, size: 4},
		{name: "literal-too-long", comment: "a literal with a letter too many", also: "metadata-format",
			header: `{"__metadata__":null«s»,` + entryA + `}`, size: 4},
	}
}

// stringFaults has escapes that are none, and characters that need one.
func stringFaults() []vector {
	// in returns a header with the given text, marks and all, in a name.
	in := func(text string) string {
		return `{§,"a` + text + `":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}`
	}
	return []vector{
		{name: "escape-that-is-none", comment: "a backslash before a letter that is no escape", header: in(`\«x»41`), size: 4},
		{name: "escaped-single-quote", comment: "a backslash before a single quote", header: in(`\«'»`), size: 4},
		{name: "escape-in-capitals", comment: "\\N, which is not \\n", header: in(`\«N»`), size: 4},
		{name: "escape-of-three-digits", comment: "\\u with three hexadecimal digits", header: in(`«\»u00e`), size: 4},
		{name: "escape-with-a-sign", comment: "\\u with a sign among its digits", header: in(`«\»u+0e9`), size: 4},
		{name: "high-surrogate-alone", comment: "the first half of a surrogate pair, and no second", header: in(`«\»ud83d`), size: 4},
		{name: "high-surrogate-and-a-letter", comment: "the first half of a surrogate pair, and an escape that is no half", header: in(`«\»ud83d\u0041`), size: 4},
		{name: "two-high-surrogates", comment: "the first half of a surrogate pair, twice", header: in(`«\»ud83d\ud83d`), size: 4},
		{name: "low-surrogate-alone", comment: "the second half of a surrogate pair, and no first", header: in(`«\»ude00`), size: 4},
		{name: "surrogates-swapped", comment: "a surrogate pair in the wrong order", header: in(`«\»ude00\ud83d`), size: 4},
		{name: "surrogate-in-metadata", comment: "half of a surrogate pair in a value of the metadata",
			header: `{"__metadata__":{"format":"pt","a":"«\»ud800"},` + entryA + `}`, size: 4},
		{name: "newline-in-a-string", comment: "a line end in a name, where an escape is due", header: in("«\n»"), size: 4},
		{name: "tab-in-a-string", comment: "a tab in a name, where an escape is due", header: in("«\t»"), size: 4},
		{name: "nul-in-a-string", comment: "a zero in a name, where an escape is due", header: in("«\x00»"), size: 4},
		{name: "unit-separator-in-a-string", comment: "the last of the control characters, where an escape is due", header: in("«\x1f»"), size: 4},
		{name: "unclosed-string", comment: "a name that does not end", header: `{§,"a    ·«»`, size: 4},
		{name: "backslash-at-the-end", comment: "a header that ends in an escape", header: `{§,"a    ·\«»`},
	}
}

// numberFaults has numbers that other languages have and JSON does not, and
// numbers that no float of 64 bits can hold, which the reference refuses.
func numberFaults() []vector {
	// x returns a header with the given text as the value of an unknown member.
	x := func(text string) string {
		return `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":` + text + `}}`
	}
	return []vector{
		{name: "leading-zero", comment: "a dimension that begins with a zero",
			header: `{§,"a":{"dtype":"U8","shape":[0«4»],"data_offsets":[0,4]}}`, size: 4},
		{name: "leading-zero-in-offsets", comment: "an offset that begins with a zero",
			header: `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0«0»,4]}}`, size: 4},
		{name: "leading-plus", comment: "a dimension that begins with a plus",
			header: `{§,"a":{"dtype":"U8","shape":[«+»4],"data_offsets":[0,4]}}`, size: 4},
		{name: "hexadecimal", comment: "a dimension in hexadecimal",
			header: `{§,"a":{"dtype":"U8","shape":[0«x»4],"data_offsets":[0,4]}}`, size: 4},
		{name: "underscore", comment: "a dimension with its digits grouped",
			header: `{§,"a":{"dtype":"U8","shape":[0«_»4],"data_offsets":[0,4]}}`, size: 4},
		{name: "minus-alone", comment: "a minus without digits", header: `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":-«}»}`, size: 4},
		{name: "point-at-the-start", comment: "a number that begins with a point", header: x(`«.»5`), size: 4},
		{name: "point-at-the-end", comment: "a number that ends with a point", header: `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":5.«}»}`, size: 4},
		{name: "exponent-without-digits", comment: "an exponent of nothing but its sign", header: `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":5e+«}»}`, size: 4},
		{name: "not-a-number", comment: "NaN, as Python prints it", header: x(`«N»aN`), size: 4},
		{name: "infinity", comment: "-Infinity, as Python prints it", header: x(`-«I»nfinity`), size: 4},
		{name: "number-out-of-range", comment: "1e400, beyond the numbers of 64 bits", header: x(`«1»e400`), size: 4},
		{name: "negative-number-out-of-range", comment: "-1e400, beyond the numbers of 64 bits", header: x(`«-»1e400`), size: 4},
		{name: "integer-out-of-range", comment: "an integer of 310 digits, beyond the numbers of 64 bits",
			header: x(`«9»` + strings.Repeat("9", 309)), size: 4},
	}
}

// depthFaults has nesting one deeper than is read: the object of the header and
// that of the entry are two, so that the 126th array is at depth 128.
func depthFaults() []vector {
	entry := func(brackets string) string {
		return `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":` + brackets + `}}`
	}
	return []vector{
		{name: "arrays-at-depth-128", comment: "arrays nested 128 deep, with the two objects around them",
			header: entry(strings.Repeat("[", 125) + "«[»" + strings.Repeat("]", 126)), size: 4},
		{name: "objects-at-depth-128", comment: "objects nested 128 deep",
			header: entry(strings.Repeat(`{"":`, 125) + "«{»" + strings.Repeat("}", 126)), size: 4},
		{name: "depth-128-unclosed", comment: "arrays nested deeper than is read, which do not end",
			header: entry(strings.Repeat("[", 125) + "«[»" + strings.Repeat("[", 10_000)), size: 4},
	}
}

// headerStart has white space where the specification wants the brace.
func headerStart() []vector {
	start := func(space string) string { return "«" + space + "»" + `{§,` + entryA + `}` }
	return []vector{
		{name: "space", comment: "a space before the object", header: start(" "), size: 4},
		{name: "tab", comment: "a tab before the object", header: start("\t"), size: 4},
		{name: "newline", comment: "a line end before the object", header: start("\n"), size: 4},
		{name: "return", comment: "a line end before the object, as of Windows", header: start("\r\n"), size: 4},
		{name: "many-spaces", comment: "a thousand spaces before the object", header: start(strings.Repeat(" ", 1000)), size: 4},
	}
}

// headerPadding has white space where the specification wants spaces.
func headerPadding() []vector {
	end := func(space string) string { return `{§,` + entryA + `}` + space }
	return []vector{
		{name: "newline", comment: "a line end after the object, and then spaces", header: end("«\n·»"), size: 4},
		{name: "tab", comment: "a tab after the object, and then spaces", header: end("«\t·»"), size: 4},
		{name: "return", comment: "a line end after the object, as of Windows", header: end("«\r\n·»"), size: 4},
		{name: "after-spaces", comment: "spaces, and then a line end", header: end("  «\n·»"), size: 4},
	}
}
