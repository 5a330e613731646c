// Generated lies about arrays, and the truth next to each.

package pickle

import (
	"fmt"
	"strings"
	"testing"
)

// number returns the opcode for an int.
func number(n int) string {
	if n >= 0 && n < 256 {
		return "K" + string([]byte{byte(n)})
	}
	return "J" + le32(n)
}

// tuple returns a tuple.
func tuple(items ...string) string { return "(" + strings.Join(items, "") + "t" }

// A dtypeCode is a dtype as a pickle has it: the arguments and the state of numpy.dtype.
type dtypeCode struct {
	code               string
	version            int
	order              string
	sub, names, fields string
	size, align, flags int
	meta               string
}

// honest returns the dtypes that NumPy 2.4 writes for the codes, arrays and fields in dt.__reduce__().
func honest() map[string]dtypeCode {
	plain := func(code string) dtypeCode {
		return dtypeCode{code: code, version: 3, order: "<", sub: "N", names: "N", fields: "N", size: -1, align: -1}
	}
	sized := func(code string, size, align, flags int) dtypeCode {
		d := plain(code)
		d.order, d.size, d.align, d.flags = "|", size, align, flags
		return d
	}
	object := plain("O8")
	object.order, object.flags = "|", 63
	time := plain("M8")
	time.version, time.meta = 4, tuple("N", tuple(bin("ns"), "K\x01", "K\x01", "K\x01"))
	field := func(name string, d dtypeCode, offset int) string {
		return uni(name) + d.String() + number(offset) + "\x86"
	}
	pair := sized("V12", 12, 1, 16)
	pair.names, pair.fields = tuple(uni("a"), uni("b")), "}("+field("a", plain("i4"), 0)+field("b", plain("f8"), 4)+"u"
	mixed := sized("V16", 16, 8, 27)
	mixed.names, mixed.fields = tuple(uni("a"), uni("b")), "}("+field("a", plain("i4"), 0)+field("b", object, 8)+"u"
	titled := sized("V8", 8, 1, 16)
	value := tuple(plain("f8").String(), "K\x00", uni("title"))
	titled.names, titled.fields = tuple(uni("a")), "}("+uni("a")+value+uni("title")+value+"u"
	array := sized("V24", 24, 4, 0)
	array.sub = tuple(plain("f4").String(), tuple("K\x02", "K\x03"))
	objects := sized("V16", 16, 8, 63)
	objects.sub = tuple(object.String(), tuple("K\x02"))
	aligned := mixed
	aligned.flags = 155
	old := mixed
	old.flags = -101 // aligned, before NumPy 2
	return map[string]dtypeCode{
		"f8": plain("f8"), "u1": plain("u1"), "c16": plain("c16"), "S5": sized("S5", 5, 1, 0), "U5": sized("U5", 20, 4, 8),
		"V8": sized("V8", 8, 1, 0), "O8": object, "M8": time, "pair": pair, "mixed": mixed, "titled": titled, "array": array,
		"objects": objects, "aligned": aligned, "old": old,
	}
}

// String returns the instructions.
func (d dtypeCode) String() string {
	head := stack("numpy", "dtype") + str(d.code) + "\x89\x88\x87R"
	state := []string{number(d.version), str(d.order), d.sub, d.names, d.fields, number(d.size), number(d.align),
		number(d.flags)}
	if d.meta != "" {
		state = append(state, d.meta)
	}
	return head + tuple(state...) + "b"
}

// lies returns what is wrong with variants of an honest dtype.
func lies(name string, d dtypeCode) map[string]dtypeCode {
	list := map[string]dtypeCode{}
	lie := func(how string, change func(*dtypeCode)) {
		v := d
		change(&v)
		list[how] = v
	}
	own := strings.ContainsRune("SUV", rune(d.code[0]))
	for _, bit := range []int{1, 2, 4, 32, 64} {
		lie(fmt.Sprintf("flag %d turned", bit), func(v *dtypeCode) { v.flags = (v.flags & 255) ^ bit })
	}
	lie("flags of objects turned", func(v *dtypeCode) { v.flags = (v.flags & 255) ^ 63 })
	lie("no version", func(v *dtypeCode) { v.version = 5 })
	lie("an old version", func(v *dtypeCode) { v.version = 2 })
	lie("a long order", func(v *dtypeCode) { v.order = "<>" })
	lie("flags of an int", func(v *dtypeCode) { v.flags = 1<<16 + v.flags })
	lie("a name of NumPy's", func(v *dtypeCode) { v.code = "object" })
	lie("a list of fields", func(v *dtypeCode) { v.code += ",O" })
	if own {
		lie("larger", func(v *dtypeCode) { v.size++ })
		lie("smaller", func(v *dtypeCode) { v.size-- })
		lie("huge", func(v *dtypeCode) { v.size = 1 << 30 })
		lie("negative", func(v *dtypeCode) { v.size = -v.size })
		lie("no alignment", func(v *dtypeCode) { v.align = 0 })
		lie("an odd alignment", func(v *dtypeCode) { v.align = 3 })
	} else {
		lie("a size of its own", func(v *dtypeCode) { v.size = 8 })
	}
	for how, text := range map[string]string{"list": "]", "dict": "}", "int": "K\x01", "text": str("x")} {
		lie("a "+how+" for the base", func(v *dtypeCode) { v.sub = text })
		lie("a "+how+" for the fields", func(v *dtypeCode) { v.names, v.fields = tuple(str("a")), text+"" })
	}
	object := honestObject()
	lie("a base of objects", func(v *dtypeCode) { v.sub = tuple(object, tuple("K\x01")) })
	for _, offset := range []int{1 << 20, 1<<31 - 1, 1000} {
		lie(fmt.Sprintf("a field at %d", offset), func(v *dtypeCode) {
			v.names, v.fields = tuple(str("a")), "}"+str("a")+object+number(offset)+"\x86s"
		})
	}
	lie("a field before it", func(v *dtypeCode) {
		v.names, v.fields = tuple(str("a")), "}"+str("a")+object+number(-8)+"\x86s"
	})
	lie("a field without name", func(v *dtypeCode) { v.names, v.fields = ")", "}"+str("a")+object+"K\x00\x86s" })
	lie("a name without field", func(v *dtypeCode) { v.names, v.fields = tuple(str("a")), "}" })
	delete(list, "a dict for the fields") // is the same
	return list
}

