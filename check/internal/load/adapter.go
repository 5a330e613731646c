// Adapters: the features of PEFT that programs serve, and a configuration of an adapter beside a whole model.

package load

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/jsonscan"
	"github.com/weightools/safetensors/internal/wording"
)

// switches are features of PEFT that vLLM refuses.
var switches = []string{"use_dora", "lora_bias", "use_qalora", "use_bdlora"}

// inits are the ways to initialize an adapter that leave the base model as it is.
var inits = []string{"gaussian", "eva", "orthogonal", "mica", "lora_ga"}

// judgeAdapter reports features of an adapter that vLLM refuses.
func judgeAdapter(_ context.Context, m *Model) {
	root := m.Main.Root
	if !m.Adapter || root.First("peft_type").Kind() == 0 {
		return
	}
	refuse := func(name, value string) {
		v := root.First(name)
		m.Add(Fault{Rule: rule.AdapterUnsupported, File: m.ConfigPath, Span: rule.SpanOf(v)}, m.For(loader.VLLM),
			"%s in %s is %s", name, m.quoted(), value)
	}
	for _, name := range switches {
		if v := root.First(name); v.Kind() == jsonscan.True || len(v.Object()) > 0 {
			refuse(name, "set")
		}
	}
	for e := range root.First("modules_to_save").Elements() {
		if name, _ := e.Str(); name != "classifier" && name != "score" {
			refuse("modules_to_save", wording.Quote(name))
			break
		}
	}
	for range root.First("layer_replication").Elements() {
		refuse("layer_replication", "set")
		break
	}
	if bias, ok := root.First("bias").Str(); ok && bias != "none" {
		refuse("bias", wording.Quote(bias))
	}
	if init, ok := root.First("init_lora_weights").Str(); ok && !slices.Contains(inits, strings.ToLower(init)) {
		refuse("init_lora_weights", wording.Quote(init))
	}
}

// judgeAdapterConfig reports the configuration of an adapter whose weights are not there, beside a whole model.
// With PEFT installed, transformers takes the folder for that of an adapter.
func judgeAdapterConfig(_ context.Context, r *Repository) {
	if r.Sizes == nil {
		return
	}
	for _, folder := range r.modelFolders() {
		here := r.here(folder)
		if here["adapter_config.json"] && !here["adapter_model.safetensors"] && !here["adapter_model.bin"] {
			r.Add(Fault{Rule: rule.AdapterConfig, File: path.Join(folder, "adapter_config.json")}, r.For(loader.Transformers),
				"there is an adapter_config.json beside a model, but no adapter_model.safetensors or adapter_model.bin")
		}
	}
}
