// Functions that look something up or call another function: every dangerous use in every form of a call.

package pickle

import (
	"fmt"
	"strings"
	"testing"
)

// calls returns the forms in which a pickle calls a name with arguments.
func calls(module, name string, args ...string) []string {
	all := strings.Join(args, "")
	return []string{
		proto(4) + stack(module, name) + "(" + all + "tR.",
		proto(2) + glob(module, name) + "(" + all + "t\x81.",
		"((" + all + "t0(" + glob(module, name) + all + "o.",
		"(" + all + "i" + module + "\n" + name + "\n.",
		proto(4) + stack(module, name) + "\x940h\x00(" + all + "tR.",
		proto(4) + stack("copyreg", "__newobj__") + "(" + stack(module, name) + all + "tR.",
		proto(4) + stack("functools", "partial") + "(" + stack(module, name) + all + "tR)R.",
		proto(4) + stack("collections", "defaultdict") + "(" + stack("functools", "partial") + "(" +
			stack(module, name) + all +
			"tR" + "tR.",
	}
}

// TestVariantsLookups checks that no function that is allowed for constant names gives access to anything else.
func TestVariantsLookups(t *testing.T) {
	system, eval := stack("os", "system"), stack("builtins", "eval")
	array := stack("numpy._core.multiarray", "_reconstruct")
	bad := map[string][][]string{
		"builtins.getattr": {{stack("argparse", "_os"), str("system")}, {stack("collections",
			"OrderedDict"), str("__class__")},
			{stack("torch", "os"), str("system")}, {stack("re", "enum"), str("sys.modules")}},
		"builtins.type": {{str("X"), ")", "}"}, {str("X"), stack("builtins", "object") + "\x85",
			"}"}, {eval}, {str("x")}, {}},
		"operator.getitem": {{stack("sys", "modules"), str("os")}, {"}", str("x")}, {stack("typing",
			"sys"), str("x")}},
		"numpy._core._ufunc_reconstruct": {{str("os"), str("system")}, {str("numpy"), str("load")},
			{str("builtins"), str("eval")},
			{str("numpy"), "K\x01"}, {str("argparse"), str("_os.system")}, {str("os")}},
		"numpy.core._ufunc_reconstruct": {{str("posix"), str("system")}, {str("subprocess"), str("Popen")}},
		"dill._dill._load_type": {{str("CodeType")}, {str("FunctionType")}, {str("eval")}, {str("a.b")},
			{"N"}, {str("MethodType")},
			{str("LambdaType")}, {str("super")}},
		"cloudpickle.cloudpickle._builtin_type": {{str("CodeType")}, {str("FunctionType")},
			{str("ModuleType")}, {str("sys.modules")}},
		"dill._dill._create_array": {{system, str("id") + "\x85", "N"}, {eval, str("1") + "\x85", "N",
			"N"}, {array, ")", "N"},
			{array, "(" + stack("numpy", "ndarray") + "K\x00\x85C\x01bt", "(K\x01K\x05\x85" + stack("os",
				"system") + "\x89C\x00t"},
			{stack("dill._dill", "_create_array"), ")", "N"}, {stack("collections", "OrderedDict"), ")", "N"}},
		"functools.partial": {{system, str("id")}, {eval, str("1")}, {stack("builtins",
			"getattr"), system}},
		"collections.defaultdict": {{system}, {eval}, {stack("functools", "partial") + "(" +
			system + str("id") + "tR"}},
		"torch.storage._load_from_bytes": {{bin(proto(2) + payload + ".")}, {bin("cposix\nsystem\n(S'id'\ntR.")}},
	}
	n := 0
	for full, list := range bad {
		module, name := split(full)
		for i, args := range list {
			for j, code := range calls(module, name, args...) {
				if r := analyzed(t, []byte(code)); r.Verdict == Safe {
					t.Errorf("%s, arguments %d, form %d is safe", full, i, j)
				}
				n++
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d variants", n)
	}
}

// TestEvaluated checks the text in a state of SciPy's distributions that SciPy executes.
func TestEvaluated(t *testing.T) {
	honest := "\ndef _parse_args(self, a, b, loc=0, scale=1):\n    return (a, b,), loc, scale\n" +
		"\ndef _parse_args_rvs(self, a, b, loc=0, scale=1, size=None):\n" +
		"    return self._argcheck_rvs(a, b, loc, scale, size=size)\n" +
		"\ndef _parse_args_stats(self, a, b, loc=0, scale=1, moments='mv'):\n    return (a, b,), loc, scale, moments\n"
	for _, k := range []struct {
		code string
		want Verdict
	}{
		{honest, Suspicious},
		{"import os", Dangerous},
		{honest + "print(1)\n", Dangerous},
		{strings.Replace(honest, "loc=0", "loc=print(1)", 1), Dangerous},
		{strings.Replace(honest, "moments='mv'", "moments=[a for a in b]", 1), Dangerous},
		{strings.Replace(honest, "scale\n", "scale; x\n", 1), Dangerous},
		{"@exit\n" + honest, Dangerous},
	} {
		state := proto(4) + stack("scipy.stats._continuous_distns", "norm_gen") + ")\x81}" +
			str("_parse_arg_template") + str(k.code) + "sb."
		if r := analyzed(t, []byte(state)); r.Verdict != k.want {
			t.Errorf("%q is %s, want %s: %v", k.code, r.Verdict, k.want, r.Findings)
		}
	}
}

// TestLookups checks the uses that picklers write.
func TestLookups(t *testing.T) {
	array := stack("numpy._core.multiarray", "_reconstruct")
	empty := "(" + stack("numpy", "ndarray") + "K\x00\x85C\x01bt"
	dtype := stack("numpy", "dtype") + "(" + str("f4") + "\x89\x88tR(K\x03" + str("<") +
		"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
	state := "(K\x01K\x01\x85" + dtype + "\x89C\x04\x00\x00\x80?t"
	for _, k := range []struct {
		name, code string
		verdict    Verdict
	}{
		{"the type of None", stack("builtins", "type") + "N\x85R", Safe},
		{"the type of Ellipsis", stack("builtins", "type") + stack("builtins", "Ellipsis") + "\x85R", Safe},
		{"a type in typing", stack("operator", "getitem") + stack("typing", "List") + stack("builtins",
			"int") + "\x86R", Safe},
		{"a function of NumPy", stack("numpy._core", "_ufunc_reconstruct") + str("numpy") +
			str("log1p") + "\x86R", Safe},
		{"a type by its name", stack("dill._dill", "_load_type") + str("int") + "\x85R", Safe},
		{"an array of dill", stack("dill._dill", "_create_array") + "(" + array + empty + state + "NtR", Safe},
		{"attributes of an array of dill", stack("dill._dill", "_create_array") + "(" + array + empty + state + "}" +
			str("note") + "K\x01stR", Safe},
		{"deque", stack("collections", "deque") + ")K\x05\x86R(K\x01K\x02e", Safe},
		{"a default of OrderedDict", stack("collections", "defaultdict") + stack("collections",
			"OrderedDict") + "\x85R", Safe},
		{"a default of a partial", stack("collections", "defaultdict") + stack("functools", "partial") +
			stack("collections", "defaultdict") + stack("builtins", "int") + "\x86R\x85R", Suspicious},
		{"HTTPStatus", stack("http", "HTTPStatus") + "M\xc8\x00\x85R", Safe},
		{"a nested class", stack("builtins", "getattr") +
			stack("torch.distributed._shard.sharded_tensor.api", "ShardedTensor") +
			str("ProcessGroupState") + "\x86R", Safe},
		{"a constructor of a model", stack("torch.distributed.device_mesh", "DeviceMesh") + ")\x81}b", Safe},
	} {
		r := analyzed(t, []byte(proto(4)+k.code+"."))
		if r.Verdict != k.verdict {
			t.Errorf("%s is %s: %v", k.name, r.Verdict, fmt.Sprint(r.Findings))
		}
	}
}
