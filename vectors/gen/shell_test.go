// What is wrong before there is a header: no length, a wrong one, another format.

package gen

import "strings"

// good is a header without a fault, 88 bytes long, for 4 bytes of data.
const good = `{§,"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}·`

// tooShort has files that end inside of the length.
func tooShort() []vector {
	return []vector{
		{name: "empty", comment: "a file of 0 bytes", file: "", span: &span{0, 0}},
		{name: "one-byte", comment: "a file of 1 byte", file: "\x10", span: &span{0, 1}},
		{name: "seven-bytes", comment: "a file of 7 bytes: one less than a length takes",
			file: "\x10\x00\x00\x00\x00\x00\x00", span: &span{0, 7}},
	}
}

// headerSize has lengths that cannot be right. Two of them read like the first
// bytes of other formats, which must not tempt anyone to call them so.
func headerSize() []vector {
	all := &span{0, 8}
	return []vector{
		{name: "one-more-than-there-is", comment: "N is 1 more than the bytes after it",
			header: `{§}·`, n: 33, span: all},
		{name: "cut-in-the-header", comment: "the file ends in the middle of its header",
			header: `{§,"a":{"dtype":"U8","sha··`, n: 88, span: all},
		{name: "cut-behind-the-length", comment: "the file ends where the header should begin",
			file: "\x58\x00\x00\x00\x00\x00\x00\x00", span: all},
		{name: "length-like-a-pickle", comment: "N is 640, whose bytes 80 02 are those with which a pickle begins; the header is cut",
			header: `{§,"a":{"dtype":"U8","shape":[4],`, n: 640, span: all},
		{name: "length-like-gzip", comment: "N is 35615, whose bytes 1f 8b are those with which a gzip file begins; the header is cut",
			header: `{§,"a":{"dtype":"U8","shape":[4],`, n: 35615, span: all},
		{name: "at-the-limit", comment: "N is 100,000,000, which is allowed, and the file is short",
			header: good, size: 4, n: 100_000_000, span: all},
		{name: "over-the-limit", comment: "N is 100,000,001, one more than is allowed",
			header: good, size: 4, n: 100_000_001, span: all},
		{name: "huge", comment: "N is 2^63: the most negative number, if it is read as one with a sign",
			header: good, size: 4, n: 1 << 63, span: all},
		{name: "all-ones", comment: "N is 2^64-1: adding 8 to it gives 7",
			header: good, size: 4, n: 1<<64 - 1, span: all},
		{name: "big-endian", comment: "N is 88 with its bytes in the wrong order",
			header: good, size: 4, n: 88 << 56, span: all},
		{name: "limit-of-the-caller", comment: "N is 88, and the caller allows 80 bytes", limit: "header 80",
			header: good, size: 4, span: all},
	}
}

// utf8Faults has bytes that are not UTF-8. The byte at fault is that at which the
// bad sequence begins.
func utf8Faults() []vector {
	return []vector{
		{name: "in-a-name", comment: "a byte that begins nothing, in the name of a tensor",
			header: "{§,\"a«\xff»b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", size: 4},
		{name: "in-metadata", comment: "text in ISO 8859-1, in a value of the metadata",
			header: "{\"__metadata__\":{\"format\":\"pt\",\"author\":\"Andr«\xe9»\"}}"},
		{name: "overlong", comment: "a slash in two bytes, where one is enough",
			header: "{§,\"a«\xc0»\xafb\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", size: 4},
		{name: "surrogate", comment: "half of a surrogate pair, encoded as if it were a character",
			header: "{§,\"a«\xed»\xa0\x80b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", size: 4},
		{name: "beyond-unicode", comment: "a character above U+10FFFF",
			header: "{§,\"a«\xf4»\x90\x80\x80b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", size: 4},
		{name: "cut-off", comment: "the first two bytes of three, and then a quote",
			header: "{§,\"a«\xe2»\x82\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", size: 4},
		{name: "between-tokens", comment: "a byte that begins nothing, before a name",
			header: "{§,«\xff»\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}", size: 4},
		{name: "in-the-padding", comment: "a byte that begins nothing, after the object",
			header: "{§,\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}}«\xff»", size: 4},
		{name: "sixteen-bits", comment: "a header in UTF-16, with its byte order mark",
			header: "«\xff»\xfe{\x00}\x00 \x00"},
	}
}

// limits has files that are healthy, but for a reader that was told to be careful.
func limits() []vector {
	return []vector{
		{name: "tensors", comment: "three tensors, and the caller allows two", limit: "tensors 2", tensor: "c",
			header: `{§,"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},` +
				`«"c":»{"dtype":"U8","shape":[1],"data_offsets":[2,3]}}`, size: 3},
		{name: "rank", comment: "four dimensions, and the caller allows two: the third is one too many", limit: "rank 2", tensor: "a",
			header: `{§,"a":{"dtype":"U8","shape":«[2,2,1»,1],"data_offsets":[0,4]}}`, size: 4},
		{name: "metadata", comment: "metadata of 43 bytes, and the caller allows 20: the second member is one too many", limit: "metadata 20",
			header: `{"__metadata__":«{"format":"pt","a":"long value"»,"b":"c"}}`},
	}
}

