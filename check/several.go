// Several models: files in the folder of one configuration that have the names of one model twice.

package check

import (
	"path"

	"github.com/weightools/safetensors"
)

// judgeSeveral reports, for each folder with a configuration, a model whose names are mostly those of another model
// there. Parts of a pipeline, and the forms of several libraries, have other names.
//
// vLLM reads every *.safetensors of a folder without an index, so the last one wins. (vLLM 0.33.0:
// model_executor/model_loader/weight_utils.py, filter_duplicate_safetensors_files.)
func (r *repository) judgeSeveral() {
	names := make(map[string]map[string]*weights) // by folder and the name of a tensor
	for _, m := range r.weights {
		folder := folderOf(m.set.Name)
		if r.counted[folder] < 2 || !m.set.Counted() || isPart(m.set) || m.main == nil || !isOfModel(m) {
			continue
		}
		if names[folder] == nil {
			names[folder] = make(map[string]*weights)
		}
		shared := make(map[*weights]int)
		for _, s := range m.shards {
			for i := 0; s.header != nil && i < len(s.header.Tensors); i++ {
				name := s.header.Tensors[i].Name
				if of := names[folder][name]; of == nil {
					names[folder][name] = m
				} else if of != m {
					shared[of]++
				}
			}
		}
		for _, of := range r.weights {
			if n := shared[of]; n > 0 && 2*n >= min(m.tensors, of.tensors) {
				m.found(m.set.Name).Add(RuleSeveralModels, "", safetensors.Span{},
					"the folder has %s, too, and %s of the two have the same names: loaders that read every file of a folder "+
						"mix them", quote(path.Base(of.set.Name)), count(n, "tensor"))
				break
			}
		}
	}
}

// isOfModel reports whether the configuration in the folder of a set is that of a model.
func isOfModel(m *weights) bool {
	class, kind := m.Architecture()
	return m.main.Root != nil && (class != "" || kind != "")
}
