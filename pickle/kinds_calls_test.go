// Attacks with calls and changes to their results.

package pickle

import (
	"strings"
	"testing"
)

const (
	callable = "cmymodule\nf\n" // a name on no list
	system   = "cos\nsystem\n"
	ordered  = "ccollections\nOrderedDict\n"
)

// stateOf is a dict with one entry.
func stateOf(key, value string) string { return "}" + uni(key) + value + "s" }

func TestCalls(t *testing.T) {
	for _, k := range []trick{
		{"NEWOBJ", proto(2) + system + ")\x81.", Dangerous, "os.system", ""},
		{"NEWOBJ_EX", proto(4) + system + ")}\x92.", Dangerous, "os.system", ""},
		{"INST", "(S'ls'\nios\nsystem\n.", Dangerous, "os.system", ""},
		{"OBJ", "(" + system + "S'ls'\no.", Dangerous, "os.system", ""},
		{"and the result is dropped", proto(2) + payload + "0N.", Dangerous, "os.system", ""},
		{"and the result is dropped with a MARK", proto(2) + "(" + payload + "1N.", Dangerous, "os.system", ""},
		{"in a tuple that is dropped", proto(2) + "(" + payload + "t0N.", Dangerous, "os.system", ""},
		{"as a key", proto(2) + "}" + payload + "Ns.", Dangerous, "os.system", ""},
		{"of what was called", proto(2) + callable + ")R)R.", Dangerous, "", RuleComputedCall},
		{"of what was called, by NEWOBJ", proto(2) + callable + ")R)\x81.", Dangerous, "", RuleComputedCall},
		{"of what was called, by OBJ", proto(2) + "(" + callable + ")RNo.", Dangerous, "", RuleComputedCall},
		{"of what was called and kept", proto(2) + callable + ")Rq\x000" + "h\x00)R.", Dangerous, "", RuleComputedCall},
		{"of an object of the loader's", proto(2) + "K\x05Q)R.", Dangerous, "", RuleComputedCall},
		{"of an allowed class's object", proto(2) + ordered + ")R)R.", Dangerous, "", RuleComputedCall},
		{"of a string", proto(2) + uni("os.system") + ")R.", Suspicious, "", RuleType},
		{"with a list for the tuple", proto(2) + system + "]" + uni("ls") + "aR.", Dangerous, "os.system", RuleType},
		{"of nothing", proto(2) + ")R.", Suspicious, "", RuleUnderflow},
		{"of a class made here", proto(4) + stack("builtins", "type") + str("X") + ")}\x87R.", Dangerous, "",
			RuleDynamicClass},
		{"of a method of str", proto(4) + stack("builtins", "str.format") + str("{0.__class__}") + "N\x86R.", Dangerous, "",
			RuleDunderString},
		{"of a class in old files of modules", proto(2) + "(" + uni("module") + callable + uni("f.py") + uni("class f") +
			"tQ)\x81}b.", Suspicious, "mymodule.f", ""},
		{"of what is dangerous in them", proto(2) + "(" + uni("module") + system + uni("f.py") + uni("class f") +
			"tQ)\x81}b.", Dangerous, "os.system", ""},
	} {
		k.test(t)
	}
}

