// Generated wrappers of joblib whose data is not where, or not what, their text seems to say.

package pickle

import (
	"strings"
	"testing"
)

// A wrapperCode is a NumpyArrayWrapper.
type wrapperCode struct {
	make    func(class string) string
	shape   string
	dtype   string
	rest    string // more attributes
	end     string // behind the dict of attributes
	payload func(size int) string
	size    int // of the data
}

// makers are the ways to make an object of a class without calling it.
var classMakers = map[string]func(class string) string{
	"NEWOBJ":        func(class string) string { return class + ")\x81" },
	"NEWOBJ_EX":     func(class string) string { return class + ")}\x92" },
	"__newobj__":    func(class string) string { return stack("copyreg", "__newobj__") + class + "\x85R" },
	"__newobj_ex__": func(class string) string { return stack("copyreg", "__newobj_ex__") + class + ")}\x87R" },
	"_reconstructor": func(class string) string {
		return stack("copyreg", "_reconstructor") + class + stack("builtins", "object") + "N\x87R"
	},
	"of a memo": func(class string) string { return class + "\x940" + "h\x00)\x81" },
}

// String returns the instructions, up to the data.
func (w wrapperCode) String(class string) string {
	return w.make(class) + "}(" + str("subclass") + stack("numpy", "ndarray") + str("shape") + w.shape + str("order") + str("C") +
		str("dtype") + w.dtype + w.rest + "u" + w.end + "b"
}

// inside hides a payload where a reader that skips size bytes does not see it, and one that unpickles them does.
func inside(size int) string {
	p := "\x80\x04" + payload
	return p + "." + strings.Repeat("N", max(size-len(p)-1, 0))
}

// behind has a payload behind size bytes that a reader of instructions takes for one instruction up to its end.
func behind(size int) string {
	p := "0" + payload
	return "B" + le32(size-5+len(p)) + strings.Repeat("A", size-5) + p
}

// dtypeLies are dtypes with what joblib does: it reads a pickle, or so many bytes.
func dtypeLies() map[string]wrapperCode {
	plain := func(code string) string { return stack("numpy", "dtype") + str(code) + "\x85R" }
	copied := func(code string) string { return stack("numpy", "dtype") + str(code) + "\x89\x88\x87R" }
	h := honest()
	list := map[string]wrapperCode{}
	for _, code := range []string{"i4,O", "O,i4", "(2,)O", "f4,(2)O", "object", "|O", "O", "f4,f4,O", "object_", "=O", "u1,O", "O,", "O8,u1"} {
		list["code "+code] = wrapperCode{dtype: plain(code), payload: inside}
		list["copied code "+code] = wrapperCode{dtype: copied(code), payload: inside}
	}
	for code, size := range map[string]int{"i4,i4": 8, "f8,f8": 16, "(8,)u1": 8, "8u1": 8, "complex128": 16, "V 16": 16, "u1,u1,u1,u1,u1,u1,u1,u1": 8,
		"D": 16, "G": 32, "U+2": 8, "float64": 8} {
		list["code "+code] = wrapperCode{dtype: plain(code), payload: behind, size: size}
	}
	old := dtypeCode{code: "V8", version: 2, order: "|", sub: "N", size: 8, align: 1}
	old.names, old.fields = tuple(str("a")), "}"+str("a")+honestObject()+"K\x00\x86s"
	list["an old state"] = wrapperCode{dtype: old.String(), payload: inside}
	list["an old state of seven"] = wrapperCode{dtype: copied("V8") + tuple("K\x02", str("|"), "N", old.names, old.fields, "K\x08", "K\x01") + "b",
		payload: inside}
	list["an old state of six"] = wrapperCode{dtype: copied("V8") + tuple("K\x01", str("|"), "N",
		"}("+"J\xff\xff\xff\xff"+"]"+str("a")+"a"+str("a")+honestObject()+"K\x00\x86u", "K\x08", "K\x01") + "b", payload: inside}
	list["an old state of five"] = wrapperCode{dtype: copied("V8") + tuple(str("|"), "N",
		"}("+"J\xff\xff\xff\xff"+"]"+str("a")+"a"+str("a")+honestObject()+"K\x00\x86u", "K\x08", "K\x01") + "b", payload: inside}
	for size, code := range map[int]string{16: "V8", 12: "S5", 80: "U5"} {
		d := h[code]
		d.size = size
		list[code+" with another size"] = wrapperCode{dtype: d.String(), payload: behind, size: size}
	}
	list["a type"] = wrapperCode{dtype: stack("numpy", "float64"), payload: behind, size: 8}
	list["another wrapper"] = wrapperCode{dtype: stack("joblib.numpy_pickle", "NumpyArrayWrapper") + ")\x81" + "}(" + str("hasobject") + "\x88" +
		str("itemsize") + "K\x08ub", payload: inside}
	list["an object"] = wrapperCode{dtype: stack("argparse", "Namespace") + ")\x81}" + str("hasobject") + "\x88sb", payload: inside}
	list["objects that may be mapped"] = wrapperCode{dtype: honestObject(), rest: str("allow_mmap") + "\x88", payload: inside}
	return list
}

