package filetype_test

import (
	"strings"
	"testing"

	"github.com/weightools/safetensors/filetype"
)

// The names are those in repositories of the Hugging Face Hub and of ModelScope.
func TestIsCompanion(t *testing.T) {
	for name := range strings.FieldsSeq(`config.json generation_config.json tokenizer.json tokenizer.model vocab.json
		merges.txt special_tokens_map.json added_tokens.json tokenizer_config.json spiece.model sentencepiece.bpe.model
		tekken.json qwen.tiktoken preprocessor_config.json processor_config.json video_preprocessor_config.json
		chat_template.json chat_template.jinja additional_chat_templates/tool_use.jinja LICENSE LICENSE.txt LICENSE.md
		LICENSE-CODE NOTICE Notice.txt USE_POLICY.md README.md README license.txt LICENCE model_index.json
		scheduler/scheduler_config.json 1_Pooling/config.json modules.json adapter_config.json hf_quant_config.json
		modeling_chatglm.py configuration_internlm.py tokenizer.model.v3 params.json vocab-src.json`) {
		if !filetype.IsCompanion(name) {
			t.Errorf("%s is no companion", name)
		}
	}
	for name := range strings.FieldsSeq(`model.safetensors pytorch_model.bin model.safetensors.index.json
		pytorch_model.bin.index.json optimizer.pt scheduler.pt rng_state.pth trainer_state.json training_args.bin
		.env token credentials.json kaggle.json id_rsa service_account.json secrets.yaml .gitattributes .git/config
		license.key license.pem README.md.swp README~ config.json.lock config.json.bak config.json.incomplete
		tokenizer.bin train.py setup.py modeling_x.pyc model.gguf readme.safetensors events.out.tfevents.1 train.jsonl
		wandb_config.json notice.sh readme.zip`) {
		if filetype.IsCompanion(name) {
			t.Errorf("%s is a companion", name)
		}
	}
}