func TestStates(t *testing.T) {
	for _, k := range []trick{
		{"of an allowed class", proto(2) + ordered + ")R" + stateOf("a", "K\x01") + "b.", Safe, "", ""},
		{"of an import", proto(2) + ordered + stateOf("a", "K\x01") + "b.", Dangerous, "", RuleBuildImport},
		{"of an import, by SETITEM", proto(2) + callable + uni("a") + "K\x01s.", Dangerous, "", RuleBuildImport},
		{"of an import, by APPEND", proto(2) + callable + uni("a") + "a.", Dangerous, "", RuleBuildImport},
		{"of an import, by ADDITEMS", proto(4) + callable + "(" + uni("a") + "\x90.", Dangerous, "", RuleBuildImport},
		{"with two underscores", proto(2) + ordered + ")R" + stateOf("__class__", callable) + "b.", Dangerous, "",
			RuleDunderState},
		{"with two underscores, among slots", proto(2) + callable + ")RN" + stateOf("__class__", callable) + "\x86b.",
			Dangerous, "", RuleDunderState},
		{"with two underscores, among attributes of two", proto(2) + callable + ")R" + stateOf("__dict__", "N") + "}\x86b.",
			Dangerous, "", RuleDunderState},
		{"of slots", proto(2) + callable + ")RN" + stateOf("a", "N") + "\x86b.", Suspicious, "", RuleUnknownImport},
		{"of what has none", proto(2) + glob("__builtin__", "set") + "]\x85R" + stateOf("a", "N") + "b.", Suspicious, "",
			RuleBuildState},
		{"of a list", proto(2) + "]" + stateOf("a", "N") + "b.", Suspicious, "", RuleType},
		{"of an object of the loader's", proto(2) + "K\x05Q" + stateOf("a", "N") + "b.", Suspicious, "", RuleBuildState},
		{"items of an allowed class", proto(2) + ordered + ")R" + uni("a") + "K\x01s.", Safe, "", ""},
		{"items of a class that has none", proto(2) + glob("datetime", "date") + "(M\xe8\x07K\x01K\x01tR" + uni("a") +
			"K\x01s.", Suspicious, "", RuleMethodCall},
		{"a deque", proto(2) + glob("collections", "deque") + ")RK\x01a.", Safe, "", ""},
		{"a result without items", proto(2) + glob("builtins", "slice") + "N\x85RK\x01a.", Suspicious, "", RuleMethodCall},
		{"items of a tuple", proto(2) + "))a.", Suspicious, "", RuleType},
		{"a key without a value", proto(2) + "}(Nu.", Suspicious, "", RuleType},
		{"a key that is a list", proto(2) + "}]Ns.", Suspicious, "", RuleType},
		{"a key that has a list in it", proto(2) + "}]\x85Ns.", Suspicious, "", RuleType},
		{"a set of lists", proto(4) + "\x8f(]\x90.", Suspicious, "", RuleType},
		{"a dtype that says its floats are objects", proto(2) + glob("numpy", "dtype") + uni("f8") + "\x89\x88\x87R(K\x03" +
			uni("<") + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb.", Dangerous, "", RuleMemory},
		{"a dtype of objects", proto(2) + glob("numpy", "dtype") + uni("O8") + "\x89\x88\x87R(K\x03" + uni("|") +
			"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb.", Safe, "", ""},
		{"a dtype of floats", proto(2) + glob("numpy", "dtype") + uni("f8") + "\x89\x88\x87R(K\x03" + uni("<") +
			"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb.", Safe, "", ""},
	} {
		k.test(t)
	}
}

// TestUses calls allowed names in permitted and other ways.
func TestUses(t *testing.T) {
	storage := "(" + uni("storage") + glob("torch", "FloatStorage") + uni("0") + uni("cpu") + "K\x04tQ"
	tensor := glob("torch._utils", "_rebuild_tensor_v2") + "(" + storage + "K\x00K\x02K\x02\x86K\x02K\x01\x86\x89" +
		ordered + ")RtR"
	from := glob("torch._tensor", "_rebuild_from_type_v2")
	args := "(" + storage + "K\x00K\x02K\x02\x86K\x02K\x01\x86\x89" + ordered + ")Rt"
	rebuild := glob("torch._utils", "_rebuild_tensor_v2")
	kind := glob("torch", "Tensor")
	for _, k := range []trick{
		{"a tensor", proto(2) + tensor + ".", Safe, "", ""},
		{"a tensor of a string", proto(2) + rebuild + "(" + uni("x") + "K\x00K\x02\x85K\x01\x85\x89" + ordered + ")RtR.",
			Suspicious, "", RuleType},
		{"a tensor of too little", proto(2) + rebuild + "(" + storage + "tR.", Suspicious, "", RuleType},
		{"a tensor whose size is a bool", proto(2) + rebuild + "(" + storage + "K\x00\x88\x85K\x01\x85\x89" + ordered +
			")RtR.", Suspicious, "", RuleType},
		{"a parameter", proto(2) + glob("torch._utils", "_rebuild_parameter") + tensor + "\x88" + ordered + ")R\x87R.", Safe,
			"", ""},
		{"a parameter with two underscores", proto(2) + glob("torch._utils", "_rebuild_parameter_with_state") + "(" + tensor +
			"\x88" + ordered + ")R" + stateOf("__class__", "N") + "tR.", Dangerous, "", RuleDunderState},
		{"a tensor of a type", proto(2) + from + "(" + rebuild + kind + args + "}tR.", Safe, "", ""},
		{"a tensor of an unknown type", proto(2) + from + "(" + rebuild + callable + args + "}tR.", Suspicious, "mymodule.f",
			""},
		{"a tensor by a function", proto(2) + from + "(" + callable + kind + args + "}tR.", Dangerous, "", RuleCallableArg},
		{"a tensor by an allowed function that is none of those", proto(2) + from + "(" + ordered + kind + args + "}tR.",
			Dangerous, "", RuleCallableArg},
		{"a tensor by itself", proto(2) + from + "(" + from + kind + "(" + system + kind + uni("ls") + "\x85}t}tR.",
			Dangerous, "os.system", RuleCallableArg},
		{"a tensor with two underscores", proto(2) + from + "(" + rebuild + kind + args + stateOf("__class__", "N") + "tR.",
			Dangerous, "", RuleDunderState},
		{"a dtype is called", proto(2) + glob("torch", "float32") + ")R.", Suspicious, "", RuleCallArgs},
		{"a storage is made", proto(2) + glob("torch", "FloatStorage") + "K\x04\x85R.", Suspicious, "", RuleCallArgs},
		{"an object of object", proto(2) + glob("copy_reg", "_reconstructor") + ordered + glob("__builtin__", "object") +
			"N\x87R.", Safe, "", ""},
		{"an object of what is dangerous", proto(2) + glob("copy_reg", "_reconstructor") + system +
			glob("__builtin__", "object") + "N\x87R.", Dangerous, "", RuleCallableArg},
		{"an object of a computed class", proto(2) + glob("copy_reg", "_reconstructor") + callable + ")R" +
			glob("__builtin__", "object") + "N\x87R.", Dangerous, "", RuleCallableArg},
		{"an object of an unknown base", proto(2) + glob("copy_reg", "_reconstructor") + ordered + callable + "N\x87R.",
			Suspicious, "", RuleCallArgs},
		{"a defaultdict of lists", proto(2) + glob("collections", "defaultdict") + glob("__builtin__", "list") + "\x85R.",
			Safe, "", ""},
		{"a defaultdict of what is dangerous", proto(2) + glob("collections", "defaultdict") + system + "\x85R.", Dangerous,
			"", RuleCallableArg},
		{"a defaultdict of what nobody has audited", proto(2) + glob("collections", "defaultdict") + callable + "\x85R.",
			Suspicious, "", RuleCallableArg},
		{"a defaultdict of what was computed", proto(2) + glob("collections", "defaultdict") + callable + ")R\x85R.",
			Dangerous, "", RuleCallableArg},
		{"bytes of protocol 2", proto(2) + glob("_codecs", "encode") + uni("abc") + uni("latin1") + "\x86R.", Safe, "", ""},
		{"bytes by a codec that compresses", proto(2) + glob("_codecs", "encode") + uni("abc") + uni("zip") + "\x86R.",
			Suspicious, "", RuleCallArgs},
		{"a str by a codec", proto(2) + glob("__builtin__", "str") + uni("abc") + uni("rot13") + "\x86R.", Suspicious, "",
			RuleCallArgs},
		{"a bytearray of bytes", proto(2) + glob("__builtin__", "bytearray") + uni("abc") + uni("latin-1") + "\x86R.", Safe,
			"", ""},
		{"a bytearray of a terabyte", proto(2) + glob("__builtin__", "bytearray") + "\x8a\x06\x00\x00\x00\x00\x00\x01\x85R.",
			Suspicious, "", RuleResource},
		{"a bytearray of a terabyte, by a helper", proto(2) + glob("copy_reg", "__newobj__") +
			glob("__builtin__", "bytearray") + "\x8a\x06\x00\x00\x00\x00\x00\x01\x86R.", Suspicious, "", RuleResource},
		{"a bytearray of a terabyte, by its base", proto(2) + glob("copy_reg", "_reconstructor") +
			glob("__builtin__", "bytearray") + glob("__builtin__", "bytearray") + "\x8a\x06\x00\x00\x00\x00\x00\x01\x87R.",
			Suspicious, "", RuleResource},
		{"a bytearray of a terabyte, by name", proto(4) + stack("builtins", "bytearray") + ")" +
			stateOf("source", "\x8a\x06\x00\x00\x00\x00\x00\x01") + "\x92.", Suspicious, "", RuleCallArgs},
		{"a list of a range without end", proto(2) + glob("__builtin__", "list") + glob("__builtin__", "xrange") +
			"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f\x85R\x85R.", Suspicious, "", RuleResource},
		{"a fraction that fills memory", proto(2) + glob("fractions", "Fraction") + uni("1e999999999") + "\x85R.", Suspicious,
			"", RuleResource},
		{"a fraction", proto(2) + glob("fractions", "Fraction") + uni("1/3") + "\x85R.", Safe, "", ""},
		{"a function among plain values", proto(2) + glob("__builtin__", "set") + callable + "\x85R.", Suspicious, "",
			RuleCallableArg},
		{"a namespace", proto(2) + glob("argparse", "Namespace") + ")\x81" + stateOf("lr", "K\x01") + "b.", Safe, "", ""},
		{"an array", proto(2) + glob("numpy.core.multiarray", "_reconstruct") + glob("numpy", "ndarray") +
			"K\x00\x85U\x01b\x87R.", Safe, "", ""},
		{"an array of a terabyte", proto(2) + glob("numpy.core.multiarray", "_reconstruct") + glob("numpy", "ndarray") +
			"\x8a\x06\x00\x00\x00\x00\x00\x01\x85U\x01b\x87R.", Suspicious, "", RuleResource},
	} {
		k.test(t)
	}
}

func TestIndirectNames(t *testing.T) {
	getattr := glob("__builtin__", "getattr")
	class := glob("torch.nn.modules.activation", "SiLU")
	partial := glob("functools", "partial")
	for _, k := range []trick{
		{"getattr of a class", proto(2) + getattr + class + uni("forward") + "\x86R.", Suspicious,
			"torch.nn.modules.activation.SiLU.forward", RuleResolved},
		{"getattr of an object", proto(2) + getattr + class + ")\x81" + uni("forward") + "\x86R.", Suspicious,
			"torch.nn.modules.activation.SiLU.forward", RuleResolved},
		{"getattr of a module", proto(2) + getattr + glob("torch", "os") + uni("system") + "\x86R.", Dangerous, "", ""},
		{"getattr of a class, of a module in it", proto(2) + getattr + class + uni("os") + "\x86R.", Dangerous, "",
			RuleReexport},
		{"getattr of an allowed class", proto(2) + getattr + glob("pathlib", "Path") + uni("unlink") + "\x86R.", Dangerous,
			"", RuleAttribute},
		{"getattr with two underscores", proto(2) + getattr + class + uni("__globals__") + "\x86R.", Dangerous, "",
			RuleDunderString},
		{"getattr of getattr", proto(2) + getattr + getattr + class + uni("a") + "\x86R" + uni("os") + "\x86R.", Dangerous,
			"", RuleReexport},
		{"getattr of what was computed", proto(2) + getattr + callable + ")R" + uni("system") + "\x86R.", Dangerous, "", ""},
		{"getattr of a computed name", proto(2) + getattr + class + callable + ")R\x86R.", Dangerous, "", ""},
		{"getattr of a string", proto(2) + getattr + uni("{}") + uni("format") + "\x86R.", Dangerous, "", ""},
		{"getattr as a value", proto(2) + getattr + ".", Dangerous, "", ""},
		{"getattr used well, and kept", proto(2) + getattr + "q\x00" + class + uni("forward") + "\x86R0h\x00.", Dangerous, "",
			""},
		{"getattr used well, and given away", proto(2) + getattr + "q\x00" + class + uni("forward") + "\x86R0" + callable +
			"h\x00\x85R.", Dangerous, "", ""},
		{"getattr used well, and in a list", proto(2) + "]" + getattr + "q\x00" + class + uni("forward") + "\x86R0h\x00a.",
			Dangerous, "", ""},
		{"getattr used well, twice", proto(2) + "(" + getattr + "q\x00" + class + "q\x01" + uni("forward") +
			"\x86Rh\x00h\x01" + uni("extra") + "\x86Rt.", Suspicious, "", RuleResolved},
		{"what getattr found is called", proto(2) + getattr + class + uni("forward") + "\x86R)R.", Suspicious, "", ""},
		{"partial of an unknown function", proto(2) + partial + callable + "\x85R.", Suspicious, "", RuleResolved},
		{"partial of what is dangerous", proto(2) + partial + system + "\x85R.", Dangerous, "", RuleCallableArg},
		{"partial of what was computed", proto(2) + partial + callable + ")R\x85R.", Dangerous, "", RuleCallableArg},
		{"partial of partial", proto(2) + partial + partial + callable + "\x86R.", Dangerous, "", RuleCallableArg},
		{"partial of getattr", proto(2) + partial + getattr + class + uni("forward") + "\x87R.", Dangerous, "",
			RuleCallableArg},
		{"partial, called", proto(2) + partial + callable + "\x85R)R.", Dangerous, "", RuleComputedCall},
		{"map", proto(2) + glob("__builtin__", "map") + callable + "]\x86R.", Dangerous, "", ""},
		{"apply", proto(2) + glob("__builtin__", "apply") + callable + ")\x86R.", Dangerous, "", ""},
	} {
		k.test(t)
	}
}

func TestResources(t *testing.T) {
	lists := func(n int) string { return strings.Repeat("]", n) + strings.Repeat("a", n-1) + "." }
	for _, k := range []trick{
		{"a list in itself", proto(2) + "]q\x00h\x00a.", Safe, "", ""},
		{"a tuple in itself", proto(2) + "]q\x00h\x00\x85a.", Safe, "", ""},
		{"a thousand lists deep", proto(2) + lists(1000), Safe, "", ""},
		{"fifty thousand lists deep", proto(2) + lists(50_000), Suspicious, "", RuleResource},
		{"fifty thousand tuples deep", proto(2) + "N" + strings.Repeat("\x85", 50_000) + ".", Suspicious, "", RuleResource},
		{"ten times ten times ten", proto(2) + strings.Repeat("(", 10) + "N" +
			strings.Repeat(strings.Repeat("2", 9)+"t", 10) + ".", Suspicious, "", RuleExpansion},
		{"the same with the memo", proto(2) + "]q\x00" +
			strings.Repeat("0](h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00h\x00eq\x00", 10) + ".", Suspicious, "",
			RuleExpansion},
		{"the same, dropped", proto(2) + strings.Repeat("(", 10) + "N" + strings.Repeat(strings.Repeat("2", 9)+"t", 10) +
			"0N.", Safe, "", ""},
		{"one list in many places", proto(2) + "](K\x01K\x02eq\x00" + "](" + strings.Repeat("h\x00", 10_000) + "e.",
			Suspicious, "", RuleNotEmpty},
		{"open MARKs", strings.Repeat("(", 20_000) + "N.", Suspicious, "", RuleResource},
		{"a memo of four billion", proto(2) + "Nr\xff\xff\xff\xff.", Suspicious, "", RuleResource},
		{"a memo that doubles", proto(2) + "N" + doubling() + ".", Suspicious, "", RuleResource},
		{"a PUT beyond all numbers", "Np99999999999999999999\n.", Suspicious, "", RuleResource},
	} {
		k.test(t)
	}
}

// doubling is a sequence of PUTs with exponentially growing indexes.
func doubling() string {
	var b strings.Builder
	for i := 10; i < 32; i++ {
		b.WriteString(put(1<<i - 1))
	}
	return b.String()
}
