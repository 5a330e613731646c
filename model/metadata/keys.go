// The known keys, with their names in words.

package metadata

// A form is how the value of a key is read.
type form int

const (
	text      form = iota // unchanged
	flag                  // "True" or "False", as Python writes them
	moment                // seconds since 1970
	dataURI               // a picture, shown by its type and size
	framework             // the framework that wrote the file
	members               // a JSON object, with a fact for each member
	object                // JSON in a special form, read by a function
)

// A knownKey is a key that a program is known to write.
type knownKey struct {
	key, group, name string
	form             form
	read             func(k *knownKey, value string) []Fact // for object; returns nil if the form is wrong
}

// knownKeys lists the keys in the order in which they are shown.
//
// The keys of ModelSpec are from its specification 1.0.0, Stability-AI/ModelSpec, and from kohya-ss/sd-scripts,
// library/sai_model_spec.py, which adds the keys of 1.0.1. Keys that begin with "ss_" are from train_network.py
// of the same project. PEFT's keys are the fields of its LoraConfig, which diffusers writes as
// "lora_adapter_metadata" (loaders/lora_base.py) and some trainers as single keys. "software" and
// "training_info" are from ostris/ai-toolkit.
var knownKeys = []knownKey{
	{"modelspec.title", Model, "title", text, nil},
	{"modelspec.architecture", Model, "architecture", text, nil},
	{"modelspec.implementation", Model, "implementation", text, nil},
	{"modelspec.implementation_version", Model, "implementation version", text, nil},
	{"modelspec.author", Model, "author", text, nil},
	{"modelspec.date", Model, "date", text, nil},
	{"modelspec.license", Model, "license", text, nil},
	{"modelspec.description", Model, "description", text, nil},
	{"modelspec.usage_hint", Model, "usage hint", text, nil},
	{"modelspec.trigger_phrase", Model, "trigger phrase", text, nil},
	{"modelspec.category", Model, "category", text, nil},
	{"modelspec.tags", Model, "tags", text, nil},
	{"modelspec.merged_from", Model, "merged from", text, nil},
	{"modelspec.resolution", Model, "resolution", text, nil},
	{"modelspec.prediction_type", Model, "prediction type", text, nil},
	{"modelspec.timestep_range", Model, "timestep range", text, nil},
	{"modelspec.encoder_layer", Model, "encoder layer", text, nil},
	{"modelspec.preprocessor", Model, "preprocessor", text, nil},
	{"modelspec.is_negative_embedding", Model, "negative embedding", flag, nil},
	{"modelspec.unet_dtype", Model, "dtype of the UNet", text, nil},
	{"modelspec.vae_dtype", Model, "dtype of the VAE", text, nil},
	{"modelspec.data_format", Model, "data format", text, nil},
	{"modelspec.format_type", Model, "format type", text, nil},
	{"modelspec.format_template", Model, "format template", text, nil},
	{"modelspec.language", Model, "language", text, nil},
	{"modelspec.thumbnail", Model, "thumbnail", dataURI, nil},
	{"modelspec.sai_model_spec", Model, "version of ModelSpec", text, nil},
	{"ss_output_name", Model, "name", text, nil},
	{"ss_base_model_version", Model, "base model", text, nil},
	{"ss_sd_model_name", Model, "base checkpoint", text, nil},
	{"ss_v2", Model, "for Stable Diffusion 2", flag, nil},
	{"ss_vae_name", Model, "VAE", text, nil},
	{"base_model_name_or_path", Model, "base model", text, nil},
	{"software", Model, "written by", members, nil},
	{"format", Model, "written from", framework, nil},

	{"ss_network_module", Adapter, "module", text, nil},
	{"ss_network_dim", Adapter, "rank", text, nil},
	{"ss_network_alpha", Adapter, "alpha", text, nil},
	{"ss_network_dropout", Adapter, "dropout", text, nil},
	{"ss_network_args", Adapter, "", members, nil},
	{"ss_scale_weight_norms", Adapter, "weight norms scaled to", text, nil},
	{"lora_adapter_metadata", Adapter, "", members, nil},
	{"peft_type", Adapter, "type", text, nil},
	{"task_type", Adapter, "task", text, nil},
	{"r", Adapter, "rank", text, nil},
	{"rank", Adapter, "rank", text, nil},
	{"lora_alpha", Adapter, "alpha", text, nil},
	{"alpha", Adapter, "alpha", text, nil},
	{"lora_dropout", Adapter, "dropout", text, nil},
	{"target_modules", Adapter, "modules", text, nil},
	{"use_dora", Adapter, "DoRA", flag, nil},
	{"use_rslora", Adapter, "rank-stabilized", flag, nil},

	{"ss_training_comment", Training, "comment", text, nil},
	{"ss_optimizer", Training, "optimizer", text, nil},
	{"ss_learning_rate", Training, "learning rate", text, nil},
	{"ss_unet_lr", Training, "learning rate of the UNet", text, nil},
	{"ss_text_encoder_lr", Training, "learning rate of the text encoder", text, nil},
	{"ss_lr_scheduler", Training, "scheduler", text, nil},
	{"ss_lr_warmup_steps", Training, "warm-up steps", text, nil},
	{"ss_epoch", Training, "epoch", text, nil},
	{"ss_num_epochs", Training, "epochs in all", text, nil},
	{"ss_steps", Training, "step", text, nil},
	{"ss_max_train_steps", Training, "steps in all", text, nil},
	{"ss_num_batches_per_epoch", Training, "batches of an epoch", text, nil},
	{"ss_total_batch_size", Training, "batch size", text, nil},
	{"ss_batch_size_per_device", Training, "batch size of a device", text, nil},
	{"ss_gradient_accumulation_steps", Training, "gradient accumulation", text, nil},
	{"ss_gradient_checkpointing", Training, "gradient checkpointing", flag, nil},
	{"ss_max_grad_norm", Training, "gradient norm at most", text, nil},
	{"ss_mixed_precision", Training, "mixed precision", text, nil},
	{"ss_full_fp16", Training, "F16 throughout", flag, nil},
	{"ss_fp8_base", Training, "base in 8 bits", flag, nil},
	{"ss_clip_skip", Training, "CLIP skip", text, nil},
	{"ss_max_token_length", Training, "tokens at most", text, nil},
	{"ss_loss_type", Training, "loss", text, nil},
	{"ss_min_snr_gamma", Training, "min-SNR gamma", text, nil},
	{"ss_prior_loss_weight", Training, "prior loss weight", text, nil},
	{"ss_noise_offset", Training, "noise offset", text, nil},
	{"ss_zero_terminal_snr", Training, "zero terminal SNR", flag, nil},
	{"ss_debiased_estimation", Training, "debiased estimation", flag, nil},
	{"ss_caption_dropout_rate", Training, "caption dropout", text, nil},
	{"ss_seed", Training, "seed", text, nil},
	{"training_info", Training, "", members, nil},
	{"ss_sd_scripts_commit_hash", Training, "commit of the trainer", text, nil},
	{"ss_session_id", Training, "session", text, nil},
	{"ss_training_started_at", Training, "started", moment, nil},
	{"ss_training_finished_at", Training, "finished", moment, nil},

	{"ss_num_train_images", Dataset, "images, with repeats", text, nil},
	{"ss_num_reg_images", Dataset, "regularization images", text, nil},
	{"ss_num_validation_images", Dataset, "validation images", text, nil},
	{"ss_resolution", Dataset, "resolution", text, nil},
	{"ss_dataset_dirs", Dataset, "folder", object, folders},
	{"ss_reg_dataset_dirs", Dataset, "regularization folder", object, folders},
	{"ss_datasets", Dataset, "dataset", object, datasets},
	{"ss_tag_frequency", Dataset, "tags", object, tags},
	{"ss_enable_bucket", Dataset, "buckets", flag, nil},
	{"ss_bucket_info", Dataset, "resolutions in use", object, buckets},
	{"ss_min_bucket_reso", Dataset, "smallest bucket", text, nil},
	{"ss_max_bucket_reso", Dataset, "largest bucket", text, nil},
	{"ss_bucket_no_upscale", Dataset, "no upscaling", flag, nil},
	{"ss_shuffle_caption", Dataset, "captions shuffled", flag, nil},
	{"ss_keep_tokens", Dataset, "tokens kept in place", text, nil},
	{"ss_flip_aug", Dataset, "flipped", flag, nil},
	{"ss_color_aug", Dataset, "colours changed", flag, nil},
	{"ss_random_crop", Dataset, "cropped at random", flag, nil},
	{"ss_cache_latents", Dataset, "latents cached", flag, nil},

	{"modelspec.hash_sha256", Digests, "of the data, by ModelSpec", text, nil},
	{"sshs_model_hash", Digests, "of the data, by sd-scripts", text, nil},
	{"sshs_legacy_hash", Digests, "legacy, by sd-scripts", text, nil},
	{"ss_new_sd_model_hash", Digests, "of the base checkpoint", text, nil},
	{"ss_sd_model_hash", Digests, "of the base checkpoint, legacy", text, nil},
	{"ss_new_vae_hash", Digests, "of the VAE", text, nil},
	{"ss_vae_hash", Digests, "of the VAE, legacy", text, nil},
}
