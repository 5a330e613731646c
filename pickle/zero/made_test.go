// Checkpoints put together by hand: layouts that DeepSpeed writes rarely, and hostile ones.

package zero

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
)

// The functions give the instructions of protocol 2 that put one value on the stack.

func le32(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

func str(s string) string { return "X" + le32(len(s)) + s }

func num(n int) string { return "J" + le32(n) }

func tuple(items ...string) string { return "(" + strings.Join(items, "") + "t" }

func list(items ...string) string { return "](" + strings.Join(items, "") + "e" }

func dict(items ...string) string { return "}(" + strings.Join(items, "") + "u" }

func nums(list ...int) (items []string) {
	for _, n := range list {
		items = append(items, num(n))
	}
	return items
}

// A saved is a file that PyTorch would have saved, with its storages.
type saved struct{ storages []string }

// tensor gives a tensor of float32.
func (s *saved) tensor(shape []int, values ...float32) string {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	s.storages = append(s.storages, string(b))
	stride, step := make([]int, len(shape)), 1
	for i := len(shape) - 1; i >= 0; i-- {
		stride[i] = step
		step *= shape[i]
	}
	storage := tuple(str("storage"), "ctorch\nFloatStorage\n", str(fmt.Sprint(len(s.storages)-1)), str("cpu"), num(len(values))) + "Q"
	return "ctorch._utils\n_rebuild_tensor_v2\n" + tuple(storage, num(0), tuple(nums(shape...)...), tuple(nums(stride...)...),
		"\x89", "ccollections\nOrderedDict\n)R") + "R"
}

// flat gives a tensor of one dimension, with the values from begin on.
func (s *saved) flat(begin, n int) string {
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(begin + i)
	}
	return s.tensor([]int{n}, values...)
}

