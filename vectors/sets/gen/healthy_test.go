// Vectors without a fault: the layouts in which models are published.

package gen

import "fmt"

func oneFile(v *vector) {
	v.comment = "a model of one file"
	v.shard("model.safetensors", f32("a", 1), f32("b", 2))
}

func anIndex(v *vector) {
	v.comment = "two shards and their index"
	v.pair()
}

func numbers(v *vector) {
	v.comment = "numbers alone make a set"
	v.shard(one, f32("a", 1))
	v.shard(two, f32("b", 2))
}

func sixDigits(v *vector) {
	v.comment = "five digits in the number and six in the total, as published"
	v.shard("model-00001-of-000002.safetensors", f32("a", 1))
	v.shard("model-00002-of-000002.safetensors", f32("b", 2))
}

func zeroBased(v *vector) {
	v.comment = "numbers from 0 to the total less 1"
	v.shard("model-00000-of-00002.safetensors", f32("a", 1))
	v.shard("model-00001-of-00002.safetensors", f32("b", 2))
}

func zeroBasedInclusive(v *vector) {
	v.comment = "numbers from 0 to the total: three files that say 2, as published"
	v.shard("model-00000-of-00002.safetensors", f32("a", 1))
	v.shard("model-00001-of-00002.safetensors", f32("b", 2))
	v.shard("model-00002-of-00002.safetensors", f32("c", 3))
}

func underscore(v *vector) {
	v.comment = "an underscore before the number"
	v.shard("model_00001-of-00002.safetensors", f32("a", 1))
	v.shard("model_00002-of-00002.safetensors", f32("b", 2))
}

func noLeadingZeros(v *vector) {
	v.comment = "numbers without zeros before them, as published"
	for i := range 10 {
		v.shard(fmt.Sprintf("model-%d-of-10.safetensors", i+1), f32(string(rune('a'+i)), byte(i)))
	}
}

func partsOfOneModel(v *vector) {
	v.comment = "without an index and numbers, files that have no tensor in common are one set"
	v.shard("language.safetensors", f32("a", 1))
	v.shard("vision.safetensors", f32("b", 2))
}

func pipeline(v *vector) {
	v.comment = "a pipeline: each part in a folder, both counted, with tensors of the same name"
	v.sets = "2 2"
	v.add("model_index.json", `{"_class_name":"Pipeline","unet":["diffusers","UNet"],"vae":["diffusers","VAE"]}`)
	v.shard("unet/diffusion_pytorch_model.safetensors", f32("conv_in.weight", 1))
	v.shard("vae/diffusion_pytorch_model.safetensors", f32("conv_in.weight", 2))
}

func adapter(v *vector) {
	v.comment = "an adapter alone is what the folder is about"
	v.sets = "1 1"
	v.shard("adapter_model.safetensors", f32("base_model.model.q_proj.lora_A.weight", 1))
}

func adapterBesideModel(v *vector) {
	v.comment = "an adapter beside a model is not counted, and is no shard of it"
	v.sets = "2 1"
	v.pair()
	v.shard("adapter_model.safetensors", f32("base_model.model.q_proj.lora_A.weight", 1))
}

func emptyTensor(v *vector) {
	v.comment = "a tensor without elements"
	v.shard(one, tensor{"a", "F32", "[0,4]", 0, 0})
	v.shard(two, f32("b", 2))
	v.index(map[string]string{"a": one, "b": two}, 16)
}

func steps(v *vector) {
	v.comment = "two steps of a training: the same names and shapes, and other values, make two models"
	v.sets = "2 2"
	v.shard("step-100.safetensors", f32("a", 1), f32("b", 2))
	v.shard("step-200.safetensors", f32("a", 3), f32("b", 4))
}

func stepsInFolders(v *vector) {
	v.comment = "two steps of a training, each in a folder"
	v.sets = "2 2"
	v.shard("step-100/model.safetensors", f32("a", 1), f32("b", 2))
	v.shard("step-200/model.safetensors", f32("a", 3), f32("b", 4))
}

func average(v *vector) {
	v.comment = "a model and the average of its training: a name that is no variant makes no copy"
	v.sets = "2 2"
	v.shard("model.safetensors", f32("a", 1), f32("b", 2))
	v.shard("model_ema.safetensors", f32("a", 3), f32("b", 4))
}

func twoIndexes(v *vector) {
	v.comment = "two indexes declare two models, though their tensors are of the same names and shapes"
	v.sets = "2 2"
	for i, step := range []string{"step-100", "step-200"} {
		shard := step + "-00001-of-00001.safetensors"
		v.shard(shard, f32("a", byte(i)))
		v.add(step+".safetensors.index.json", fmt.Sprintf(`{"metadata": {"total_size": 16}, "weight_map": {"a": %q}}`, shard))
	}
}
