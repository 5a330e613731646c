// ComfyUI: the folders of its models.

package facts

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/model/identity"
)

// A Place is where ComfyUI looks for models of a kind. (folder_paths.py, nodes.py.)
type Place struct {
	Folders []string // below models/, the usual one first
	Node    string   // the node that loads them
}

// Places has the place of each kind that ComfyUI loads.
var Places = map[identity.Kind]Place{
	identity.Checkpoint:     {[]string{"checkpoints"}, "Load Checkpoint"},
	identity.DiffusionModel: {[]string{"diffusion_models", "unet"}, "Load Diffusion Model"},
	identity.VAE:            {[]string{"vae", "vae_approx"}, "Load VAE"},
	identity.TextEncoder:    {[]string{"text_encoders", "clip"}, "Load CLIP"},
	identity.CLIP:           {[]string{"text_encoders", "clip", "clip_vision"}, "Load CLIP"},
	identity.VisionEncoder:  {[]string{"clip_vision"}, "Load CLIP Vision"},
	identity.ControlNet:     {[]string{"controlnet", "t2i_adapter", "model_patches"}, "Load ControlNet Model"},
	identity.T2IAdapter:     {[]string{"controlnet", "t2i_adapter"}, "Load ControlNet Model"},
	identity.StyleModel:     {[]string{"style_models"}, "Load Style Model"},
	identity.Adapter:        {[]string{"loras"}, "Load LoRA"},
	identity.Embedding:      {[]string{"embeddings"}, "the text \"embedding:NAME\" of a prompt"},
	identity.Hypernetwork:   {[]string{"hypernetworks"}, "HypernetworkLoader"},
	identity.Upscaler:       {[]string{"upscale_models", "latent_upscale_models"}, "Load Upscale Model"},
}

// foldersAlone are folders of ComfyUI whose names no pipeline of diffusers has, so that they need no models/ above.
var foldersAlone = []string{
	"checkpoints", "diffusion_models", "text_encoders", "loras", "clip_vision", "style_models", "embeddings",
	"upscale_models", "hypernetworks",
}

// ComfyFolder returns the folder of ComfyUI's models that a path is in, or "".
func ComfyFolder(file string) string {
	elements := strings.Split(file, "/")
	for i := len(elements) - 3; i >= 0; i-- {
		if elements[i] == "models" {
			folder := elements[i+1]
			for _, where := range Places {
				if slices.Contains(where.Folders, folder) {
					return folder
				}
			}
		}
	}
	if n := len(elements); n > 1 && slices.Contains(foldersAlone, elements[n-2]) {
		return elements[n-2]
	}
	return ""
}
