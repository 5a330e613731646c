// Attacks, in hand-written pickles. The expected results follow from the C loader.

package pickle

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
)

// A trick is a pickle with its expected verdict, import and rule; "" matches any.
type trick struct {
	name    string
	pickle  string
	verdict Verdict
	imports string
	rule    Rule
}

func (k trick) test(t *testing.T) {
	t.Run(k.name, func(t *testing.T) {
		r := analyzed(t, []byte(k.pickle))
		if r.Verdict != k.verdict {
			t.Errorf("verdict %s, want %s", r.Verdict, k.verdict)
		}
		has := func(im Import) bool { return im.String() == k.imports }
		if k.imports != "" && !slices.ContainsFunc(r.Imports, has) {
			t.Errorf("%s is not among the imports", k.imports)
		}
		breaks := func(f Finding) bool { return f.Rule == k.rule }
		if k.rule != "" && !slices.ContainsFunc(r.Findings, breaks) {
			t.Errorf("no finding of %s", k.rule)
		}
		if t.Failed() {
			for i := range r.Imports {
				t.Logf("import %s: %s, %s", r.Imports[i].String(), r.Imports[i].Verdict, r.Imports[i].Why())
			}
			for _, f := range r.Findings {
				t.Logf("%s %s: %s", f.Severity, f.Rule, f.Message)
			}
		}
	})
}

func TestNames(t *testing.T) {
	call := func(code string) string { return proto(4) + code + str("x") + "\x85R." }
	for _, k := range []trick{
		{"an exact name", call(stack("collections", "OrderedDict")), Safe, "collections.OrderedDict", ""},
		{"a name of which another is the beginning", call(stack("osx", "system")), Suspicious, "osx.system",
			RuleUnknownImport},
		{"a module that begins like a listed one", call(stack("collections2", "OrderedDict")), Suspicious, "",
			RuleUnknownImport},
		{"a module within a listed one", call(stack("os.path", "join")), Dangerous, "os.path.join", RuleDangerous},
		{"a path in the name", call(stack("os", "path.os.system")), Dangerous, "", RuleDangerous},
		{"a path through an unknown module", call(stack("mymodule", "os.system")), Dangerous, "", RuleReexport},
		{"a path through an allowed module", call(stack("pathlib", "os.system")), Dangerous, "", RuleReexport},
		{"a path through a path", call(stack("a", "b.c.subprocess.Popen")), Dangerous, "", RuleReexport},
		{"a module of another module", proto(4) + stack("torch.serialization", "os") + ".", Dangerous, "", ""},
		{"a module of an unknown module", proto(4) + stack("mymodule", "sys") + ".", Dangerous, "", RuleReexport},
		{"a function called code", call(stack("mymodule", "code")), Suspicious, "", RuleUnknownImport},
		{"a package with a folder called code", call(stack("mymodel.code.net", "Net")), Suspicious, "", RuleUnknownImport},
		{"a method of an allowed class", call(stack("pathlib", "Path.write_text")), Dangerous, "", RuleAttribute},
		{"a method of a denied function", call(stack("builtins", "exec.__call__")), Dangerous, "", ""},
		{"two underscores", call(stack("mymodule", "__loader__")), Dangerous, "", RuleDunderGlobal},
		{"two underscores in the module", call(stack("mymodule.__init__", "x")), Dangerous, "", RuleDunderGlobal},
		{"two underscores that are allowed", proto(4) + stack("copyreg", "__newobj__") + stack("collections", "OrderedDict") +
			"\x85R.", Safe, "", ""},
		{"the program itself", call(stack("__main__", "Net")), Suspicious, "", RuleUnknownImport},
		{"TorchScript", proto(4) + stack("__torch__.torch.nn.modules.linear", "Linear") + ")\x81.", Suspicious, "",
			RuleUnknownImport},
		{"a path in circles", call(stack("os", strings.Repeat("path.os.", 100)+"system")), Dangerous, "", RuleComputed},
		{"a path in long circles", call(uni("posixpath") + uni(strings.Repeat("os.path.", 800)+"os.system") + "\x93"),
			Dangerous, "", RuleComputed},
		{"the same by GLOBAL", call("cposixpath\n" + strings.Repeat("os.path.", 800) + "os.system\n"), Dangerous, "",
			RuleComputed},
		{"a number of the registry", proto(2) + "\x82\x07.", Suspicious, "EXT 7", RuleExtension},
		{"a number that is none", proto(2) + "\x84\xff\xff\xff\xff.", Suspicious, "", RuleParse},
		{"a number that is registered first", proto(2) + glob("copyreg", "add_extension") + "(" + uni("os") + uni("system") +
			"K\x07tR0\x82\x07)R.", Dangerous, "EXT 7", RuleExtension},
		{"a number that is registered in another pickle", proto(2) + glob("copy_reg", "_reconstructor") + "." + proto(2) +
			"\x82\x07.", Dangerous, "EXT 7", RuleExtension},
		{"an alias of a module", call(stack("nt", "system")), Dangerous, "", ""},
		{"an alias in another package", call(stack("six.moves.builtins", "eval")), Dangerous, "", ""},
		{"an import that is not called", proto(4) + stack("subprocess", "Popen") + "0N.", Dangerous, "", ""},
		{"an import that runs something", proto(4) + stack("this", "s") + "0N.", Suspicious, "", RuleDoubtful},
	} {
		k.test(t)
	}
}

