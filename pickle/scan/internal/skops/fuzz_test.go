// Arbitrary texts as schemas.

package skops

import (
	"testing"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/config"
)

// A sink counts what a judge finds.
type sink struct{ names, findings int }

// Find implements evidence.Sink.
func (s *sink) Find(pickle.Rule, int64, string, ...any) { s.findings++ }

// Name implements evidence.Sink.
func (s *sink) Name(string, int64, pickle.Verdict, pickle.Rule) { s.names++ }

// Verdict implements evidence.Sink.
func (s *sink) Verdict(module, name string) pickle.Verdict {
	if module == "os" || name == "eval" {
		return pickle.Dangerous
	}
	return pickle.Suspicious
}

// FuzzSchema checks that arbitrary schemas do not panic, and give the same twice.
func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"__class__": "system", "__module__": "os", "__loader__": "FunctionNode", "content": {}}`))
	f.Add([]byte(`{"__class__":"A","__module__":"sklearn.b","__loader__":"ObjectNode","content":{"type":"dict","__module__":"x"}}`))
	f.Add([]byte(`{"module_path":"a.b","function":"c","__loader__":"FunctionNode","a":[{"__class__":"eval","__module__":"b"}]}`))
	f.Add([]byte(`{"__class__":"A","__class__":"B","__module__":"evil","__loader__":"ReduceNode"}`))
	f.Add([]byte(`{"a":[[[[{"__module__":"\u006fs","__class__":"system"}]]]]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var runs [2]sink
		for i := range runs {
			r := config.NewReader(text, 0, Judge{Sink: &runs[i], Sure: true})
			_ = r.Value()
			if r.Pos() < 0 || r.Pos() > len(text) {
				t.Errorf("position %d of %d", r.Pos(), len(text))
			}
		}
		if runs[0] != runs[1] {
			t.Errorf("%+v, and then %+v", runs[0], runs[1])
		}
	})
}
