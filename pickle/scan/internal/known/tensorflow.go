// Functions of TensorFlow that the layers of a Keras model call.

package known

import "strings"

// computing are the modules of TensorFlow whose functions only compute.
var computing = []string{"math", "nn", "linalg", "image", "strings", "signal", "random", "bitwise", "sets", "sparse",
	"ragged", "sort", "dtypes", "quantization", "__operators__", "keras.backend", "keras.activations", "keras.losses",
	"keras.metrics", "audio", "autodiff", "experimental.numpy"}

// calling are functions without a module that call others, or that access files or Python.
var calling = []string{"py_func", "py_function", "numpy_function", "load_library", "load_op_library", "print",
	"function", "import_graph_def", "while_loop", "cond", "case", "switch_case", "map_fn", "vectorized_map", "scan",
	"foldl", "foldr", "recompute_grad", "custom_gradient", "Assert", "init_scope"}

// Computes reports whether a function of TensorFlow, with its module but without "tf.", only
// computes, and whether it is known to do more.
func Computes(function string) (only, more bool) {
	function = strings.TrimPrefix(strings.TrimPrefix(function, "compat.v1."), "compat.v2.")
	module, name := "", function
	if i := strings.LastIndexByte(function, '.'); i >= 0 {
		module, name = function[:i], function[i+1:]
	}
	for _, m := range computing {
		if module == m {
			return true, false
		}
	}
	if module != "" {
		return false, true // io, saved_model, raw_ops, summary, data and others
	}
	for _, c := range calling {
		if name == c {
			return false, strings.HasPrefix(c, "py_") || strings.HasPrefix(c, "load_") || c == "numpy_function" || c == "print"
		}
	}
	return name != "", false
}
