// Names of Keras.

// Package known lists names and texts that decide whether a configuration or metadata is
// harmless.
package known

import "strings"

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

// reaching are functions of Keras that download or load files, or that disable safe mode
// (CVE-2025-8747, CVE-2025-9906).
var reaching = []string{"get_file", "enable_unsafe_deserialization", "load_model", "load_weights", "model_from_json",
	"model_from_config", "deserialize_keras_object", "TorchModuleWrapper", "audio_dataset_from_directory",
	"image_dataset_from_directory", "text_dataset_from_directory"}

// ReachesOut reports whether a function of Keras does more than create a layer.
func ReachesOut(name string) bool {
	for _, r := range reaching {
		if name == r || strings.HasSuffix(name, "."+r) {
			return true
		}
	}
	return false
}

// IsCustom reports whether a registered name belongs to a package other than Keras.
func IsCustom(registered string) bool {
	pkg, _, ok := strings.Cut(registered, ">")
	return ok && !IsKeras(pkg) && !strings.HasPrefix(pkg, "keras")
}