func TestNamesOfPython2(t *testing.T) {
	call := func(p byte, code string) string { return proto(p) + code + uni("x") + "\x85R." }
	for _, k := range []trick{
		{"a module that was renamed", call(2, glob("__builtin__", "eval")), Dangerous, "__builtin__.eval=>builtins.eval", ""},
		{"a module that is renamed no longer", call(3, glob("__builtin__", "eval")), Dangerous, "__builtin__.eval", ""},
		{"a module that was dissolved", call(2, glob("commands", "getoutput")), Dangerous,
			"commands.getoutput=>subprocess.getoutput", ""},
		{"a name that was moved", call(2, glob("itertools", "imap")), Dangerous, "itertools.imap=>builtins.map", ""},
		{"an allowed name", proto(2) + glob("__builtin__", "set") + "]\x85R.", Safe, "__builtin__.set=>builtins.set", ""},
		{"an allowed name that changed", proto(2) + glob("__builtin__", "unicode") + uni("x") + "\x85R.", Safe,
			"__builtin__.unicode=>builtins.str", ""},
		{"the protocol is said later", "N0" + proto(4) + stack("__builtin__", "eval") + ".", Dangerous, "__builtin__.eval",
			RuleMisplaced},
		{"the protocol is lowered", proto(4) + "N0" + proto(2) + stack("commands", "getoutput") + ".", Dangerous,
			"commands.getoutput=>subprocess.getoutput", RuleDuplicate},
		{"no protocol", "c__builtin__\neval\n.", Dangerous, "__builtin__.eval=>builtins.eval", ""},
		{"both names are different things", proto(2) + glob("urllib", "urlopen") + ".", Dangerous,
			"urllib.urlopen=>urllib.request.urlopen", ""},
	} {
		k.test(t)
	}
}

