// What ComfyUI needs.

package loader

import (
	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/check/internal/rule"
)

var comfyUINeeds = []Need{
	{Rule: rule.OneFile, Loader: ComfyUI, Severity: safetensors.Error,
		Does:   "reads one file, and does not recognize a shard",
		Source: "comfy/utils.py, load_torch_file"},
	{Rule: rule.ModelPlace, Loader: ComfyUI, Severity: safetensors.Note,
		Does:   "lists only what is in its folders",
		Source: "folder_paths.py, get_filename_list"},
	{Rule: rule.ModelFolder, Loader: ComfyUI, Severity: safetensors.Warning,
		Does:   "lists it in a node that does not load it, or loads it without what it lacks",
		Source: "comfy/sd.py, load_state_dict_guess_config"},
	{Rule: rule.CustomNode, Loader: ComfyUI, Severity: safetensors.Warning,
		Does:   "does not read it by itself",
		Source: "comfy/utils.py, load_torch_file"},
	{Rule: rule.QuantUnsupported, Loader: ComfyUI, Severity: safetensors.Error,
		Does:   "takes the packed values for the weights, or does not recognize the model",
		Source: "comfy/utils.py, convert_old_quants"},
	{Rule: rule.DtypeUnsupported, Loader: ComfyUI, Severity: safetensors.Warning,
		Does:   "stops with KeyError if it maps files",
		Source: "comfy/utils.py, load_safetensors"},
	{Rule: rule.AdapterUnread, Loader: ComfyUI, Severity: safetensors.Warning,
		Does:   "logs \"lora key not loaded\", and changes nothing",
		Source: "comfy/lora.py, model_lora_keys_unet"},
	{Rule: rule.AdapterPrefix, Loader: ComfyUI, Severity: safetensors.Warning,
		Does:   "does not find the modules under such names in most models",
		Source: "comfy/lora.py, model_lora_keys_unet"},
	{Rule: rule.NamesWrapped, Loader: ComfyUI, Severity: safetensors.Error,
		Does:   "does not recognize the model",
		Source: "comfy/model_detection.py, unet_prefix_from_state_dict"},
	{Rule: rule.LayerMissing, Loader: ComfyUI, Severity: safetensors.Error,
		Does:   "leaves the missing weights uninitialized, and only logs them",
		Source: "comfy/model_base.py, load_model_weights"},
}
