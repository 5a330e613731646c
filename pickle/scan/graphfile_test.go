// Formats of other programs: TensorFlow Lite, Arrow, Parquet, R, skops and SentencePiece.

package scan

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// A flatTable is a table of a FlatBuffer: values by the number of the field, which are byte, int32,
// string, flatTable or []flatTable.
type flatTable map[int]any

// flatBuffer returns a FlatBuffer. An identifier may follow the offset of the outermost table.
func flatBuffer(root flatTable, identifier string) string {
	b := append(make([]byte, 4), identifier...)
	put := func(at int) { binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at)) }
	var table func(t flatTable)
	text := func(s string) {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s+"\x00"...)
	}
	table = func(t flatTable) {
		at := len(b) // the caller refers to the table, which follows its vtable
		last := -1
		for i := range t {
			last = max(last, i)
		}
		// The table contains the distance to its vtable, which here comes after it, and the fields.
		size := 4 + 4*(last+1)
		b = append(b, make([]byte, size)...)
		vtable := len(b)
		binary.LittleEndian.PutUint32(b[at:], uint32(int32(at-vtable)))
		b = binary.LittleEndian.AppendUint16(b, uint16(4+2*(last+1)))
		b = binary.LittleEndian.AppendUint16(b, uint16(size))
		for i := range last + 1 {
			if _, ok := t[i]; ok {
				b = binary.LittleEndian.AppendUint16(b, uint16(4+4*i))
			} else {
				b = append(b, 0, 0)
			}
		}
		for i := range last + 1 {
			field := at + 4 + 4*i
			switch v := t[i].(type) {
			case byte:
				b[field] = v
			case int32:
				binary.LittleEndian.PutUint32(b[field:], uint32(v))
			case string:
				put(field)
				text(v)
			case flatTable:
				put(field)
				table(v)
			case []flatTable:
				put(field)
				b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
				entries := len(b)
				b = append(b, make([]byte, 4*len(v))...)
				for n, inner := range v {
					put(entries + 4*n)
					table(inner)
				}
			}
		}
	}
	put(0)
	table(root)
	return string(b)
}

// tfliteModel returns a model of operators, each a table of OperatorCode.
func tfliteModel(options string, codes ...flatTable) string {
	op := flatTable{0: int32(len(codes) - 1), 5: options}
	return flatBuffer(flatTable{0: int32(3), 1: codes, 2: []flatTable{{3: []flatTable{op}}}}, "TFL3")
}

// arrowSchema returns a message of a stream: a schema whose fields are nested to a depth.
func arrowSchema(depth int, name, metadata string) string {
	field := flatTable{0: "x", 6: []flatTable{{0: "other", 1: "y"}, {0: "ARROW:extension:metadata", 1: metadata},
		{0: "ARROW:extension:name", 1: name}}}
	for range depth {
		field = flatTable{0: "outer", 5: []flatTable{{0: "first"}, field}}
	}
	message := flatBuffer(flatTable{1: byte(1), 2: flatTable{1: []flatTable{field}}}, "")
	message += strings.Repeat("\x00", -len(message)&7)
	return "\xff\xff\xff\xff" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(message)))) + message
}

// parquetFile returns a Parquet file without columns, with pairs of metadata. The schema is a list
// of a struct, which a reader skips.
func parquetFile(pairs ...string) string {
	text := func(s string) string { return string(binary.AppendUvarint(nil, uint64(len(s)))) + s }
	footer := "\x15\x04\x19\x1c\x48\x06schema\x15\x00\x00\x16\x00\x19\x0c\x19" + string(rune(len(pairs)/2<<4|12))
	for i := 0; i < len(pairs); i += 2 {
		footer += "\x18" + text(pairs[i]) + "\x18" + text(pairs[i+1]) + "\x00"
	}
	footer += "\x18" + text("a writer") + "\x00"
	return "PAR1" + footer + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "PAR1"
}

