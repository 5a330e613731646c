// Keras configurations in archives, files and HDF5.

package scan

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// Objects of configurations from the documentation of Keras and from security advisories.
func TestKerasConfig(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		verdict      pickle.Verdict
		rules        string
		imports      string
	}{
		{"layers", `{"module":"keras","class_name":"Sequential","config":{"layers":[{"module":"keras.layers","class_name":"Dense","config":{"units":1},"registered_name":null}]}}`, pickle.Safe, "", ""},
		{"layers without modules", `{"class_name":"Sequential","config":{"layers":[{"class_name":"Dense","config":{}}]}}`, pickle.Safe, "", ""},
		{"a lambda", `{"class_name":"Lambda","config":{"function":["YwAA",null,null]}}`, pickle.Dangerous, "keras-lambda", "keras.layers.Lambda"},
		{"a lambda of Keras 3", `{"module":"keras.layers","class_name":"Lambda","config":{"function":{"class_name":"__lambda__","config":{"code":"4wA"}}}}`, pickle.Dangerous, "keras-lambda", "keras.layers.Lambda"},
		{"a function of builtins", `{"module":"builtins","class_name":"function","config":"exec","registered_name":"function"}`, pickle.Dangerous, "keras-config-module", "builtins.exec"},
		{"a function of the user's", `{"module":"builtins","class_name":"function","config":"my_loss","registered_name":"function"}`, pickle.Suspicious, "keras-custom-object", "builtins.my_loss"},
		{"a function of another module", `{"module":"subprocess","class_name":"function","config":"run"}`, pickle.Dangerous, "keras-config-module", "subprocess.run"},
		{"a class of another module", `{"a":[{"module":"mypackage","class_name":"Layer"}]}`, pickle.Dangerous, "keras-config-module", "mypackage.Layer"},
		{"a module that only begins like Keras", `{"module":"kerasx.layers","class_name":"Layer"}`, pickle.Dangerous, "keras-config-module", "kerasx.layers.Layer"},
		{"what fetches files", `{"module":"keras.utils","class_name":"function","config":"get_file"}`, pickle.Dangerous, "keras-config-module", "keras.utils.get_file"},
		{"what switches guards off", `{"module":"keras.config","class_name":"function","config":"enable_unsafe_deserialization"}`, pickle.Dangerous, "keras-config-module", "keras.config.enable_unsafe_deserialization"},
		{"a pickle in a layer", `{"class_name":"TorchModuleWrapper","config":{"module":"UEsD"}}`, pickle.Dangerous, "keras-config-module", "TorchModuleWrapper"},
		{"a registered class", `{"module":null,"class_name":"MyLayer","registered_name":"my_pkg>MyLayer"}`, pickle.Suspicious, "keras-custom-object", "my_pkg>MyLayer"},
		{"a class of Keras's that is registered", `{"class_name":"X","registered_name":"keras_hub>X"}`, pickle.Safe, "", ""},
		{"one key twice", `{"class_name":"Dense","class_name":"Lambda"}`, pickle.Dangerous, "bad-config keras-lambda", "keras.layers.Lambda"},
		{"keys in another order, and escaped", `{"config":{"code":"4wA"},"class\u005fname":"\u004cambda"}`, pickle.Dangerous, "keras-lambda", "keras.layers.Lambda"},
		{"no JSON", `{"class_name":"Dense",}`, pickle.Suspicious, "bad-config", ""},
		{"no JSON behind what is dangerous", `{"a":{"class_name":"Lambda"},]`, pickle.Dangerous, "bad-config keras-lambda", "keras.layers.Lambda"},
		{"deep", strings.Repeat(`{"a":`, 1000), pickle.Suspicious, "unscanned", ""},
		{"cut off in what is dangerous", `{"class_name":"Lambda","config":{"a":`, pickle.Dangerous, "keras-lambda truncated", "keras.layers.Lambda"},
		{"what Python takes for JSON", `{"a":[NaN,-Infinity,1e999],"b":"\ud800","class_name":"Lambda"}`, pickle.Dangerous, "keras-lambda", "keras.layers.Lambda"},
	} {
		r := scanned(t, new(Scanner), zipped(t, file{"metadata.json", "{}"}, file{"config.json", tt.config}), "m.keras")
		if r.Format != "keras" || r.Verdict != tt.verdict || rules(r) != tt.rules || tt.imports != "" && !imported(r, tt.imports) {
			t.Errorf("%s: %s, %v (%s), want %v (%s): %v", tt.name, r.Format, r.Verdict, rules(r), tt.verdict, tt.rules, r.Imports)
		}
	}
}