// write writes the file with a value.
func (s *saved) write(t *testing.T, name, value string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	members := map[string]string{"m/data.pkl": "\x80\x02" + value + ".", "m/version": "3\n"}
	for i, b := range s.storages {
		members[fmt.Sprint("m/data/", i)] = b
	}
	for _, member := range []string{"m/data.pkl", "m/version"} {
		e, _ := w.CreateHeader(&zip.FileHeader{Name: member})
		e.Write([]byte(members[member]))
		delete(members, member)
	}
	for member, content := range members {
		e, _ := w.CreateHeader(&zip.FileHeader{Name: member})
		e.Write([]byte(content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A layout is a checkpoint of two weights, "a" of shape [3] and "b" of [2, 2], of which more can be said.
type layout struct {
	model, state []string // more entries of the model file, and of the state in each part
	stage, ranks string   // values; "" are 2, and 2
	shapes       string   // value; "" is that of a and b
	flats        []int    // how many elements the ranks have; nil is 4 and 3
}

// write writes the files into a new folder.
func (l *layout) write(t *testing.T, model func(*saved) []string) string {
	dir := t.TempDir()
	shapes, stage, ranks, flats := l.shapes, l.stage, l.ranks, l.flats
	if shapes == "" {
		shapes = list(dict(str("a"), tuple(num(3)), str("b"), "ctorch\nSize\n"+tuple(tuple(nums(2, 2)...))+"R"))
	}
	if stage == "" {
		stage = str("zero_stage") + "cdeepspeed.runtime.zero.config\nZeroStageEnum\n" + tuple(num(2)) + "R"
	}
	if ranks == "" {
		ranks = list(num(2))
	}
	if flats == nil {
		flats = []int{4, 3}
	}
	var head saved
	entries := append([]string{str("param_shapes"), shapes, str("buffer_names"), list()}, l.model...)
	if model != nil {
		entries = append(entries, str("module"), dict(model(&head)...))
	}
	head.write(t, filepath.Join(dir, sharedHead), dict(entries...))
	begin := 0
	for rank, n := range flats {
		var s saved
		state := append([]string{stage, str("partition_count"), ranks, str(groupsKey), list(s.flat(begin, n)),
			str("base_optimizer_state"), list(dict(str("exp_avg"), s.flat(100+begin, n+1), str("step"), num(2)))}, l.state...)
		s.write(t, filepath.Join(dir, optimizerFile("", rank)), dict(str(partKey), dict(state...)))
		begin += n
	}
	return dir
}

func TestLayouts(t *testing.T) {
	plain := map[string][]float32{"a F32[3]": {0, 1, 2}, "b F32[2, 2]": {3, 4, 5, 6}}
	frozen := maps.Clone(plain)
	frozen["c F32[2]"] = []float32{7, 8}
	state := maps.Clone(plain)
	state["optimizer.state.a.exp_avg F32[3]"] = []float32{100, 101, 102}
	state["optimizer.state.b.exp_avg F32[2, 2]"] = []float32{103, 104, 105, 106}
	tied := maps.Clone(plain)
	tied["d F32[3]"] = plain["a F32[3]"]
	for name, test := range map[string]struct {
		layout
		optimizer bool
		model     func(*saved) []string
		want      map[string][]float32
	}{
		"plain":                {want: plain},
		"elastic state":        {want: state, optimizer: true},
		"padding at the end":   {want: plain, layout: layout{flats: []int{4, 4}}},
		"more ranks":           {want: plain, layout: layout{flats: []int{3, 3, 1, 0}, ranks: num(4)}},
		"no stage (BF16)":      {want: plain, layout: layout{stage: str("ds_version") + str("0.9")}},
		"padding behind a":     {want: map[string][]float32{"a F32[3]": {0, 1, 2}, "b F32[2, 2]": {5, 6, 7, 8}}, layout: layout{flats: []int{5, 4}, state: []string{str("param_alignment_paddings"), list(list(nums(2, 0)...))}}},
		"frozen, in the model": {want: frozen, model: func(s *saved) []string { return []string{str("c"), s.tensor([]int{2}, 7, 8)} }},
		"tied":                 {want: tied, layout: layout{model: []string{str("shared_params"), dict(str("d"), str("a"), str("e"), str("no"))}}},
	} {
		cp, _ := open(t, test.write(t, test.model), Options{Optimizer: test.optimizer})
		have := values(t, cp)
		for key, want := range test.want {
			var b []byte
			for _, v := range want {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			}
			if string(have[key]) != string(b) {
				t.Errorf("%s: %s is %v instead of %v", name, key, have[key], b)
			}
		}
		if len(have) != len(test.want) {
			t.Errorf("%s: %d tensors instead of %d", name, len(have), len(test.want))
		}
	}
}

// Every layout that cannot be joined is refused, in a time that does not depend on the numbers it claims.
func TestHostile(t *testing.T) {
	for name, test := range map[string]struct {
		layout
		rule safetensors.Rule
	}{
		"tensor parallel":       {layout{model: []string{str("mp_world_size"), num(2)}}, checkpoint.RuleFormatUnsupported},
		"pipeline parallel":     {layout{model: []string{str("checkpoint_parallel_dimensions"), dict(str("pp_degree"), num(2))}}, checkpoint.RuleFormatUnsupported},
		"experts":               {layout{ranks: list(nums(1, 2)...)}, checkpoint.RuleFormatUnsupported},
		"too many ranks":        {layout{ranks: num(1 << 30)}, checkpoint.RuleFormatDamaged},
		"ranks that are absent": {layout{ranks: num(60000)}, checkpoint.RuleShardMissing},
		"no ranks":              {layout{ranks: num(0)}, checkpoint.RuleFormatDamaged},
		"negative ranks":        {layout{ranks: list(num(-1))}, checkpoint.RuleFormatDamaged},
		"no number of ranks":    {layout{ranks: str("2")}, checkpoint.RuleFormatDamaged},
		"no stage":              {layout{stage: str("zero_stage") + num(9)}, checkpoint.RuleFormatDamaged},
		"too short":             {layout{flats: []int{4, 2}}, checkpoint.RuleFormatDamaged},
		"too long":              {layout{flats: []int{4, 9}}, checkpoint.RuleFormatDamaged},
		"more groups":           {layout{shapes: list(dict(str("a"), tuple(num(3))), dict(str("b"), tuple(num(4))))}, checkpoint.RuleFormatDamaged},
		"overflow": {layout{shapes: list(dict(str("a"), tuple(nums(math.MaxInt32, math.MaxInt32, math.MaxInt32)...)))},
			checkpoint.RuleFormatDamaged},
		"negative shape":  {layout{shapes: list(dict(str("a"), tuple(num(-3))))}, checkpoint.RuleFormatDamaged},
		"reserved name":   {layout{shapes: list(dict(str("__metadata__"), tuple(num(7))))}, checkpoint.RuleFormatDamaged},
		"shapes of text":  {layout{shapes: list(dict(str("a"), str("7")))}, checkpoint.RuleFormatDamaged},
		"no dict":         {layout{shapes: list(num(1))}, checkpoint.RuleFormatDamaged},
		"padding":         {layout{state: []string{str("param_alignment_paddings"), list(list(nums(math.MaxInt32, 0)...))}}, checkpoint.RuleFormatDamaged},
		"paddings of one": {layout{state: []string{str("param_alignment_paddings"), list(list(num(0)))}}, checkpoint.RuleFormatDamaged},
	} {
		cp, sets := open(t, test.write(t, nil), Options{Optimizer: true})
		if _, err := cp.Opened(t.Context(), sets[0].Shards[0]); !errors.Is(err, test.rule) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// A universal checkpoint has a folder for each weight; that of stage 3 flattens them.
func TestUniversal(t *testing.T) {
	l := layout{flats: []int{}, model: []string{str("mp_world_size"), num(2)}}
	dir := l.write(t, func(s *saved) []string { return []string{str("a"), s.tensor([]int{2}, 0, 1)} })
	var other saved
	other.write(t, filepath.Join(dir, "mp_rank_01_model_states.pt"), dict(str("param_shapes"), list(dict(str("c"), tuple(num(1))))))
	write := func(weight, key, value string, s *saved) {
		s.write(t, filepath.Join(dir, "zero", weight, key+".pt"), value)
	}
	for _, w := range []struct {
		name  string
		shape []int
	}{{"a", []int{6}}, {"b", []int{4}}, {"c", []int{1}}} {
		for _, key := range []string{weightKey, "exp_avg"} {
			var s saved
			write(w.name, key, dict(str("cat_dim"), num(0), str("param"), s.flat(0, w.shape[0])), &s)
		}
	}
	cp, sets := open(t, dir, Options{Optimizer: true})
	have := values(t, cp)
	for _, want := range []string{"a F32[6]", "b F32[2, 2]", "c F32[1]", "optimizer.state.a.exp_avg F32[6]",
		"optimizer.state.b.exp_avg F32[2, 2]", "optimizer.state.c.exp_avg F32[1]"} {
		if have[want] == nil {
			t.Errorf("%s is missing", want)
		}
	}
	if len(have) != 6 || len(sets) != 1 {
		t.Errorf("%d tensors in %d sets", len(have), len(sets))
	}
	os.Remove(filepath.Join(dir, universalFile("c", weightKey)))
	cp, sets = open(t, dir, Options{})
	_, err := cp.Opened(t.Context(), sets[0].Shards[0])
	if !errors.Is(err, checkpoint.RuleShardMissing) || !strings.Contains(err.Error(), `"zero/c/fp32.pt" is missing`) {
		t.Errorf("error %v", err)
	}
}