// TestOperands hides the operands of STACK_GLOBAL.
func TestOperands(t *testing.T) {
	for _, k := range []trick{
		{"in the memo", proto(4) + str("os") + "\x940" + str("system") + "\x940h\x00h\x01\x93.", Dangerous, "os.system", ""},
		{"in the memo by a number of text", proto(4) + str("os") + "p99\n0" + str("system") + "p0x\n.", Suspicious, "",
			RuleParse},
		{"in the memo, far away", proto(4) + str("os") + put(1<<23) + "0" + str("system") + put(1<<30) + "0" + get(1<<23) +
			get(1<<30) + "\x93.", Dangerous, "os.system", RuleResource},
		{"in an entry that is written twice", proto(4) + str("x") + "q\x00" + str("os") + "q\x00" + "00" + "h\x00" +
			str("system") + "\x93.", Dangerous, "os.system", ""},
		{"numbered by what there is", proto(4) + str("x") + "q\x05\x94" + str("os") + "\x94" + "0" + "00h\x02" +
			str("system") + "\x93.", Dangerous, "os.system", ""},
		{"doubled", proto(4) + str("os") + "22" + "00" + str("system") + "\x93.", Dangerous, "os.system", ""},
		{"below what is taken away", proto(4) + str("os") + "(" + str("a") + str("b") + "1" + str("system") + "\x93.",
			Dangerous, "os.system", ""},
		{"a MARK that is taken away between them", proto(4) + str("os") + str("system") + "(0" + "\x93.", Dangerous,
			"os.system", ""},
		{"written in six ways", proto(4) + "S'o\\x73'\n" + "V\\u0073ystem\n" + "\x93.", Dangerous, "os.system", ""},
		{"8-bit", proto(4) + "U\x02os" + "T" + le32(6) + "system" + "\x93.", Dangerous, "os.system", ""},
		{"with lengths of 8 bytes", proto(5) + "\x8d" + le64(2) + "os" + "\x8d" + le64(6) + "system" + "\x93.", Dangerous,
			"os.system", ""},
		{"bytes", proto(4) + "C\x02os" + str("system") + "\x93.", Suspicious, "", RuleNotString},
		{"a bytearray", proto(5) + str("os") + "\x96" + le64(6) + "system" + "\x93.", Suspicious, "", RuleNotString},
		{"None", proto(4) + "N" + str("system") + "\x93.", Suspicious, "", RuleNotString},
		{"a list", proto(4) + "]" + str("os") + "a" + str("system") + "\x93.", Suspicious, "", RuleNotString},
		{"the result of a call", proto(4) + stack("builtins", "str") + str("os") + "\x85R" + str("system") + "\x93.",
			Dangerous, "", RuleComputed},
		{"what is encoded", proto(4) + stack("_codecs", "encode") + str("os") + str("latin1") + "\x86R" + str("system") +
			"\x93.", Dangerous, "", RuleComputed},
		{"an object of the loader's", proto(4) + str("a") + "Q" + str("system") + "\x93.", Dangerous, "", RuleComputed},
		{"an import", proto(4) + stack("collections", "OrderedDict") + str("system") + "\x93.", Dangerous, "", RuleComputed},
		{"an entry that there is not", proto(4) + "h\x09" + str("system") + "\x93.", Suspicious, "", RuleMemoMiss},
		{"an entry of the stream before", proto(4) + str("os") + "\x94" + str("system") + "\x940." + proto(4) +
			"h\x00h\x01\x93.", Dangerous, "os.system", RuleMemoMiss},
		{"below the MARK", proto(4) + str("os") + "(" + str("system") + "\x93.", Suspicious, "", RuleUnderflow},
		{"nothing", proto(4) + "\x93.", Suspicious, "", RuleUnderflow},
	} {
		k.test(t)
	}
}

func TestBroken(t *testing.T) {
	const head = "\x80\x04"
	for _, k := range []trick{
		{"no opcode behind it", head + payload + "\xff", Dangerous, "os.system", RuleParse},
		{"no opcode before it", head + "N\xff" + payload + ".", Dangerous, "os.system", RuleParse},
		{"no opcode before a STACK_GLOBAL", head + "\xff\xfe" + stack("os", "system") + str("x") + "\x85R.", Dangerous,
			"os.system", RuleParse},
		{"the end behind it", head + payload, Dangerous, "os.system", RuleTruncated},
		{"an argument that is cut off", head + payload + "B\xff\x00\x00\x00ab", Dangerous, "os.system", RuleTruncated},
		{"too little on the stack", head + payload + "000.", Dangerous, "os.system", RuleUnderflow},
		{"no MARK", head + payload + "t.", Dangerous, "os.system", RuleUnderflow},
		{"no UTF-8", head + payload + "\x8c\x02\xff\xfe.", Dangerous, "os.system", RuleParse},
		{"no UTF-8 before it", head + "\x8c\x02\xff\xfe0" + payload + ".", Dangerous, "os.system", RuleParse},
		{"a protocol to come", head + payload + proto(6) + ".", Dangerous, "os.system", RuleProto},
		{"a protocol to come before it", proto(255) + payload + ".", Dangerous, "os.system", RuleProto},
		{"a negative length", head + payload + "\x8b\xff\xff\xff\xff.", Dangerous, "os.system", RuleTruncated},
		{"a length that no machine has", head + payload + "\x8e" + le64(1<<63) + ".", Dangerous, "os.system", RuleResource},
		{"a length that hides it", head + "B" + le32(1<<30) + "N0" + payload + ".", Dangerous, "os.system", RuleTruncated},
		{"a line without end", head + payload + "V" + strings.Repeat("a", 1<<19), Dangerous, "os.system", RuleTruncated},
		{"an empty line", head + "c\n\n" + payload + ".", Dangerous, "os.system", RuleParse},
		{"nothing", "", Suspicious, "", RuleNotPickle},
		{"a STOP", ".", Suspicious, "", RuleUnderflow},
		{"a MARK and a STOP", "(.", Suspicious, "", RuleUnderflow},
		{"a value below the MARK", "N(.", Suspicious, "", RuleUnderflow},
		{"more than the result", "NN.", Suspicious, "", RuleNotEmpty},
		{"text", "The quick brown fox jumps over the lazy dog.\n", Suspicious, "", RuleNotPickle},
		{"zeros", strings.Repeat("\x00", 100), Suspicious, "", RuleNotPickle},
		{"text, and then a pickle", "hello\n" + head + payload + ".", Dangerous, "os.system", RuleNotPickle},
	} {
		k.test(t)
	}
}

