// ComfyUI: which folder and which node a file is for.

package load

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weightools/safetensors/check/internal/load/facts"
	"github.com/weightools/safetensors/check/internal/rule"
	"github.com/weightools/safetensors/check/internal/tree"
	"github.com/weightools/safetensors/check/loader"
	"github.com/weightools/safetensors/internal/wording"
	"github.com/weightools/safetensors/model"
	"github.com/weightools/safetensors/model/identity"
)

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
	where, ok := facts.Places[id.Kind]
	if !ok || id.Status == identity.Unknown {
		return
	}
	at := Fault{Rule: rule.ModelPlace, File: s.Path, Fix: "Put it in models/" + where.Folders[0] + ", and load it with " +
		where.Node + "."}
	folder := facts.ComfyFolder(path.Join(filepath.ToSlash(m.Dir), s.Path))
	switch {
	case folder == "":
		m.Add(at, m.For(loader.ComfyUI), "it is %s", describe(id))
	case !slices.Contains(where.Folders, folder):
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
