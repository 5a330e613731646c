// Names of files of weights.

package filetype

import (
	"path"
	"strings"
)

// formats are the formats of weights by the extension of file names.
var formats = map[string]string{
	".safetensors": "safetensors",
	".bin":         "PyTorch", ".pt": "PyTorch", ".pth": "PyTorch", ".ckpt": "PyTorch", ".pkl": "PyTorch",
	".gguf": "GGUF", ".h5": "Keras", ".keras": "Keras", ".msgpack": "Flax", ".npz": "NumPy", ".onnx": "ONNX",
	".ot": "tch-rs", ".pb": "TensorFlow", ".tflite": "TensorFlow Lite",
}

// WeightsFormat returns the format that a file of weights usually has under the given name or
// path, such as "PyTorch" for "pytorch_model.bin". It returns "" for the name of another kind of
// file. Only [Detect] knows what the file really is.
func WeightsFormat(name string) string { return formats[strings.ToLower(path.Ext(name))] }