func TestStreams(t *testing.T) {
	const window = 256 << 10 // bytes that are buffered
	benign := proto(2) + "}" + uni("a") + "K\x01s."
	evil := proto(2) + payload + "."
	for _, k := range []trick{
		{"two", benign + benign, Safe, "", RuleMultiple},
		{"the second", benign + evil, Dangerous, "os.system", RuleMultiple},
		{"the first", evil + benign, Dangerous, "os.system", RuleMultiple},
		{"the thousandth", strings.Repeat("K\x01.", 999) + payload + ".", Dangerous, "os.system", ""},
		{"behind a byte", benign + "\xff" + evil, Dangerous, "os.system", RuleTrailing},
		{"behind a million bytes", benign + strings.Repeat("\x00", 1_000_000) + evil, Dangerous, "os.system", RuleTrailing},
		{"behind text", benign + "\n# the end\n" + evil, Dangerous, "os.system", RuleTrailing},
		{"behind bytes, without PROTO", benign + "\xff\xff" + payload + ".", Dangerous, "os.system", RuleTrailing},
		{"behind bytes, in protocol 0", benign + "\xff\xff(S'ls'\nios\nsystem\n.", Dangerous, "os.system", RuleTrailing},
		{"behind bytes, STACK_GLOBAL without PROTO", benign + "\xff\xff" + stack("os", "system") + str("x") + "\x85R.",
			Dangerous, "os.system", RuleTrailing},
		{"behind bytes, memoized", benign + "\xff\xff\x8c\x02os\x94\x8c\x06system\x94\x93\x94)R.", Dangerous, "os.system",
			RuleTrailing},
		{"behind bytes, with texts of protocol 0", benign + "\xff\xffVos\nVsystem\n\x93.", Dangerous, "os.system",
			RuleTrailing},
		{"broken, behind bytes", benign + "\xff\xff" + proto(2) + payload + "\xff", Dangerous, "os.system", RuleTrailing},
		{"across a window's end", benign + strings.Repeat("\xff", window-len(benign)-7) + payload + ".", Dangerous,
			"os.system", RuleTrailing},
		{"only text behind it", benign + "\n# success\nfailed\n", Suspicious, "", RuleTrailing},
		{"only zeros behind it", benign + strings.Repeat("\x00", 50), Suspicious, "", RuleTrailing},
		{"behind bytes, a pickle of no import", benign + "\xff" + benign, Suspicious, "", RuleTrailing},
		{"behind a megabyte of heads", benign + "\xff" + strings.Repeat("\x80\x02]", 350_000) + evil, Dangerous, "os.system",
			""},
		{"behind a megabyte of words", benign + "\xff" + strings.Repeat("Vword\n", 200_000) + evil, Dangerous, "os.system",
			RuleTrailing},
		{"ten heads, and then one", benign + "\xff" + strings.Repeat("\x80\x02", 10) + evil, Dangerous, "os.system",
			RuleTrailing},
	} {
		k.test(t)
	}
}

