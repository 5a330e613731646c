// Programs of torch.export: their expressions are evaluated when they are loaded, and their operators run later.

package settings

import (
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/pickle/scan/internal/wordset"
)

// tokens are the parts of an expression as SymPy prints it, and of a guard. Attributes are only those of guards.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\s+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|'\w*'|"\w*"|([A-Za-z_]\w*)(\s*\()?|` +
		`(\.[a-z_]+)(\s*\()?|[(),=+*/%<>!&|~\[\]-])`)
})

// functions are the functions in lower case that SymPy and guards call.
var functions = wordset.Of(`floor ceiling log log2 sqrt exp abs sin cos tan asin acos atan sinh cosh tanh sign
min max len int float bool not and or`)

// methods are the attributes that guards read.
var methods = wordset.Of(".size .stride .storage_offset .numel .dim .ndim .shape .dtype .device")

// expression reports whether a text is an expression of numbers and symbols: functions of SymPy begin with a capital
// letter, and nothing has attributes, apart from the tensors of guards.
func expression(text string, guard bool) bool {
	for text != "" {
		m := tokens().FindStringSubmatch(text)
		switch {
		case m == nil, strings.Contains(m[0], "__"):
			return false
		case m[1] != "" && m[2] != "" && (m[1][0] < 'A' || m[1][0] > 'Z') && !functions()[m[1]]:
			return false
		case m[3] != "" && !(guard && methods()[m[3]]):
			return false
		}
		text = text[len(m[0]):]
	}
	return true
}

// evaluatedKey is the key of a text that SymPy evaluates.
const evaluatedKey = "expr_str"

// evaluated reports a text that SymPy evaluates, unless it is an expression.
func evaluated(w *Walker, f *frame, text []byte, str bool, at int64) {
	if str && !expression(string(text), false) {
		w.found(Code, f.key, beginning(text), at)
	}
}

// operators are the functions of the module operator that compute with numbers.
var operators = wordset.Of(`add sub mul truediv floordiv mod pow neg pos abs eq ne lt le gt ge and_ or_
xor not_ invert lshift rshift getitem truth is_ is_not index matmul`)

// operator reports whether the target of a node computes only.
func operator(target string) bool {
	module, name, _ := strings.Cut(target, ".")
	switch module {
	case "_operator":
		return operators()[name]
	case "math":
		return !strings.Contains(name, ".")
	case "torch":
		space, rest, _ := strings.Cut(strings.TrimPrefix(name, "ops."), ".")
		switch {
		case !strings.HasPrefix(name, "ops."):
			return (strings.HasPrefix(name, "sym_") || strings.HasPrefix(name, "_sym_")) && !strings.Contains(name, ".")
		case space == "aten":
			return !strings.HasPrefix(rest, "from_file")
		}
		return space == "prims" || space == "prim" || space == "higher_order" || space == "quantized_decomposed" ||
			space == "_c10d_functional" || space == "torchvision"
	}
	return false
}