// shapeLies are shapes that joblib reads in its own way, of bytes, with the size of the data.
func shapeLies() map[string]wrapperCode {
	u1 := honest()["u1"].String()
	list := map[string]wrapperCode{}
	for shape, w := range map[string]wrapperCode{
		"bytes":             {shape: "C\x01\x40", size: 64},
		"a list":            {shape: "]K\x40a", size: 64},
		"a list of two":     {shape: "](K\x08K\x08e", size: 64},
		"text":              {shape: tuple(str("64")), size: 64},
		"a float":           {shape: tuple("G@P\x00\x00\x00\x00\x00\x00"), size: 64},
		"a bool":            {shape: tuple("K\x40", "\x88"), size: 64},
		"negative":          {shape: tuple(number(-8), number(-8)), size: 64},
		"what overflows":    {shape: tuple("\x8a\x09"+"\x00\x00\x00\x00\x00\x00\x00\x00\x01", "K\x40"), size: 64},
		"a dict":            {shape: "}K\x40Ns", size: 64},
		"a later one":       {shape: tuple("K\x01"), rest: str("shape") + tuple("K\x40"), size: 64},
		"slots":             {shape: tuple("K\x01"), end: "}" + str("shape") + tuple("K\x40") + "s\x86", size: 64},
		"a second state":    {shape: tuple("K\x00"), end: "b}" + str("shape") + tuple("K\x40") + "s", size: 64},
		"a key in bytes":    {shape: tuple("K\x40"), rest: "C\x05shape" + "N", size: 64},
		"a keyed duplicate": {shape: tuple("K\x40"), rest: str("shape") + tuple("K\x01") + str("shape") + tuple("K\x40"), size: 64},
	} {
		w.dtype, w.payload = u1, behind
		list["a shape of "+shape] = w
	}
	return list
}

// TestVariantsJoblib: no wrapper with a lie is safe, however it was made, and the same with the truth is.
func TestVariantsJoblib(t *testing.T) {
	const modern, old = "joblib.numpy_pickle", "sklearn.externals.joblib.numpy_pickle"
	n, missed := 0, 0
	for maker, make := range classMakers {
		for _, module := range []string{modern, old} {
			class := stack(module, "NumpyArrayWrapper")
			for _, all := range []map[string]wrapperCode{dtypeLies(), shapeLies()} {
				for how, w := range all {
					if w.make = make; w.shape == "" {
						w.shape = tuple("K\x01")
					}
					if w.size < 5 {
						w.size = 64
					}
					for _, before := range []string{"", "]\x88a0"} {
						code := proto(4) + before + w.String(class) + w.payload(w.size) + "."
						n++
						r := analyzed(t, []byte(code))
						if r.Verdict == Safe {
							t.Errorf("%s, made by %s: safe: %v", how, maker, r.Findings)
						}
						if r.Verdict != Dangerous {
							missed++
						}
					}
				}
			}
			for name, d := range honest() {
				if d.sub != "N" {
					continue // the elements of no array are arrays
				}
				w := wrapperCode{make: make, shape: tuple("K\x01", "K\x02"), dtype: d.String()}
				data := strings.Repeat("A", 2*map[string]int{"f8": 8, "u1": 1, "c16": 16, "S5": 5, "U5": 20, "V8": 8, "M8": 8, "pair": 12,
					"titled": 8}[name])
				if data == "" {
					data = proto(4) + "](NNe."
				}
				if r := analyzed(t, []byte(proto(4)+w.String(class)+data+".")); r.Verdict != Safe {
					t.Errorf("%s, made by %s: %v: %v", name, maker, r.Verdict, r.Findings)
				}
			}
		}
	}
	if n < 200 || missed > n/4 {
		t.Errorf("%d variants, of which %d are not dangerous", n, missed)
	}
	t.Logf("%d variants, %d not dangerous", n, missed)
}