func TestLiterals(t *testing.T) {
	for _, k := range []trick{
		{"INT in base 16", "I0x10\n0" + payload + ".", Dangerous, "os.system", RuleLiteral},
		{"INT in base 8", "I017\n0" + payload + ".", Dangerous, "os.system", RuleLiteral},
		{"INT of blanks", "I  7\n0" + payload + ".", Dangerous, "os.system", RuleLiteral},
		{"INT with a NUL", "I7\x00junk\n0" + payload + ".", Dangerous, "os.system", RuleLiteral},
		{"INT with underscores", "I1_000\n0" + payload + ".", Dangerous, "os.system", RuleLiteral},
		{"INT that is none", "I12x\n0" + payload + ".", Dangerous, "os.system", RuleParse},
		{"True", "I01\n.", Safe, "", ""},
		{"a large INT", "I" + strings.Repeat("9", 100) + "\n.", Safe, "", ""},
		{"an INT of more digits than Python reads", "I" + strings.Repeat("9", 4301) + "\n.", Suspicious, "", RuleResource},
		{"a million digits", "I" + strings.Repeat("9", 1_000_000) + "\n0" + payload + ".", Dangerous, "os.system",
			RuleResource},
		{"LONG", "L-123L\n.", Safe, "", ""},
		{"LONG without its L", "L123\n.", Suspicious, "", RuleLiteral},
		{"LONG in base 16", "L0xffL\n.", Suspicious, "", RuleLiteral},
		{"FLOAT", "F1e-05\n.", Safe, "", ""},
		{"FLOAT with a NUL", "F1.5\x00\n.", Suspicious, "", RuleLiteral},
		{"FLOAT in base 16", "F0x1p3\n0" + payload + ".", Dangerous, "os.system", RuleParse},
		{"STRING", "S'it\\'s'\n.", Safe, "", ""},
		{"STRING without quotes", "Sabc\n0" + payload + ".", Dangerous, "os.system", RuleParse},
		{"STRING with a high byte", "S'\xc3\xa9'\n0" + payload + ".", Dangerous, "os.system", RuleLiteral},
		{"STRING with an escape that is none", "S'\\x4'\n0" + payload + ".", Dangerous, "os.system", RuleParse},
		{"UNICODE", "V\\u20ac\n.", Safe, "", ""},
		{"UNICODE with half an escape", "V\\u20\n0" + payload + ".", Dangerous, "os.system", RuleParse},
		{"a surrogate", proto(3) + uni("\xed\xa0\x80") + ".", Safe, "", ""},
		{"BINSTRING of 3 GiB", proto(2) + "T\x00\x00\x00\xc0N0" + payload + ".", Dangerous, "os.system", RuleTruncated},
		{"GLOBAL with a CR", "cos\r\nsystem\r\n.", Suspicious, "", RuleUnknownImport},
		{"GLOBAL in UTF-8", "cos\nsyst\xc3\xa8me\n.", Dangerous, "os.système", ""},
		{"GLOBAL in no UTF-8", "c\xff\nsystem\n0" + payload + ".", Dangerous, "os.system", RuleParse},
		{"GLOBAL with an escape", "cos\nsys\\x74em\n.", Dangerous, "", ""},
		{"a negative PUT", "Np-1\n0" + payload + ".", Dangerous, "os.system", RuleParse},
	} {
		k.test(t)
	}
}

// TestFrames has instructions that cross the ends of frames. The C loader for files loses the rest of such a frame.
func TestFrames(t *testing.T) {
	framed := func(n uint64, rest string) string { return proto(4) + "\x95" + le64(n) + rest }
	for _, k := range []trick{
		{"as picklers write it", proto(4) + frame("]\x94K\x01a."), Safe, "", ""},
		{"two", proto(4) + frame("]\x94") + frame("K\x01a."), Safe, "", ""},
		{"an opcode before the end, its argument behind it", framed(2, "]K\x01a."), Safe, "", ""},
		{"bytes between two", proto(4) + frame("]") + "B" + le32(4) + "abcd" + frame("a."), Safe, "", ""},
		{"too long", framed(1000, "N."), Suspicious, "", RuleTruncated},
		{"too long, with a payload", framed(1<<62, payload+"."), Dangerous, "os.system", RuleTruncated},
		{"one within another", proto(4) + frame(frame("N")+"."), Suspicious, "", RuleFrame},
		{"an argument across the end", framed(3, "J\x07\x00\x00\x00."), Suspicious, "", RuleFrame},
		// Read linearly, this is a str of 3 bytes, "\x00\x00c", followed by "os\n...", which is not a pickle. With
		// loss, the frame ends after "\x8c\x03\x00", the str is "ios", and the rest runs.
		{"another program behind the end", framed(5, "N\x8c\x10ab") + "0123456789abcdef" + "0" + payload + ".", Dangerous,
			"os.system", RuleFrame},
		{"a program that only the loss shows", framed(5, "\x8c\x08...") + "AAAAAAAA" + payload + "." +
			strings.Repeat("\x00", 40), Dangerous, "os.system", RuleFrame},
		{"bytes for torch's loader, that only the loss shows", framed(5, "\x8c\x08...") + "AAAAAAAA" +
			glob("torch.storage", "_load_from_bytes") + bin(proto(2)+payload+".") + "\x85R." + strings.Repeat("\x00", 40),
			Dangerous, "os.system", RuleFrame},
		{"a line across the end", framed(4, "Vabc") + "\nVdef\n" + "0" + payload + ".", Dangerous, "os.system", RuleFrame},
		{"a GLOBAL across the end", framed(5, "ccol") + "lections\nOrderedDict\nos\nsystem\n.", Suspicious, "", RuleFrame},
		{"under protocol 2", proto(2) + frame("N."), Suspicious, "", RuleNewer},
	} {
		k.test(t)
	}
}