// xdr returns numbers as R writes them.
func xdr(v ...uint32) string {
	var b []byte
	for _, n := range v {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	return string(b)
}

// rSymbol returns a name, and rData a file that contains an object.
func rSymbol(s string) string { return xdr(1, 0x00040009, uint32(len(s))) + s }

func rData(object string) string { return "X\n" + xdr(3, 0x040300, 0x030500, 5) + "UTF-8" + object }

// rCall returns the call of a function on a string.
func rCall(function, arg string) string {
	return xdr(6) + rSymbol(function) + xdr(2, 16, 1, 0x00040009, uint32(len(arg))) + arg + xdr(254)
}

type fileCase struct {
	name, ext, bytes string
	verdict          pickle.Verdict
}

// fileCases returns files and the verdicts on them.
func fileCases(rng *rand.Rand) []fileCase {
	pick := func(v ...string) string { return v[rng.IntN(len(v))] }
	var codes []flatTable
	for range rng.IntN(4) {
		codes = append(codes, flatTable{0: byte(rng.IntN(30)), 3: int32(rng.IntN(30))})
	}
	custom := func(name string) []flatTable {
		code := flatTable{0: byte(32), 1: name, 3: int32(32)}
		if rng.IntN(2) == 0 {
			code = flatTable{0: byte(127), 1: name, 3: int32(32)}
		}
		return append(codes[:len(codes):len(codes)], code)
	}
	depth := rng.IntN(5)
	schema := func(name, metadata string) string { return arrowSchema(depth, name, metadata) }
	parquet := func(name, metadata string) string {
		return parquetFile("pandas", "{}", "ARROW:schema", base64.StdEncoding.EncodeToString([]byte(schema(name, metadata))))
	}
	arrow := func(name, metadata string) string {
		message := schema(name, metadata)
		footer := flatBuffer(flatTable{1: flatTable{1: []flatTable{{0: "x"}}}}, "")
		return "ARROW1\x00\x00" + message + footer + string(binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))) + "ARROW1"
	}
	list := func(items ...string) string { return xdr(19, uint32(len(items))) + strings.Join(items, "") }
	wrap := func(object string) string {
		for range rng.IntN(4) {
			object = list(xdr(13, 2, 1, 2), object, xdr(254))
		}
		return rData(object)
	}
	promise := xdr(0x405, 253) + xdr(252) + rCall(pick("system", "eval", "source"), "true")
	call := wrap(rCall("lm", "y"))
	return []fileCase{
		{"a custom operator", ".tflite", tfliteModel("", custom(pick("MyOp", "tftext:Tokenize"))...), pickle.Suspicious},
		{"an operation that writes files", ".tflite", tfliteModel("", custom(pick("FlexWriteFile", "FlexSaveV2", "FlexPyFunc"))...),
			pickle.Dangerous},
		{"an operation that prints to a file", ".tflite", tfliteModel("PrintV2 output_stream file:///tmp/x",
			custom("FlexPrintV2")...), pickle.Dangerous},
		{"an operation that reads files", ".tflite", tfliteModel("", custom("FlexReadFile")...), pickle.Suspicious},
		{"an operation that computes", ".tflite", tfliteModel("WriteFile", custom(pick("FlexErf", "FlexPrintV2",
			"TFLite_Detection_PostProcess"))...), pickle.Safe},
		{"the name of an operation without a custom operator", ".tflite", tfliteModel("", flatTable{0: byte(3), 1: "FlexWriteFile",
			3: int32(3)}), pickle.Safe},
		{"a pickled type", ".parquet", parquet("arrow.py_extension_type", evil), pickle.Dangerous},
		{"a pickled type behind another head", ".parquet", pick("text", "{\"a\"", "\x80\x02]", "GGUF") +
			parquet("arrow.py_extension_type", evil)[4:], pickle.Dangerous},
		{"a type with a pickle", ".parquet", parquet(pick("ray.object", "my.type"), evil), pickle.Dangerous},
		{"a type of a library", ".parquet", parquet("my.type", "{}"), pickle.Suspicious},
		{"a type of Arrow", ".parquet", parquet(pick("arrow.uuid", "arrow.json", "pandas.period"), "{}"), pickle.Safe},
		{"a pickled type", ".arrow", arrow("arrow.py_extension_type", evil), pickle.Dangerous},
		{"a pickled type in a stream", ".arrow", schema("arrow.py_extension_type", evil) + strings.Repeat("\x00", 16), pickle.Dangerous},
		{"a type of Arrow", ".feather", arrow("arrow.fixed_shape_tensor", `{"shape":[2]}`), pickle.Safe},
		{"a promise", ".rds", wrap(promise), pickle.Dangerous},
		{"a promise in a list", ".rds", wrap(list(promise, xdr(254))), pickle.Dangerous},
		{"a promise in a pair list", ".RData", "RDX3\n" + rData(xdr(0x402)+rSymbol("x")+promise+xdr(254)), pickle.Dangerous},
		{"a promise in an environment", ".rds", wrap(xdr(4, 0, 253, 0x402) + rSymbol("x") + promise + xdr(254, 254, 254)),
			pickle.Suspicious},
		{"a promise that was evaluated", ".rds", wrap(xdr(5, 13, 1, 7) + rCall("system", "true")), pickle.Safe},
		{"a function", ".rds", wrap(xdr(0x403, 253, 254) + rCall("system", "true")), pickle.Suspicious},
		{"a call as data", ".rds", call, pickle.Safe},
		{"data that ends early", ".rds", call[:len(call)-3], pickle.Suspicious},
		{"numbers and attributes", ".rds", wrap(xdr(0x20d, 2, 1, 2, 0x402) + rSymbol("names") + xdr(254, 254)), pickle.Safe},
	}
}