// notSafetensors has files of other formats.
func notSafetensors() []vector {
	const meaning = ", under the name of a safetensors file"
	var all []vector
	for _, f := range foreignFiles {
		// What a file is shows in its first 1,024 bytes.
		end := uint64(min(len(f.file), 1024))
		all = append(all, vector{name: f.name, comment: f.what + meaning, file: f.file, span: &span{0, end}})
	}
	return all
}

// foreignFiles are beginnings of files of other formats, as their
// specifications describe them.
var foreignFiles = []struct{ name, what, file string }{
	{"git-lfs-pointer", "a Git LFS pointer, which stands in a repository for a file that was not fetched",
		"version https://git-lfs.github.com/spec/v1\n" +
			"oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 4976698672\n"},
	{"html", "a web page, as of a login",
		"<!DOCTYPE html>\n<html class=\"\">\n<head><title>Sign in</title></head>\n<body></body>\n</html>\n"},
	{"html-without-doctype", "a web page, as of a server's error",
		"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body></body>\r\n</html>\r\n"},
	{"json-error", "an error of a server, in JSON",
		`{"error":"Repository not found","code":404}`},
	{"json-index", "an index of shards",
		"{\n  \"metadata\": {\"total_size\": 8},\n  \"weight_map\": {\"a\": \"model-00001-of-00001.safetensors\"}\n}\n"},
	{"json-array", "a JSON text that is no object", `["a", "b", "c"]`},
	{"xml", "an error of an object store, in XML",
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"},
	{"text", "an error of a server, in one line", "Entry not found"},
	{"text-outside-ascii", "a text in German", "Datei nicht verfügbar: bitte später erneut versuchen.\n"},
	{"zip", "a zip archive, as PyTorch has written since 1.6",
		"PK\x03\x04\x00\x00\x08\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x10\x00\x00\x00\x10\x00\x12\x00archive/data.pkl"},
	{"pytorch-legacy", "a pickle with the magic number of PyTorch before 1.6",
		"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}q\x00"},
	{"pickle-2", "a pickle of protocol 2: an empty dict", "\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01u."},
	{"pickle-4", "a pickle of protocol 4: an empty dict", "\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00}\x94\x8c\x01a\x94K\x01s."},
	{"gguf", "a GGUF file, version 3", "GGUF\x03\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"},
	{"numpy", "a NumPy array",
		"\x93NUMPY\x01\x00\x36\x00{'descr': '<f4', 'fortran_order': False, 'shape': ()}\n\x00\x00\x80\x3f"},
	{"hdf5", "an HDF5 file, as Keras writes", "\x89HDF\r\n\x1a\n\x00\x00\x00\x00\x00\x08\x08\x00\x04\x00\x10\x00"},
	{"gzip", "a gzip file: of nothing", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
	{"zstandard", "a Zstandard file: of nothing", "\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51"},
	{"xz", "an xz file", "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x00\x00\x00\x00"},
	{"bzip2", "a bzip2 file: of nothing", "BZh9\x17\x72\x45\x38\x50\x90\x00\x00\x00\x00"},
	{"7z", "a 7z archive", "7z\xbc\xaf\x27\x1c\x00\x04\x8d\x9b\xd5\x0f\x00\x00\x00\x00"},
	{"rar", "a RAR archive", "Rar!\x1a\x07\x01\x00\x33\x92\xb5\xe5\x0a\x01\x05\x06"},
	{"tar", "a tar archive with one empty file: the format's name is at 257", tarFile},
	{"tensorflow-lite", "a TensorFlow Lite model: the format's name is at 4", "\x1c\x00\x00\x00TFL3\x14\x00\x20\x00\x1c\x00\x18\x00"},
	{"byte-order-mark", "a safetensors file with a byte order mark before it, as editors write",
		"\xef\xbb\xbf\x02\x00\x00\x00\x00\x00\x00\x00{}"},
	{"pdf", "a PDF", "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"},
	{"png", "a PNG image", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"},
	{"jpeg", "a JPEG image", "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"},
	{"onnx", "an ONNX model: a version, who wrote it, and a graph", "\x08\x08\x12\x07pytorch\x3a\x05\x0a\x03\x0a\x01x"},
	{"flax", "a Flax checkpoint: a MessagePack map of a map", "\x81\xa6params\x81\xa6kernel\xc7\x02\x01\x90\x90"},
	{"appledouble", "metadata of macOS for a file", "\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        \x00\x02"},
	{"xet-pointer", "a Xet pointer, which stands in a repository for a file that was not fetched",
		"# xet version 0\nfilesize = 4976698672\nhash = '4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393'\n"},
	{"link-text", "the text of a link in a cache of the Hub", "../../blobs/4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393"},
	{"elf", "a program of Linux", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x3e\x00"},
	{"python", "source code in Python", "import torch\n\nclass Net(torch.nn.Module):\n    pass\n"},
	{"zeros", "16 zero bytes, as of a download that only reserved its space", strings.Repeat("\x00", 16)},
	{"many-zeros", "2 KiB of zeros", strings.Repeat("\x00", 2048)},
}

// tarFile is a POSIX tar archive: the header of an empty file, and zeros.
var tarFile = "model.safetensors" + strings.Repeat("\x00", 83) +
	"0000644\x00" + "0000000\x00" + "0000000\x00" + // mode, owner, group
	"00000000000\x00" + "00000000000\x00" + // size, time
	"011311\x00 0" + strings.Repeat("\x00", 100) + // checksum, kind, link
	"ustar\x0000" + strings.Repeat("\x00", 1024-265)
