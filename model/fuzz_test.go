// Any header and any configuration: no panic, no overflow, and sums that agree.

package model_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/weightools/safetensors/model"
)

// FuzzCount counts headers that are as a stranger likes, sound or not: program info
// shows what it can of those that are not.
func FuzzCount(f *testing.F) {
	for _, c := range smallModels() {
		m := c.Make()
		f.Add(Lines(&m.Shards[0].Header), []byte(m.Config), []byte(m.ModelOpt), dims[int64](64, 128))
	}
	for _, lines := range []string{
		"a.qweight I32 [9223372036854775807,2] 0 0\na.scales F16 [1,18446744073709551615] 0 0\n",
		"a.weight_packed I32 [18446744073709551615,18446744073709551615] 0 0\na.weight_scale F16 [] 0 0\n",
		"a.trellis I16 [9223372036854775807,9223372036854775807,16] 0 0\n",
		"a.weight F32\nb F99 [1] 4 5\nx.weight_shape I64 [2] 0 16\nx.weight_packed I32 [64,16] 9 9223372036854775807\n",
	} {
		f.Add([]byte(lines), []byte(`{"num_experts":1,"num_experts_per_tok":9223372036854775807,"vocab_size":9223372036854775807,"hidden_size":9223372036854775807}`), []byte{}, []byte{})
	}
	f.Fuzz(func(t *testing.T, lines, config, modelopt, data []byte) {
		one := model.File{Header: FromLines(lines), Data: bytes.NewReader(data)}
		tensors := 2 * len(one.Header.Tensors)
		m := &model.Model{Files: []model.File{one, one}, Config: config, ModelOpt: modelopt}
		checkCounts(t, model.Count(m), tensors)
		m.Files[0].Data = nil
		checkCounts(t, model.Count(m), tensors)
	})
}

// checkCounts checks what is true of every count.
func checkCounts(t *testing.T, n *model.Counts, tensors int) {
	t.Helper()
	var groups, dtypes, components model.Tally
	add := func(sum *model.Tally, part model.Tally) {
		sum.Tensors += part.Tensors
		sum.Stored = plus(sum.Stored, part.Stored)
		sum.Bytes = plus(sum.Bytes, part.Bytes)
		sum.Params = model.Range{Low: plus(sum.Params.Low, part.Params.Low), High: plus(sum.Params.High, part.Params.High)}
		if part.Params.Low < 0 || part.Params.Low > part.Params.High || part.Stored < 0 || part.Bytes < 0 {
			t.Fatalf("%+v is no sum", part)
		}
	}
	for _, g := range n.Groups {
		add(&groups, g.Tally)
		if g.Rule.Text() == "" {
			t.Fatalf("%q is no rule", g.Rule)
		}
		if g.Params.Exact() != (g.Why == "") && g.Params.High < math.MaxInt64 {
			t.Fatalf("%+v, and why is %q", g, g.Why)
		}
	}
	for _, p := range n.Dtypes {
		add(&dtypes, p.Tally)
	}
	for _, p := range n.Components {
		add(&components, p.Tally)
	}
	if groups != n.Tally || dtypes != n.Tally || components != n.Tally || n.Tensors != tensors {
		t.Fatalf("%+v of %d tensors, by rule %+v, by dtype %+v, by component %+v", n.Tally, tensors, groups, dtypes, components)
	}
	if n.Unique.High > n.Params.High || n.Unique.Low > n.Params.Low || n.Unique.Low < 0 {
		t.Fatalf("%+v unique parameters of %+v", n.Unique, n.Params)
	}
	if x := n.Experts; x != nil && (x.Active.Low < 0 || x.Active.Low > x.Active.High) {
		t.Fatalf("%+v are active", x.Active)
	}
	if bits, high := n.BitsPerWeight(); bits < 0 || math.IsNaN(bits) || math.IsInf(bits, 0) || high < bits {
		t.Fatalf("%v bits per weight", bits)
	}
}

// plus adds as sums here do: up to the largest int64.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