func TestVariantsFiles(t *testing.T) {
	n := 0
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, tt := range fileCases(rng) {
			for name, content := range map[string][]byte{
				"model" + tt.ext:       []byte(tt.bytes),
				fmt.Sprint("v", seed):  []byte(tt.bytes),
				"pytorch_model.bin":    []byte(tt.bytes),
				"m.zip":                zipped(t, file{"a/x" + tt.ext, tt.bytes}),
				"m.tar":                tarred(t, file{"data.dat", tt.bytes}),
				"x" + tt.ext + ".gz":   gzipped(t, tt.bytes),
				"x" + tt.ext + ".txt":  []byte(tt.bytes),
				"data" + tt.ext + ".1": []byte(tt.bytes),
			} {
				n++
				if r := scanned(t, new(Scanner), content, name); r.Verdict != tt.verdict {
					t.Errorf("%s (%s), seed %d, in %s, which is %s: %v, want %v: %v", tt.name, tt.ext, seed, name, r.Format, r.Verdict,
						tt.verdict, r.Findings)
				}
			}
		}
	}
	t.Logf("%d variants", n)
}

// skopsNode returns a node of a schema.
func skopsNode(s speller, loader, module, class, content string) string {
	return s.object("__loader__", s.text(loader), "__module__", s.text(module), "__class__", s.text(class), "content", content)
}

func TestVariantsSkops(t *testing.T) {
	for seed := range uint64(40) {
		s := speller{rand.New(rand.NewPCG(seed, 6))}
		pick := func(v ...string) string { return v[s.IntN(len(v))] }
		for _, tt := range []struct {
			node    string
			verdict pickle.Verdict
		}{
			{skopsNode(s, "ObjectNode", "sklearn.linear_model._logistic", "LogisticRegression", "{}"), pickle.Safe},
			{skopsNode(s, "DictNode", "builtins", pick("dict", "list", "str", "NoneType"), "{}"), pickle.Safe},
			{skopsNode(s, "FunctionNode", pick("os", "posix", "subprocess"), pick("system", "popen", "run"), "null"), pickle.Dangerous},
			{skopsNode(s, "FunctionNode", "builtins", pick("eval", "exec", "__import__"), "null"), pickle.Dangerous},
			{skopsNode(s, "ObjectNode", "mypackage.models", "Model", "{}"), pickle.Suspicious},
			{s.object("__loader__", s.text("FunctionNode"), "content", s.object("module_path", s.text("os"), "function",
				s.text("system"))), pickle.Dangerous},
		} {
			schema := s.nested(tt.node)
			for name, content := range map[string][]byte{
				"m.skops": zipped(t, file{"1.npy", npyArray("'<f4'", "(1,)") + "1234"}, file{"schema.json", schema}),
				"m.zip":   zipped(t, file{"schema.json", schema}),
				"m.pt":    zipped(t, file{"schema.json", schema}, file{"x/data.pkl", "\x80\x02}."}, file{"x/version", "3\n"}),
				"m.gz":    gzipped(t, string(zipped(t, file{"schema.json", schema}))),
			} {
				if r := scanned(t, new(Scanner), content, name); r.Verdict != tt.verdict {
					t.Errorf("%s in %s (%s): %v, want %v: %v", schema, name, r.Format, r.Verdict, tt.verdict, r.Findings)
				}
			}
		}
	}
}

// Vocabularies of SentencePiece, and what resembles them.
func TestSentencePiece(t *testing.T) {
	e := encoder{rand.New(rand.NewPCG(1, 7))}
	var model string
	for _, piece := range []string{"<unk>", "▁the", "pickle.loads"} {
		model += e.field(1, e.field(1, piece)+"\x15\x00\x00\x80\xbf\x18\x02")
	}
	model += e.field(2, "\x18\x01") + e.field(3, e.field(1, "nfkc"))
	for bytes, want := range map[string]pickle.Verdict{
		model:                                    pickle.Safe,
		model + e.field(9, "code"):               pickle.Unanalysed,
		e.field(1, e.field(4, "x")):              pickle.Unanalysed,
		"\x08\x01\x10\x02\x32\x02\x10\x01":       pickle.Safe, // a fingerprint
		"\x08\x01\x10\x02\x42\x04code":           pickle.Unanalysed,
		model[:len(model)-1] + evil + "\x00\x01": pickle.Dangerous,
	} {
		if r := scanned(t, new(Scanner), []byte(bytes), "tokenizer.model"); r.Verdict != want {
			t.Errorf("%q (%s): %v, want %v: %v", bytes, r.Format, r.Verdict, want, r.Findings)
		}
	}
}
