// Modules of sentence-transformers, and files of training: what belongs to a model, and what does not.

package checkpoint

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/weightools/safetensors/checkpoint/internal/naming"
	"github.com/weightools/safetensors/internal/jsonscan"
)

// modulesName is the file in which sentence-transformers lists the modules of a model, each with its folder.
const modulesName = "modules.json"

// readModules reads the folders of modules. The first module is usually in the folder itself. Text that is not
// valid names no modules.
func (f *folder) readModules(ctx context.Context) error {
	if f.modules == nil {
		return nil
	}
	isBelow := func(p *place) bool { return p.path != f.path }
	if !slices.ContainsFunc(f.inOrder(), isBelow) {
		f.modules = nil
		return nil
	}
	text, err := f.readText(ctx, path.Join(f.path, modulesName))
	if err != nil {
		return err
	}
	list, _ := jsonscan.Parse(text)
	for module := range list.Elements() {
		if folder, ok := module.Get("path").Str(); ok {
			first, _, _ := strings.Cut(folder, "/")
			f.modules[first] = first != ""
		}
	}
	if !slices.ContainsFunc(f.inOrder(), func(p *place) bool { return f.isPart(p.path) }) {
		f.modules = nil
	}
	return nil
}

// joinModules makes the models of a folder's modules parts of the first one.
func (f *folder) joinModules(sets []*Set) {
	if f.modules == nil || f.parts != nil {
		return
	}
	var first *Set
	for _, s := range sets {
		switch {
		case s.Role != Model:
		case first == nil:
			first = s
		case f.isPart(naming.Folder(s.file())):
			s.Role, s.PartOf = Module, first.Name
		}
	}
}

// setTrainingAside removes the states of optimizers, unless there is nothing else. PaddleNLP saves them beside the
// model, in the same form, with the weights in the precision of training.
func (c *candidates) setTrainingAside() {
	isTraining := func(s *Set) bool {
		stem, _, _ := strings.Cut(s.parts().Stem, ".")
		return stem == "optimizer" || stem == "master_weights"
	}
	isModel := func(s *Set) bool { return !isTraining(s) }
	if !slices.ContainsFunc(slices.Concat(c.live, c.loose), isModel) {
		return
	}
	for _, list := range []*[]*Set{&c.live, &c.loose, &c.stale} {
		for _, s := range *list {
			if isTraining(s) {
				s.Role = Other
				c.training = append(c.training, s)
			}
		}
		*list = slices.DeleteFunc(*list, isTraining)
	}
}
