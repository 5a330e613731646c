// Pipelines: folders with several models.

package identity

// OfPipeline tells what a folder is by what the models in it are: a pipeline of the family of its diffusion model.
func OfPipeline(parts []*Identity) *Identity {
	id := &Identity{Part: Part{Status: Unknown, Kind: Pipeline}}
	for _, p := range parts {
		id.Tensors += p.Tensors
		one := p.Part
		one.Evidence = nil // each part has its own
		id.Parts = append(id.Parts, one)
		if p.Kind == DiffusionModel && (id.Status == Unknown || id.Family == p.Family) {
			if id.Family == "" {
				id.Status, id.Family, id.Versions, id.Because = p.Status, p.Family, p.Versions, p.Because
				id.Candidates = p.Candidates
			}
		}
	}
	return id
}
