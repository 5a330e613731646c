// Descriptions: what known writers write, and what nobody should.

package metadata

import (
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// told returns a description, a line for each fact.
func told(metadata map[string]string) string {
	var b strings.Builder
	for _, g := range Describe(metadata) {
		b.WriteString(g.Title + "\n")
		for _, f := range g.Facts {
			fmt.Fprintf(&b, "  %s = %s (%s)\n", f.Name, f.Value, f.Key)
		}
	}
	return b.String()
}

func compare(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What train_network.py of kohya-ss/sd-scripts writes: every value through str().
func TestDescribeKohya(t *testing.T) {
	compare(t, told(map[string]string{
		"ss_output_name": "mycat", "ss_base_model_version": "sdxl_base_v1-0", "ss_sd_model_name": "sd_xl_base_1.0.safetensors", "ss_v2": "False",
		"ss_network_module": "networks.lora", "ss_network_dim": "32", "ss_network_alpha": "16", "ss_network_dropout": "None",
		"ss_network_args":  `{"conv_dim": "4", "conv_alpha": "1"}`,
		"ss_learning_rate": "0.0001", "ss_optimizer": "bitsandbytes.optim.adamw.AdamW8bit", "ss_epoch": "10", "ss_num_epochs": "10", "ss_seed": "42",
		"ss_training_started_at": "1690000000.5", "ss_training_finished_at": "1690003661.25", "ss_full_fp16": "False", "ss_ip_noise_gamma": "0.1",
		"ss_dataset_dirs":      `{"5_mycat": {"n_repeats": 5, "img_count": 35}, "1_reg": {"n_repeats": 1, "img_count": 100}}`,
		"ss_tag_frequency":     `{"5_mycat": {"solo": 30, "cat": 35, " sitting": 30}}`,
		"ss_bucket_info":       `{"buckets": {"0": {"resolution": [832, 1216], "count": 40}, "1": {"resolution": [1024, 1024], "count": 135}}, "mean_img_ar_error": 0.01}`,
		"ss_new_sd_model_hash": "31e35c80fc4829d14f90153f4c74cd59c90b779f6afe05a74cd6120b893f7e5b", "sshs_legacy_hash": "e3b0c442",
		"sshs_ratio": "0.5",
	}), `Model
  name = mycat (ss_output_name)
  base model = sdxl_base_v1-0 (ss_base_model_version)
  base checkpoint = sd_xl_base_1.0.safetensors (ss_sd_model_name)
  for Stable Diffusion 2 = no (ss_v2)
Adapter
  module = networks.lora (ss_network_module)
  rank = 32 (ss_network_dim)
  alpha = 16 (ss_network_alpha)
  conv_dim = 4 (ss_network_args)
  conv_alpha = 1 (ss_network_args)
Training
  optimizer = bitsandbytes.optim.adamw.AdamW8bit (ss_optimizer)
  learning rate = 0.0001 (ss_learning_rate)
  epoch = 10 (ss_epoch)
  epochs in all = 10 (ss_num_epochs)
  F16 throughout = no (ss_full_fp16)
  seed = 42 (ss_seed)
  started = 2023-07-22 04:26:40 UTC (ss_training_started_at)
  finished = 2023-07-22 05:27:41 UTC (ss_training_finished_at)
  took = 1h1m0s (ss_training_finished_at)
  ss_ip_noise_gamma = 0.1 (ss_ip_noise_gamma)
Dataset
  folder = 5_mycat: 35 images, repeated 5 times (ss_dataset_dirs)
  folder = 1_reg: 100 images, repeated 1 times (ss_dataset_dirs)
  tags of 5_mycat = cat 35, sitting 30, solo 30 (ss_tag_frequency)
  resolutions in use = 1024x1024 (135), 832x1216 (40) (ss_bucket_info)
Digests
  legacy, by sd-scripts = e3b0c442 (sshs_legacy_hash)
  of the base checkpoint = 31e35c80fc4829d14f90153f4c74cd59c90b779f6afe05a74cd6120b893f7e5b (ss_new_sd_model_hash)
  sshs_ratio = 0.5 (sshs_ratio)
`)
}

// The same with several datasets.
func TestDescribeDatasets(t *testing.T) {
	compare(t, told(map[string]string{
		"ss_datasets": `[{"is_dreambooth": true, "batch_size_per_device": 2, "num_train_images": 175, "resolution": [1024, 1024],
			"tag_frequency": {}, "subsets": [{"img_count": 35, "num_repeats": 5, "image_dir": "5_mycat"}, {"img_count": 1, "num_repeats": 2, "metadata_file": "m.json"}]}, {}]`,
	}), `Dataset
  dataset 1 = 175 images with repeats, 1024x1024, batch size 2 (ss_datasets)
  dataset 1: folders = 5_mycat (35 images, repeated 5 times), m.json (1 images, repeated 2 times) (ss_datasets)
  dataset 2 = ? images with repeats, , batch size ? (ss_datasets)
`)
}

// The example of ModelSpec, and what its table has besides.
func TestDescribeModelSpec(t *testing.T) {
	compare(t, told(map[string]string{
		"modelspec.sai_model_spec": "1.0.0", "modelspec.architecture": "stable-diffusion-xl-v1-base", "modelspec.implementation": "sgm",
		"modelspec.title": "Example Model Version 1.0", "modelspec.hash_sha256": "0x123abc", "modelspec.hash_md5": "0x12",
		"modelspec.thumbnail": "data:image/jpeg;base64,AAECAwQ=", "modelspec.is_negative_embedding": "true", "modelspec.new_key": "x", "other_keys": "...",
	}), `Model
  title = Example Model Version 1.0 (modelspec.title)
  architecture = stable-diffusion-xl-v1-base (modelspec.architecture)
  implementation = sgm (modelspec.implementation)
  negative embedding = yes (modelspec.is_negative_embedding)
  thumbnail = image/jpeg, 5 bytes (modelspec.thumbnail)
  version of ModelSpec = 1.0.0 (modelspec.sai_model_spec)
  modelspec.new_key = x (modelspec.new_key)
Digests
  of the data, by ModelSpec = 0x123abc (modelspec.hash_sha256)
  modelspec.hash_md5 = 0x12 (modelspec.hash_md5)
Other
  other_keys = ... (other_keys)
`)
}

// PEFT's configuration, as diffusers writes it, and programs of other people.
func TestDescribeOthers(t *testing.T) {
	compare(t, told(map[string]string{
		"format": "pt", "lora_adapter_metadata": `{"transformer.r": 16, "transformer.lora_alpha": 32, "transformer.target_modules": ["to_q", "to_k"], "transformer.bias": "none"}`,
		"software": `{"name": "ai-toolkit", "version": "0.1"}`, "training_info": `{"step": 2000, "epoch": 7}`,
		"config": `{ "a": {"b": [1, 2.50, 1e400]}, "c": null, "a": true }`, "list": ` [1,  2] `, "broken": `{"a": 1`, "text": "{plain} text", "empty": "", "object": "{}",
	}), `Model
  written by: name = ai-toolkit (software)
  written by: version = 0.1 (software)
  written from = PyTorch (pt) (format)
Adapter
  transformer.r = 16 (lora_adapter_metadata)
  transformer.lora_alpha = 32 (lora_adapter_metadata)
  transformer.target_modules = ["to_q","to_k"] (lora_adapter_metadata)
  transformer.bias = none (lora_adapter_metadata)
Training
  step = 2000 (training_info)
  epoch = 7 (training_info)
Other
  broken = {"a": 1 (broken)
  config: a = {"b":[1,2.50,1e400]} (config)
  config: c = null (config)
  config: a = true (config)
  empty =  (empty)
  list = [1,2] (list)
  object = {} (object)
  text = {plain} text (text)
`)
}

// Values of known keys that are not what their writers write are told as they stand.
func TestDescribeWhatIsOdd(t *testing.T) {
	compare(t, told(map[string]string{
		"ss_training_started_at": "yesterday", "ss_training_finished_at": "-5", "ss_full_fp16": "maybe", "ss_dataset_dirs": `{"a": 5}`, "ss_tag_frequency": "{}",
		"ss_bucket_info": "null", "ss_datasets": "5", "modelspec.thumbnail": "https://a.example/x", "format": "", "ss_output_name": "None", "title": "None",
	}), `Model
  thumbnail = https://a.example/x (modelspec.thumbnail)
  written from =  (format)
Training
  F16 throughout = maybe (ss_full_fp16)
  started = yesterday (ss_training_started_at)
  finished = -5 (ss_training_finished_at)
Dataset
  folder: a = 5 (ss_dataset_dirs)
  dataset = 5 (ss_datasets)
  tags = {} (ss_tag_frequency)
  resolutions in use = null (ss_bucket_info)
Other
  title = None (title)
`)
}

func TestDescribeNothing(t *testing.T) {
	for _, m := range []map[string]string{nil, {}} {
		if got := Describe(m); got != nil {
			t.Errorf("%v", got)
		}
	}
}

// Every key is told, whatever it says, but for what is not set.
func TestDescribeLeavesNothingOut(t *testing.T) {
	m := make(map[string]string)
	for _, k := range knownKeys {
		m[k.key] = "{\"\x00\u202e\": \"<script>\"}"
	}
	m["a\x00b"] = "x"
	said := make(map[string]bool)
	for _, g := range Describe(m) {
		for _, f := range g.Facts {
			said[f.Key] = true
		}
	}
	for key := range m {
		if !said[key] {
			t.Errorf("nothing is said of %q", key)
		}
	}
}

// A hostile object has a million members, which nobody reads.
func TestDescribeIsBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"0": {"n_repeats": 1}`)
	for i := range 100_000 {
		fmt.Fprintf(&b, `, "x%d": {"a": 1}`, i)
	}
	b.WriteString("}")
	for _, key := range []string{"config", "ss_dataset_dirs", "ss_tag_frequency", "ss_network_args", "ss_bucket_info"} {
		facts := Describe(map[string]string{key: b.String()})[0].Facts
		if len(facts) > mostMembers+1 {
			t.Errorf("%s: %d facts", key, len(facts))
		}
	}
	deep := strings.Repeat("[", 1<<20)
	if facts := Describe(map[string]string{"deep": deep})[0].Facts; facts[0].Value != deep {
		t.Error("what is no JSON is not told as it stands")
	}
}

// The keys of the table are each there once, and in groups that are told.
func TestKnownKeys(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range knownKeys {
		if seen[k.key] {
			t.Errorf("%s is there twice", k.key)
		}
		seen[k.key] = true
		if (k.form == object) != (k.read != nil) || k.name == "" && k.form != members {
			t.Errorf("%s: %+v", k.key, k)
		}
		found := false
		for _, title := range titles {
			found = found || title == k.group
		}
		if !found {
			t.Errorf("%s is in the group %q", k.key, k.group)
		}
	}
}

func FuzzDescribe(f *testing.F) {
	for _, value := range []string{`{"a": {"b": 1}}`, `[{"subsets": [{}]}]`, `{"buckets": {"0": {"resolution": [1]}}}`, "data:;base64,", "1e300", "True", "\xff"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		m := make(map[string]string)
		for _, k := range knownKeys {
			m[k.key] = value
		}
		m["x"] = value
		for _, g := range Describe(m) {
			for _, fact := range g.Facts {
				if fact.Name == "" && !strings.Contains(value, `""`) {
					t.Errorf("%q: a fact without a name: %+v", value, fact)
				}
			}
		}
		new(claim).verify(&pass{})
		for _, c := range claimsOf(m) {
			if c.says != value {
				t.Errorf("%q is claimed to say %q", value, c.says)
			}
		}
	})
}

// The description of a header is of its metadata alone.
func ExampleDescribe() {
	header := &safetensors.Header{Metadata: map[string]string{"format": "pt", "modelspec.title": "Example"}}
	for _, g := range Describe(header.Metadata) {
		fmt.Println(g.Title)
		for _, f := range g.Facts {
			fmt.Printf("  %s: %s\n", f.Name, f.Value)
		}
	}
	// Output:
	// Model
	//   title: Example
	//   written from: PyTorch (pt)
}