func TestNested(t *testing.T) {
	evil := proto(2) + payload + "."
	benign := proto(2) + "}" + uni("abc") + "K\x01s."
	old := "cos\nsystem\n(S'ls'\ntR."
	wrap := func(value string) string { return proto(4) + "}" + str("k") + value + "s." }
	load := func(value string) string { return proto(4) + stack("pickle", "loads") + value + "\x85R." }
	bytesLoader := func(value string) string {
		return proto(4) + stack("torch.storage", "_load_from_bytes") + value + "\x85R."
	}
	latin := func(s string) string {
		var b strings.Builder
		for _, c := range []byte(s) {
			b.WriteRune(rune(c))
		}
		return glob("_codecs", "encode") + uni(b.String()) + uni("latin1") + "\x86R"
	}
	for _, k := range []trick{
		{"left alone", wrap(bin(evil)), Suspicious, "", RuleEmbedded},
		{"left alone, in protocol 0", wrap(bin(old)), Suspicious, "", RuleEmbedded},
		{"left alone, of no import", wrap(bin(benign)), Suspicious, "", RuleEmbedded},
		{"left alone, as base64", wrap(str(base64.StdEncoding.EncodeToString([]byte(evil)))), Suspicious, "", RuleEmbedded},
		{"left alone, as base64 of protocol 0", wrap(str(base64.StdEncoding.EncodeToString([]byte(old)))), Suspicious, "",
			RuleEmbedded},
		{"left alone, as hexadecimal", wrap(str(hex.EncodeToString([]byte(evil)))), Suspicious, "", RuleEmbedded},
		{"left alone, as latin1", proto(2) + latin(evil) + ".", Suspicious, "", RuleEmbedded},
		{"left alone, long", wrap(bin(proto(2) + strings.Repeat("N0", 5000) + payload + ".")), Suspicious, "", RuleEmbedded},
		{"left alone, long, as base64", wrap(uni(base64.StdEncoding.EncodeToString([]byte(proto(2) +
			strings.Repeat("N0", 5000) + payload + ".")))), Suspicious, "", RuleEmbedded},
		{"an archive", wrap(bin("PK\x03\x04" + strings.Repeat("\x00", 30))), Suspicious, "", RuleNestedBox},
		{"loaded", load(bin(evil)), Dangerous, "os.system", RuleNested},
		{"loaded by something unknown", proto(4) + stack("mymodule", "restore") + bin(evil) + "\x85R.", Dangerous,
			"os.system", RuleNested},
		{"loaded by torch", bytesLoader(bin(evil)), Dangerous, "os.system", RuleNested},
		{"loaded by torch, in protocol 2", proto(2) + glob("torch.storage", "_load_from_bytes") + latin(evil) + "\x85R.",
			Dangerous, "os.system", RuleNested},
		{"loaded by torch, harmless", bytesLoader(bin(benign)), Suspicious, "torch.storage._load_from_bytes", RuleNested},
		{"loaded by torch, in Python 2", proto(2) + glob("torch.storage", "_load_from_bytes") + "U" +
			string([]byte{byte(len(evil))}) + evil + "\x85R.", Dangerous, "os.system", RuleNested},
		{"loaded by torch, a str", bytesLoader(str("echo")), Dangerous, "", RuleDangerous},
		{"loaded by torch, computed", bytesLoader(stack("mymodule", "f") + ")R"), Dangerous, "", ""},
		{"the loader is kept as well", proto(4) + stack("torch.storage", "_load_from_bytes") + "\x94" + bin(benign) +
			"\x85R0h\x00.", Dangerous, "", ""},
		{"four deep", wrap(bin(wrap(bin(wrap(bin(wrap(bin(evil)))))))), Suspicious, "", RuleEmbedded},
		{"words that look encoded", wrap(str("gAndalf the grey is no pickle") + "0" +
			str("Y2hhcmFjdGVycyBvZiBwbGFpbiB0ZXh0")), Safe, "", ""},
		{"source text", wrap(str("import os; os.system('ls')")), Safe, "", ""},
		{"names of tensors", wrap(str("encoder.layers.0.weight") + "0" + str("conv1.weight") + "0" + str("ckpt\nname\n")),
			Safe, "", ""},
	} {
		k.test(t)
	}
}
