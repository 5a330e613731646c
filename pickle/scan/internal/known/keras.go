// Names of Keras.

// Package known lists names and texts that decide whether a configuration or metadata is
// harmless.
package known

import (
	_ "embed" // for the lists of names
	"strings"

	"github.com/weightools/safetensors/pickle/scan/internal/wordset"
)

// ours are the packages from which Keras imports modules for configurations since the fix of
// CVE-2025-1550, and their older names.
var ours = []string{"keras", "tf_keras", "keras_hub", "keras_nlp", "keras_cv", "tensorflow.keras",
	"tensorflow.python.keras"}

// IsKeras reports whether a module belongs to Keras.
func IsKeras(module string) bool {
	for _, name := range ours {
		if module == name || strings.HasPrefix(module, name+".") {
			return true
		}
	}
	return false
}

// reaching are functions of Keras that download, read or write files, or that disable safe mode
// (CVE-2025-8747, CVE-2025-9906), and classes that load other files or Python objects.
var reaching = []string{"get_file", "enable_unsafe_deserialization", "load_model", "load_weights", "model_from_json",
	"model_from_config", "model_from_yaml", "deserialize_keras_object", "TorchModuleWrapper",
	"audio_dataset_from_directory", "image_dataset_from_directory", "text_dataset_from_directory", "load_img", "save_img",
	"save_model", "save_weights", "load_data", "plot_model", "model_to_dot", "func_load", "set_backend",
	"register_keras_serializable", "TFSMLayer", "JaxLayer", "FlaxLayer", "SKLearnClassifier", "SKLearnRegressor",
	"SKLearnTransformer", "KerasFileEditor", "CSVLogger", "ModelCheckpoint", "BackupAndRestore", "TensorBoard",
	"RemoteMonitor", "OrbaxCheckpoint", "ExportArchive", "LambdaCallback", "DirectoryIterator"}

// last returns the part of a name after its last dot: "layers.Lambda" of the module "keras" is
// Lambda, too.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// ReachesOut reports whether a function or class of Keras does more than create a layer.
func ReachesOut(name string) bool {
	for _, r := range reaching {
		if last(name) == r {
			return true
		}
	}
	return false
}

// IsLambda reports whether a class of Keras contains Python bytecode.
func IsLambda(class string) bool { return last(class) == "Lambda" || class == "__lambda__" }

// The classes and functions of Keras 3.15 and tf_keras 2.21 that only compute, one on a line.
// The program testdata/keras_names.py writes them.
var (
	//go:embed keras_classes.txt
	classNames string
	//go:embed keras_functions.txt
	functionNames string
)

// oldClasses are classes of other versions of Keras, and forms of values.
const oldClasses = "__tuple__ __keras_tensor__ __tensor__ __numpy__ __bytes__ __ellipsis__ __slice__ __typespec__ " +
	"__complex__ TensorShape TypeSpec CompositeTensor InputSpec __class_wrapper__ SlicingOpLambda SlicedTensor " +
	"CuDNNLSTM CuDNNGRU Merge MaxoutDense Highway TimeDistributedDense AtrousConvolution1D AtrousConvolution2D " +
	"Convolution1D Convolution2D Convolution3D Deconvolution2D SyncBatchNormalization BatchNormalizationV1 Policy " +
	"PolicyV1 DistributedOptimizer GetItem NotEqual Functional Input Network"

// classes and functions are these lists as sets.
var (
	classes   = wordset.Of(classNames, oldClasses)
	functions = wordset.Of(functionNames)
)

// IsClass reports whether Keras has a class that only computes. Keras 3 also writes the
// operations in a graph of layers as classes.
func IsClass(name string) bool {
	return classes()[last(name)]
}

// IsFunction reports whether Keras has a function that only computes.
func IsFunction(name string) bool {
	return functions()[last(name)]
}

// IsCustom reports whether a registered name belongs to a package other than Keras.
func IsCustom(registered string) bool {
	pkg, _, ok := strings.Cut(registered, ">")
	return ok && !IsKeras(pkg) && !strings.HasPrefix(pkg, "keras")
}
