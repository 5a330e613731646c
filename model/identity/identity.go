// What a model is.

package identity

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/model"
)

// A Status is how much is known.
type Status string

// The statuses.
const (
	Known     Status = "known"
	Ambiguous Status = "ambiguous" // several families or versions fit
	Unknown   Status = "unknown"
)

// MaxParts is the most parts of a model that are listed.
const MaxParts = 64

// A Part is a model, or what has a prefix of names of its own in a model.
type Part struct {
	Root    string // the prefix of the names, such as "model.diffusion_model."
	Tensors int    // below the root

	Status Status
	Kind   Kind
	Family string // such as "Stable Diffusion XL"

	// Versions are the possible versions: none if they are unknown, and several if the part is ambiguous.
	Versions []string

	// Candidates are the signatures that match, which are several if the part is ambiguous. Because says why.
	Candidates []*Signature
	Because    string

	Evidence []Evidence
	Notes    []string
}

// Version returns the version, as in "1.0" or "2.0 or 2.1", or "".
func (p *Part) Version() string { return strings.Join(p.Versions, " or ") }

// An Identity is what a model is.
type Identity struct {
	Part

	// Parts are what a checkpoint consists of, by their roots; nil for a model that is one part.
	Parts []Part

	// Adapter describes an adapter, such as a LoRA. Then Family and Versions are those of its base model.
	Adapter *model.Adapter

	// Seen describes an unknown model.
	Seen []string
}

// Of tells what a model is, by the given signatures or the built-in ones. It reads no data, except scalars of an
// adapter.
func Of(m *model.Model, s *Signatures) *Identity {
	if s == nil {
		s = Builtin()
	}
	v := inventoryOf(m)
	id := &Identity{}
	if a := v.facts.Adapter; a != nil && !isModel(a.Kind) {
		id.Adapter = a
		id.adapter(m, s)
	} else if states := v.parts(s, isState); len(states) > 0 { // config.json beside it is about the model
		id.combine(states, len(v.order))
	} else {
		configured := v.facts.Type.Value != ""
		id.combine(v.parts(s, func(one *Signature) bool {
			return one.Kind != Adapter && (configured || !one.has(architecture))
		}), len(v.order))
		if id.Status == Unknown && !configured { // how names fit an architecture is weaker than a signature's own names
			if parts := v.parts(s, func(one *Signature) bool { return one.has(architecture) }); len(parts) > 0 {
				id.combine(parts, len(v.order))
			}
		}
		v.specialize(&id.Part)
	}
	if id.Status == Unknown && id.Adapter == nil {
		if p, ok := v.configured(s); ok {
			id.Part = p
		}
	}
	if len(m.Files) == 0 {
		id.Notes = append(id.Notes, "no weights could be read: this is what config.json says")
	}
	if id.Status == Unknown {
		id.Seen = v.seen()
	}
	return id
}

// isState reports whether a signature is one of an optimizer's state.
func isState(s *Signature) bool { return s.Kind == OptimizerState }

// combine describes a model by its parts.
func (id *Identity) combine(parts []Part, tensors int) {
	var containers []Part
	slices.SortStableFunc(parts, func(a, b Part) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	parts = slices.DeleteFunc(parts, func(p Part) bool {
		if p.Kind.contains() {
			containers = append(containers, p)
		}
		return p.Kind.contains()
	})
	covered := 0
	for i := range parts {
		covered += parts[i].Tensors
	}
	switch {
	case len(containers) > 0:
		id.Part, id.Parts = containers[0], parts
		id.inherit(parts)
	case len(parts) == 0:
		id.Status = Unknown
	case 2*covered < tensors:
		id.Status, id.Parts = Unknown, parts
		id.Notes = append(id.Notes, "most tensors belong to none of the parts")
	case len(parts) == 1:
		id.Part = parts[0]
	default:
		id.several(parts)
	}
}

// inherit takes family and version from the diffusion model.
func (id *Identity) inherit(parts []Part) {
	for i := range parts {
		if p := &parts[i]; p.Kind == DiffusionModel && (id.Family == "" || id.Family == p.Family && len(id.Versions) == 0) {
			id.Status, id.Family, id.Versions, id.Because = p.Status, p.Family, p.Versions, p.Because
			id.Candidates = append(id.Candidates, p.Candidates...)
			id.Evidence = append(id.Evidence, p.Evidence...)
			id.Notes = append(id.Notes, p.Notes...)
			return
		}
	}
}

// several describes a model of several parts.
func (id *Identity) several(parts []Part) {
	id.Parts = parts
	count := make(map[Kind]int)
	for i := range parts {
		count[parts[i].Kind]++
	}
	switch {
	case count[DiffusionModel] > 0:
		id.Kind = Checkpoint
		id.inherit(parts)
		return
	case len(count) == 1:
		id.Part = merged(parts)
		return
	case count[LanguageModel] > 0 && count[VisionEncoder] > 0:
		id.Kind = VisionLanguage
	case count[TextEncoder] > 0 && count[VisionEncoder] > 0 && len(count) == 2:
		id.Kind = CLIP
	case count[VAE] > 0:
		id.Kind = Checkpoint
		id.Notes = append(id.Notes, "there is no diffusion model")
	default:
		id.Status = Unknown
		return
	}
	id.Status = Known
	for i := range parts {
		if p := &parts[i]; p.Kind == LanguageModel || id.Kind == CLIP && p.Kind == TextEncoder {
			id.Status, id.Family, id.Versions, id.Because = p.Status, p.Family, p.Versions, p.Because
		}
		id.Evidence = append(id.Evidence, parts[i].Evidence...)
	}
}

// merged describes parts of one kind as one.
func merged(parts []Part) Part {
	if len(parts) == 0 {
		return Part{Status: Unknown}
	}
	all := parts[0]
	for _, p := range parts[1:] {
		all.Root = ""
		all.Tensors += p.Tensors
		all.Evidence = append(all.Evidence, p.Evidence...)
		all.Notes = append(all.Notes, p.Notes...)
		if p.Family == all.Family {
			all.Versions = both(all.Versions, p.Versions)
			if len(all.Versions) < 2 && all.Status == Ambiguous {
				all.Status, all.Because = Known, ""
			}
			continue
		}
		if p.Kind != Adapter {
			all.Family += " + " + p.Family
			all.Versions = nil
		}
	}
	return all
}

// both returns the versions that are in both lists, where an empty list stands for all.
func both(a, b []string) []string {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	common := slices.DeleteFunc(slices.Clone(a), func(v string) bool { return !slices.Contains(b, v) })
	if len(common) == 0 {
		return a
	}
	return common
}
