// Names of tensors, taken apart once for all rules.

package check

import "strings"

// A name is a tensor's name in parts. They are parts of the name itself, so that
// half a million cost nothing to keep.
type name struct {
	module string // what is before the last dot: "model.layers.3.mlp.up_proj"
	leaf   string // what is after it: "weight"

	// Of a tensor in a stack of layers, what is before the first number, that
	// number, and what is after it: "model.layers", 3, "mlp.up_proj.weight".
	// Otherwise layer is -1.
	stack string
	layer int32
	rest  string
}

// maxLayer bounds the numbers of layers and experts: a name may have any.
const maxLayer = 1 << 16

// parse takes a name apart. It goes by bytes: it is called for each tensor.
func parse(full string) name {
	n := name{leaf: full, layer: -1}
	if dot := strings.LastIndexByte(full, '.'); dot >= 0 {
		n.module, n.leaf = full[:dot], full[dot+1:]
	}
	for begin := 0; ; {
		length := strings.IndexByte(full[begin:], '.')
		if length < 0 {
			return n
		}
		end := begin + length
		if layer, ok := index(full[begin:end]); ok && begin > 0 {
			n.stack, n.layer, n.rest = full[:begin-1], layer, full[end+1:]
			return n
		}
		begin = end + 1
	}
}

// index returns the number that an element of a name is, if it is one.
func index(element string) (int32, bool) {
	if len(element) == 0 || len(element) > 5 {
		return 0, false
	}
	n := int32(0)
	for i := range len(element) {
		c := element[i]
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int32(c-'0')
	}
	return n, n < maxLayer
}

// expert returns the number after ".experts." in what follows a layer's number: 37 of
// "mlp.experts.37.down_proj.weight".
func expert(rest string) (n int32, ok bool) {
	const mark = "experts."
	at := strings.Index(rest, mark)
	if at < 0 || at > 0 && rest[at-1] != '.' {
		return 0, false
	}
	number, _, ok := strings.Cut(rest[at+len(mark):], ".")
	if !ok {
		return 0, false
	}
	return index(number)
}

// lastElement returns what is after the last dot.
func lastElement(s string) string { return s[strings.LastIndexByte(s, '.')+1:] }
