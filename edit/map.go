// Edits by maps of names.

package edit

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/weightools/safetensors/edit/remap"
)

// Remap returns an [Edit].Arrange that applies a map. Parameters of its steps are members of config.json, or of
// params.json if there is none, beside the weights. Tensors that no rule has stay as they are. It is an error if no rule
// applies. Idle, unless it is nil, is called with the rules that apply to no tensor.
func Remap(m *remap.Map, idle func([]remap.Rule)) func(*Input) (*Output, error) {
	return func(in *Input) (*Output, error) {
		params, err := in.Params()
		if err != nil {
			return nil, err
		}
		r, err := m.Apply(in.Tensors, params)
		if err != nil {
			return nil, err
		}
		if len(r.Made)+len(r.Dropped) == 0 {
			return nil, fmt.Errorf("no rule of the map applies to any of the tensors; the first is %s",
				quote(in.Tensors[0].Name))
		}
		if idle != nil && len(r.Idle) > 0 {
			idle(r.Idle)
		}
		return &Output{Tensors: r.All()}, nil
	}
}

// Params returns the parameters of the model, from config.json or params.json.
func (in *Input) Params() (remap.Params, error) {
	for _, name := range []string{"config.json", "params.json"} {
		text, err := in.Beside(name)
		if err == nil {
			return remap.ParamsOf(name, text), nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return remap.Params{}, err
		}
	}
	return remap.Params{}, nil
}