func honestObject() string {
	return dtypeCode{code: "O8", version: 3, order: "|", sub: "N", names: "N", fields: "N", size: -1, align: -1, flags: 63}.String()
}

// users are the ways to have elements of a dtype. The first makes an array of n items with data.
var users = map[string]func(d string) string{
	"dtype": func(d string) string { return d },
	"scalar": func(d string) string {
		return stack("numpy._core.multiarray", "scalar") + d + bin(strings.Repeat("A", 32)) + "\x86R"
	},
	"frombuffer": func(d string) string {
		return stack("numpy._core.numeric", "_frombuffer") + tuple(bin(strings.Repeat("A", 48)), d, tuple("K\x01"), str("C")) + "R"
	},
	"state": func(d string) string {
		return stack("numpy._core.multiarray", "_reconstruct") + stack("numpy", "ndarray") + "K\x00\x85C\x01b\x87R" +
			tuple("K\x01", "K\x00\x85", d, "\x89", "C\x00") + "b"
	},
	"wrapper": func(d string) string {
		return stack("joblib.numpy_pickle", "NumpyArrayWrapper") + ")\x81}(" + str("subclass") + stack("numpy", "ndarray") +
			str("shape") + "K\x00\x85" + str("order") + str("C") + str("dtype") + d + "ub"
	},
	"field": func(d string) string {
		return dtypeCode{code: "V64", version: 3, order: "|", sub: "N", names: tuple(str("x")),
			fields: "}" + str("x") + d + "K\x00\x86s", size: 64, align: 1, flags: 27}.String()
	},
}

