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
		if len(m.Files) == 0 || slices.Contains(pipelines, m.partOf) {
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

// pipeline returns a pipeline and its parts.
func (s *Survey) pipeline(folder string, by *identity.Signatures) []listing.Identified {
	list := []listing.Identified{{Name: folder}}
	var parts []*identity.Identity
	for _, m := range s.models {
		if m.partOf == folder && len(m.Files) > 0 {
			id := identity.Of(m.Model, by)
			parts = append(parts, id)
			list = append(list, listing.Identified{Name: m.name, PartOf: folder, Identity: id})
		}
	}
	list[0].Identity = identity.OfPipeline(parts)
	return list
}
