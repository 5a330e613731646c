// Published numbers, which the headers of the models have to come to.

package model_test

import "github.com/weightools/safetensors"

// A Published model has a number that is published, for each dtype.
type Published struct {
	Name   string
	Make   func() *Fixture
	Dtypes map[safetensors.Dtype]int64
	Shards int
}

// Total returns the number of parameters.
func (p *Published) Total() int64 {
	total := int64(0)
	for _, n := range p.Dtypes {
		total += n
	}
	return total
}

// publishedModels are the models whose numbers the tests of huggingface.js have, at the
// revisions named there: packages/hub/src/lib/parse-safetensors-metadata.spec.ts,
// version 2.17.5. The numbers are per dtype, so they also prove the headers that are
// made here.
func publishedModels() []Published {
	return []Published{
		{"google-bert/bert-base-uncased@86b5e093", bertBase, map[safetensors.Dtype]int64{"F32": 110_106_428}, 1},
		{"bigscience/bloom@053d9cd9", bloom, map[safetensors.Dtype]int64{"BF16": 176_247_271_424}, 72},
		// The I64 are position_ids, a buffer: 514 elements, and no parameter.
		{"FacebookAI/roberta-base@e2da8e2f", robertaBase, map[safetensors.Dtype]int64{"F32": 124_697_433}, 1},
		{"CompVis/stable-diffusion-v1-4@133a221b unet", stableDiffusion, map[safetensors.Dtype]int64{"F32": 859_520_964}, 1},
		{"Qwen/Qwen-Image@75e0b4be transformer", qwenImage, map[safetensors.Dtype]int64{"BF16": 20_430_401_088}, 1},
		{"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16@3921b6ae", llamaGPTQ, map[safetensors.Dtype]int64{"I32": 6_979_321_856, "F16": 1_052_315_648}, 1},
		{"openai/gpt-oss-20b@bbf09307", gptOSS20B, map[safetensors.Dtype]int64{"BF16": 1_804_459_584, "U8": 19_110_297_600}, 1},
		{"openai/gpt-oss-120b@b5c939de", gptOSS120B, map[safetensors.Dtype]int64{"BF16": 2_167_371_072, "U8": 114_661_785_600}, 1},
		{"unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit@f15c379f", LlamaBnB, map[safetensors.Dtype]int64{"BF16": 1_050_939_392, "U8": 6_979_321_856}, 1},
		{"RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16@7177921d", llamaCompressed, map[safetensors.Dtype]int64{"I32": 68_451_041_280, "BF16": 2_102_665_216}, 1},
	}
}

func gptOSS20B() *Fixture  { return gptOSS(24, 32) }
func gptOSS120B() *Fixture { return gptOSS(36, 128) }