// TestVariantsNumPy: no lie about a dtype is safe, whoever uses it, and the truth is not dangerous.
func TestVariantsNumPy(t *testing.T) {
	n := 0
	for name, d := range honest() {
		r := analyzed(t, []byte(proto(4)+"]"+d.String()+"a."))
		if r.Verdict != Safe {
			t.Errorf("%s: %v, %v", name, r.Verdict, r.Findings)
		}
		for how, lie := range lies(name, d) {
			if lie.String() == d.String() {
				continue
			}
			for use, in := range users {
				n++
				r := analyzed(t, []byte(proto(4)+"]"+in(lie.String())+"a."))
				if r.Verdict == Safe || how != "an old version" && how != "a long order" && how != "no version" &&
					how != "a size of its own" && r.Verdict != Dangerous {
					t.Errorf("%s, %s, in a %s: %v, %v", name, how, use, r.Verdict, r.Findings)
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("%d variants", n)
	}
}

// TestArrays has arrays whose data or memory is not what they say.
func TestArrays(t *testing.T) {
	f8, o8 := honest()["f8"].String(), honestObject()
	made := stack("numpy._core.multiarray", "_reconstruct") + stack("numpy", "ndarray") + "K\x00\x85C\x01b\x87R"
	state := func(shape, d, data string) string { return tuple("K\x01", shape, d, "\x89", data) + "b" }
	nd := stack("numpy", "ndarray")
	for _, k := range []trick{
		{"numbers", proto(4) + made + state("K\x01\x85", f8, "C\x0812345678") + ".", Safe, "", ""},
		{"arrays of objects", proto(4) + made + state("K\x01\x85", honest()["objects"].String(), "](NNe") + ".", Dangerous, "",
			RuleMemory},
		{"arrays of numbers", proto(4) + made + state("K\x01\x85", honest()["array"].String(), bin(strings.Repeat("A", 24))) + ".",
			Dangerous, "", RuleMemory},
		{"objects", proto(4) + made + state("K\x02\x85", o8, "](NNe") + ".", Safe, "", ""},
		{"too few objects", proto(4) + made + state("K\x03\x85", o8, "](NNe") + ".", Dangerous, "", RuleMemory},
		{"objects of an empty list", proto(4) + made + state("K\x03\x85", o8, stack("builtins", "list")+")R") + ".", Dangerous,
			"", RuleMemory},
		{"too few objects of two dimensions", proto(4) + made + state("K\x02K\x02\x86", o8, "](NNNe") + ".", Dangerous, "",
			RuleMemory},
		{"a second state", proto(4) + made + state("K\x01\x85", f8, "C\x0812345678") + state("K\x01\x85", f8, "C\x08abcdefgh") +
			".", Dangerous, "", RuleMemory},
		{"a dtype changed after its use", proto(4) + stack("numpy", "dtype") + str("V8") + "\x89\x88\x87R\x940" + made +
			state("K\x01\x85", "h\x00", "C\x0812345678") + "0h\x00" + honest()["V8"].String()[23:] + ".", Dangerous, "", RuleMemory},
		{"a dtype changed twice", proto(4) + honest()["V8"].String() + honest()["V8"].String()[23:] + ".", Dangerous, "",
			RuleMemory},
		{"fields added later", proto(4) + "}\x940" + strings.Replace(honest()["pair"].String(), "}(", "h\x00(", 1) + "0h\x00" +
			str("a") + o8 + "K\x04\x86s.", Dangerous, "", RuleMemory},
		{"a recarray over bytes", proto(4) + stack("numpy", "recarray") + tuple("K\x01\x85", str("O"), "C\x0812345678") + "R.",
			Dangerous, "", RuleCallArgs},
		{"a memmap, by NEWOBJ", proto(4) + stack("numpy", "memmap") + str("file") + "\x85\x81.", Dangerous, "", RuleCallArgs},
		{"a memmap, by __newobj__", proto(4) + stack("copyreg", "__newobj__") + stack("numpy", "memmap") + str("file") + "\x86R.",
			Dangerous, "", RuleCallArgs},
		{"the class of an array", proto(4) + stack("numpy._core.multiarray", "_reconstruct") + stack("numpy", "memmap") +
			"K\x00\x85C\x01b\x87R" + state("K\x01\x85", f8, "C\x0812345678") + ".", Safe, "", ""},
		{"over bytes", proto(4) + nd + tuple("K\x01\x85", f8, "C\x0812345678") + "R.", Safe, "", ""},
		{"over a bytearray, which can move", proto(5) + nd + tuple("K\x01\x85", f8, "\x96"+le64(8)+"12345678") + "R.", Dangerous,
			"", RuleMemory},
		{"over another array", proto(4) + nd + tuple("K\x01\x85", f8, made) + "R.", Dangerous, "", RuleMemory},
		{"objects over bytes", proto(4) + nd + tuple("K\x01\x85", o8, "C\x0812345678") + "R.", Dangerous, "", RuleMemory},
		{"objects by a code over bytes", proto(4) + nd + tuple("K\x01\x85", str("O"), "C\x0812345678") + "R.", Dangerous, "",
			RuleMemory},
		{"objects by a type over bytes", proto(4) + nd + tuple("K\x01\x85", stack("builtins", "object"), "C\x0812345678") + "R.",
			Dangerous, "", RuleMemory},
		{"floats by a type over bytes", proto(4) + nd + tuple("K\x01\x85", stack("numpy", "float64"), "C\x0812345678") + "R.",
			Safe, "", ""},
		{"a dtype by __newobj__", proto(4) + stack("copyreg", "__newobj__") + tuple(stack("numpy", "dtype"), str("V8"), "\x89",
			"\x88") + "R.", Dangerous, "", RuleMemory},
		{"a dtype of a class of its own", proto(4) + stack("numpy", "dtype") + stack("mymodule", "number") + "\x89\x88\x87R" +
			honest()["V8"].String()[23:] + ".", Suspicious, "", ""},
		{"the dtype of an unknown package's numbers", proto(4) + stack("numpy", "dtype") + stack("mytypes", "bfloat16") +
			"\x89\x88\x87R" + tuple("K\x03", str("<"), "N", "N", "N", "K\x02", "K\x02", "K@") + "b.", Suspicious, "", ""},
		{"the dtype of another package's numbers", proto(4) + stack("numpy", "dtype") + stack("ml_dtypes", "bfloat16") +
			"\x89\x88\x87R" + tuple("K\x03", str("<"), "N", "N", "N", "K\x02", "K\x02", "K@") + "b.", Safe, "", ""},
		{"its size", proto(4) + stack("numpy", "dtype") + stack("ml_dtypes", "bfloat16") +
			"\x89\x88\x87R" + tuple("K\x03", str("<"), "N", "N", "N", "K\x01", "K\x01", "K@") + "b.", Dangerous, "", RuleMemory},
	} {
		k.test(t)
	}
}