// A configuration in a file, and one of another program.
func TestConfigFile(t *testing.T) {
	for _, config := range []string{
		`{"class_name":"Lambda"}`,
		`{"class\u005fname":"Lambda"}`,
		`{"a":"` + strings.Repeat("x", 5000) + `","class_name":"Lambda"}`,
		`{"modelTopology":{"model_config":{"class_name":"Lambda"}}}`,
		`{"class_name":"Lambda",`,
	} {
		if r := scanned(t, new(Scanner), []byte(config), "config.json"); r.Verdict != pickle.Dangerous || len(r.Imports) != 1 {
			t.Errorf("%.100s: %v, %v", config, r.Verdict, r.Imports)
		}
	}
	if r := scanned(t, new(Scanner), zipped(t, file{"metadata.json", "{}"}, file{"config.json", `{"class_name":"Lambda"}`}), "m.keras"); len(r.Findings) != 1 {
		t.Errorf("the configuration of a model has %v", r.Findings)
	}
	if r := scanned(t, new(Scanner), []byte(`{"architectures":["X"], "module": "os"}`), "config.json"); r.Verdict != pickle.Safe {
		t.Errorf("%v: %v", r.Verdict, r.Findings)
	}
}

// An HDF5 file without a valid structure is searched for configurations and pickles at any offset.
func TestHDF5Search(t *testing.T) {
	const good = `{"class_name": "Sequential", "config": {"layers": []}}`
	const bad = `{"class_name": "Sequential", "config": {"layers": [{"class_name": "Lambda"}]}}`
	pad := strings.Repeat("\x00", 3000)
	for _, tt := range []struct {
		name, bytes string
		verdict     pickle.Verdict
	}{
		{"nothing", hdf5Magic + pad, pickle.Safe},
		{"a configuration", hdf5Magic + pad + "model_config\x00" + good + "\x00" + pad, pickle.Safe},
		{"a lambda", hdf5Magic + pad + "model_config\x00" + bad + "\x00" + pad, pickle.Dangerous},
		{"a lambda in the second", hdf5Magic + pad + good + "\x00\x01" + bad + pad, pickle.Dangerous},
		{"a lambda, padded with blanks", hdf5Magic + pad + bad + "    \x00" + pad, pickle.Dangerous},
		{"a lambda far behind", hdf5Magic + strings.Repeat("\x00\x01\x02", 700_000) + bad, pickle.Dangerous},
		{"a large configuration", hdf5Magic + `{"class_name": "` + strings.Repeat("x", 100_000) + `", "a": {"class_name": "Lambda"}}`, pickle.Dangerous},
		{"names that are escaped", hdf5Magic + pad + `{"class\u005fname": "Sequential", "config": {"class\u005fname": "Lambda"}}` + pad, pickle.Dangerous},
		{"a key that is long and has quotes", hdf5Magic + pad + `{"` + strings.Repeat(`\"`, 4000) + `": 1, "class_name": "Lambda"}` + pad, pickle.Dangerous},
		{"a key that is not ASCII", hdf5Magic + pad + `{ "ä" : 1, "class_name": "Lambda"}` + pad, pickle.Dangerous},
		// The first 512 bytes of an object are read first: here they end within an escape.
		{"an escape where a read ends", hdf5Magic + pad + `{"a": "` + strings.Repeat("x", 512-7-3) + `\u0041", "class_name": "Lambda"}` + pad, pickle.Dangerous},
		{"what Python takes for JSON", hdf5Magic + pad + `{"a": NaN, "b": 1e999, "c": "\ud800", "class_name": "Lambda"}` + pad, pickle.Dangerous},
		{"what is nested too deeply", hdf5Magic + pad + `{"a": ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `, "class_name": "Lambda"}` + pad, pickle.Suspicious},
		{"many other texts", hdf5Magic + strings.Repeat(`{"a": 1, "class": "Lambda"}`+"\x00", 20_000), pickle.Safe},
		{"many beginnings", hdf5Magic + strings.Repeat(`{"a":`, 200_000), pickle.Suspicious},
		{"a text that is no JSON", hdf5Magic + pad + `{"a": one}` + pad, pickle.Safe},
		{"behind a block of the user's", strings.Repeat("\x00", 1024) + hdf5Magic + pad + bad, pickle.Dangerous},
		{"a pickle in an attribute, as PyTables has it", hdf5Magic + pad + evil0 + pad, pickle.Dangerous},
		{"a pickle in the user's block", evil + strings.Repeat("\x00", 512-len(evil)) + hdf5Magic + pad, pickle.Dangerous},
	} {
		r := scanned(t, new(Scanner), []byte(tt.bytes), "m.h5")
		if r.Verdict != tt.verdict || !strings.Contains(notes(r), "config-search") {
			t.Errorf("%s: %s, %v (%s; %s): %v", tt.name, r.Format, r.Verdict, rules(r), notes(r), r.Findings)
		}
	}
}
