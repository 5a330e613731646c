// Identities of the models in a survey.

package survey

import (
	"slices"

	"github.com/weightools/safetensors/cmd/weigh/internal/render/listing"
	"github.com/weightools/safetensors/model/identity"
)

// Identities tells what each model of the survey is. The parts of a pipeline follow the pipeline.
func (s *Survey) Identities(by *identity.Signatures) []listing.Identified {
	var list []listing.Identified
	var pipelines []string
	for _, m := range s.models {
		if m.isEmpty() || slices.Contains(pipelines, m.partOf) {
			continue
		}
		if m.partOf == "" {
			list = append(list, listing.Identified{Name: m.name, Identity: identity.Of(m.Model, by)})
			continue
		}
		pipelines = append(pipelines, m.partOf)
		list = append(list, s.pipeline(m.partOf, by)...)
	}
	return list
}

// isEmpty reports whether nothing is known of a model: its files could not be read, and there is no configuration.
func (m *namedModel) isEmpty() bool { return len(m.Files) == 0 && m.Config == nil }

// pipeline returns a pipeline and its parts.
func (s *Survey) pipeline(folder string, by *identity.Signatures) []listing.Identified {
	list := []listing.Identified{{Name: folder}}
	var parts []*identity.Identity
	for _, m := range s.models {
		if m.partOf == folder && !m.isEmpty() {
			id := identity.Of(m.Model, by)
			parts = append(parts, id)
			list = append(list, listing.Identified{Name: m.name, PartOf: folder, Identity: id})
		}
	}
	list[0].Identity = identity.OfPipeline(parts)
	return list
}
