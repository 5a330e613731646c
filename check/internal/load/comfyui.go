// ComfyUI: which folder and which node a file is for.

package load

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/identity"
)

// A place is where ComfyUI looks for models of a kind. (folder_paths.py, nodes.py.)
type place struct {
	folders []string // below models/, the usual one first
	node    string   // the node that loads them
}

var places = map[identity.Kind]place{
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

// judgeComfyUI reports sets of several files, and says where a file belongs.
func judgeComfyUI(ctx context.Context, m *Model) {
	of := m.For(loader.ComfyUI)
	inPipeline := m.Has(path.Join(tree.FolderOf(m.Folder()), pipelineName)) || m.Has(path.Join(m.Folder(), pipelineName))
	if len(of) == 0 || inPipeline || m.Set.CopyOf != "" || m.Set.PartOf != "" {
		return
	}
	if len(m.Shards) > 1 && (m.Index != nil || strings.Contains(m.Set.Name, "-of-")) {
		fix := "Merge the shards: `weigh merge FOLDER -o NEW.safetensors`."
		if m.Index != nil {
			fix = strings.Replace(fix, "FOLDER", "FILE", 1)
		}
		m.Add(Fault{Rule: rule.OneFile, File: m.File(), Fix: fix}, of, "the model consists of %s",
			wording.Count(len(m.Shards), "shard"))
		return
	}
	for i := range m.Shards {
		m.judgeComfyPlace(ctx, &m.Shards[i])
	}
}

// judgeComfyPlace says where a file belongs, and reports one in the folder of other models.
func (m *Model) judgeComfyPlace(ctx context.Context, s *Shard) {
	if s.Header == nil {
		return
	}
	var one model.Model
	one.AddShard(ctx, m.Set, s.Path, s.Header)
	defer one.Close()
	id := identity.Of(&one, nil)
	m.judgeComfyAdapter(s, id)
	where, ok := places[id.Kind]
	if !ok || id.Status == identity.Unknown {
		return
	}
	at := Fault{Rule: rule.ModelPlace, File: s.Path, Fix: "Put it in models/" + where.folders[0] + ", and load it with " +
		where.node + "."}
	folder := comfyFolder(path.Join(filepath.ToSlash(m.Dir), s.Path))
	switch {
	case folder == "":
		m.Add(at, m.For(loader.ComfyUI), "it is %s", describe(id))
	case !slices.Contains(where.folders, folder):
		at.Rule = rule.ModelFolder
		m.Add(at, m.For(loader.ComfyUI), "it is %s, and the folder is models/%s", describe(id), folder)
	}
}

// describe returns what a model is for ComfyUI, with evidence.
func describe(id *identity.Identity) string {
	of := "a"
	if strings.ContainsRune("aeiouAEIOU", rune(id.Kind[0])) {
		of = "an"
	}
	text := of + " " + string(id.Kind)
	if id.Adapter != nil && id.Adapter.Kind != "" {
		text = "an adapter: " + id.Adapter.Kind
	}
	if id.Family != "" {
		text += " (" + strings.TrimSpace(id.Family+" "+id.Version()) + ")"
	}
	switch id.Kind {
	case identity.DiffusionModel:
		text += " alone, without a VAE and text encoders"
	case identity.Checkpoint:
		var kinds []string
		for i := range id.Parts {
			if kind := string(id.Parts[i].Kind); kind != "" && !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
		if len(kinds) > 0 {
			text += " of " + strings.Join(kinds, ", ")
		}
	}
	if len(id.Evidence) > 0 {
		text += ", by " + wording.Quote(id.Evidence[0].String())
	}
	return text
}

// comfyFolder returns the folder of ComfyUI's models that a path is in, or "".
func comfyFolder(file string) string {
	elements := strings.Split(file, "/")
	for i := len(elements) - 3; i >= 0; i-- {
		if elements[i] == "models" {
			folder := elements[i+1]
			for _, where := range places {
				if slices.Contains(where.folders, folder) {
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
