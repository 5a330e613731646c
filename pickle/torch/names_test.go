// Names: the root, the paths in it, and what is left out.

package torch

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// one is a tensor, as are all in these tests: which one does not matter.
func one() string { return vector("0", 2) }

const holder = "cmy.code\nNet\n"

// moduleState is the state of a torch.nn.Module.
func moduleState(parameters, buffers, modules string, more ...string) string {
	return dict(append([]string{str("training"), "\x88", str("_parameters"), parameters, str("_buffers"), buffers, str("_modules"), modules}, more...)...)
}

func TestNames(t *testing.T) {
	block := newObject(holder, moduleState(dict(str("weight"), one(), str("bias"), "N"), dict(str("mean"), one(), str("mask"), one()), dict(),
		str("_non_persistent_buffers_set"), call("cbuiltins\nset\n", list(str("mask"))), str("cache"), one(), str("rate"), num(3)))
	for _, k := range []struct {
		what, value string
		opts        Options
		root        string
		names       []string
		skipped     string
	}{
		{what: "a tensor alone", value: one(), names: []string{"tensor"}},
		{what: "a state dict", value: dict(str("b"), one(), str("a.c"), one()), names: []string{"b", "a.c"}},
		{what: "an OrderedDict with metadata", value: hooks + "(" + str("w") + one() + "u" + dict(str("_metadata"), dict(str(""), num(1))) + "b", names: []string{"w"}},
		{what: "as Python 2 wrote it", value: call("ccollections\nOrderedDict\n", list(list(str("w"), one()), list(str("v"), one()))), names: []string{"w", "v"}},
		{what: "a list", value: list(one(), tuple(one(), one())), names: []string{"0", "1.0", "1.1"}},
		{what: "keys that are ints", value: dict(num(7), one(), num(-1), one()), names: []string{"7", "-1"}},
		{what: "a key twice", value: dict(str("a"), num(1), str("b"), one(), str("a"), one()), names: []string{"a", "b"}},
		{what: "a checkpoint", value: dict(str("epoch"), num(3), str("optimizer"), dict(str("state"), one(), str("lr"), num(1)), str("model"), dict(str("w"), one())),
			root: "model", names: []string{"w"}, skipped: "epoch: an int; optimizer: 1 tensor and 1 other value"},
		{what: "the more telling key", value: dict(str("model"), dict(str("a"), one()), str("state_dict"), dict(str("b"), one())),
			root: "state_dict", names: []string{"b"}, skipped: "model: 1 tensor"},
		{what: "a key without tensors", value: dict(str("state_dict"), dict(), str("net"), dict(str("b"), one())), root: "net", names: []string{"b"}, skipped: "state_dict: a dict"},
		{what: "a tensor that is called model", value: dict(str("model"), one()), names: []string{"model"}},
		{what: "no key that is known", value: dict(str("encoder"), dict(str("w"), one()), str("decoder"), dict(str("w"), one(), str("n"), num(1))),
			names: []string{"encoder.w", "decoder.w"}, skipped: "decoder.n: an int"},
		{what: "all", value: dict(str("model"), dict(str("w"), one()), str("step"), one(), str("lr"), "G\x3f\xf0\x00\x00\x00\x00\x00\x00"), opts: Options{All: true},
			names: []string{"model.w", "step"}, skipped: "lr: a float"},
		{what: "a root that is chosen", value: dict(str("a.b"), dict(str("c"), dict(str("w"), one()), str("d"), one()), str("a"), one()), opts: Options{Root: "a.b.c"},
			root: "a.b.c", names: []string{"w"}, skipped: "a: 1 tensor; a.b.d: 1 tensor"},
		{what: "a module", value: newObject(holder, moduleState(dict(), dict(), dict(str("0"), block))),
			names: []string{"0.weight", "0.mean"}, skipped: "0.mask: 1 tensor; 0.cache: 1 tensor"},
		{what: "an object", value: list(newObject(holder, dict(str("w"), one()))), names: []string{"0.w"}},
		{what: "an object with slots", value: list(newObject(holder, tuple("N", dict(str("w"), one())))), names: []string{"0.w"}},
		{what: "an argument", value: dict(str("x"), call(holder, num(1), one())), names: []string{"x.args.1"}, skipped: "x.args.0: an int"},
		{what: "objects without tensors", value: dict(str("w"), one(), str("device"), call("ctorch\ndevice\n", str("cpu")), str("f"), "cmath\npi\n"),
			names: []string{"w"}, skipped: "device: an object of torch.device; f: the name math.pi"},
		{what: "a value in the root", value: dict(str("net"), dict(str("w"), one(), str("n"), num(1))), root: "net", names: []string{"w"}, skipped: "net.n: an int"},
		// The same dict twice is as good as two; itself in itself is nothing new.
		{what: "a value twice", value: dict(str("a"), dict(str("w"), one())+"q\x01", str("b"), "h\x01"), names: []string{"a.w", "b.w"}},
		{what: "a value in itself", value: "}q\x01(" + str("self") + "h\x01" + str("w") + one() + "u", names: []string{"w"}},
	} {
		t.Run(k.what, func(t *testing.T) {
			cp := openBytes(t, archiveOf(t, k.value, "0", counting(2)), &k.opts)
			var names, skipped []string
			for _, tensor := range cp.Tensors {
				names = append(names, tensor.Name)
			}
			for _, s := range cp.Skipped {
				skipped = append(skipped, s.Path+": "+s.What)
			}
			if !slices.Equal(names, k.names) || strings.Join(skipped, "; ") != k.skipped || cp.Root != k.root {
				t.Errorf("%q of %q, without %q", names, cp.Root, skipped)
			}
		})
	}
}

func TestNamesRefused(t *testing.T) {
	deep := one()
	for range 2000 {
		deep = list(deep)
	}
	bombs := func(innermost string, levels byte) string { // lists of ten times the one before
		text := list(innermost) + "q\x00"
		for i := range levels {
			text += list(strings.Repeat("h"+string(i), 10)) + "q" + string(i+1)
		}
		return text
	}
	for _, k := range []struct{ what, value, root, want string }{
		{"two of one name", dict(str("a.b"), one(), str("a"), dict(str("b"), one())), "", `torch: "a.b": another tensor has the same name`},
		{"an int and a str", dict(str("1"), one(), num(1), one()), "", `torch: "1": another tensor has the same name`},
		{"the name of the metadata", dict(str("__metadata__"), one()), "", `torch: "__metadata__": safetensors reserves this name for metadata`},
		{"a key that makes no name", dict(tuple(num(1)), one()), "", `torch: a tuple is the key of a value with 1 tensor`},
		{"a root that is not there", dict(str("model"), dict(str("w"), one()), str("epoch"), num(1)), "modle", `torch: there is no "modle"; available: "model", "epoch"`},
		{"no tensors", dict(str("w"), num(1)), "", `the checkpoint contains no tensors`},
		{"values in values", deep, "", `torch: values are nested more than 200 deep`},
		{"a key with a tensor set without end", list(dict(strings.Repeat("K\x01N", 100_000), num(2), one()) + "q\x01" + strings.Repeat("h\x01", 1000)), "", `torch: the file contains more than `},
		{"values without end", tuple(bombs(num(1), 12), one()), "", `torch: the file contains more than 20,000,000 values`},
		{"tensors without end", bombs(one(), 12), "", `torch: the file contains more than 20,000,000 values`},
		{"tensors without number", bombs(one(), 5), "", `torch: the tensors and values and their names exceed the limit`},
	} {
		b := archiveOf(t, k.value, "0", counting(2))
		_, err := Open(strings.NewReader(string(b)), int64(len(b)), &Options{Root: k.root})
		if err == nil || !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v", k.what, err)
		}
		var format *FormatError
		if !errors.As(err, &format) {
			t.Errorf("%s: a %T", k.what, err)
		}
	}
}

// An empty checkpoint is one without tensors. Any other file without tensors is an error.
func TestEmpty(t *testing.T) {
	metadata := dict(str("_metadata"), hooks+dict()) + "b"
	for _, k := range []struct {
		name, value, root string
		skipped           int
		err               bool
	}{
		{"a dict", dict(), "", 0, false},
		{"an OrderedDict", hooks, "", 0, false},
		{"a list", list(), "", 0, false},
		{"the state of a module without parameters", hooks + metadata, "", 0, false},
		{"under a root", dict(str("epoch"), num(3), str("state_dict"), dict()), "state_dict", 1, false},
		{"an absent bias", dict(str("bias"), "N"), "", 0, false},
		{"None", "N", "", 0, true},
		{"a number", num(3), "", 0, true},
		{"values", dict(str("a"), num(3)), "", 0, true},
		{"an object", newObject(glob("m", "C"), dict()), "", 0, true},
	} {
		for _, b := range [][]byte{archiveOf(t, k.value), streamOf(k.value)} {
			cp, err := Open(bytes.NewReader(b), int64(len(b)), nil)
			if (err != nil) != k.err || err == nil && (len(cp.Tensors) > 0 || len(cp.Skipped) != k.skipped || cp.Root != k.root) {
				t.Errorf("%s: %+v, %v", k.name, cp, err)
			}
		}
	}
}

// TestManyLeftOut: what is left out is counted where it is not listed.
func TestManyLeftOut(t *testing.T) {
	items := []string{str("w"), one()}
	for i := range 1500 {
		items = append(items, str(fmt.Sprint(i)), num(1))
	}
	cp := openBytes(t, archiveOf(t, dict(items...), "0", counting(2)), nil)
	last := cp.Skipped[len(cp.Skipped)-1]
	if len(cp.Skipped) != 1000 || last.Values != 501 || last.What != "0 tensors and 501 other values more" {
		t.Errorf("%d, the last %+v", len(cp.Skipped), last)
	}
}

func TestShared(t *testing.T) {
	six := stored("FloatStorage", "0", 6)
	part := func(offset, n int64) string { return tensorOf(six, offset, []int64{n}, []int64{1}) }
	for _, k := range []struct{ what, value, want string }{
		{"tied", dict(str("head"), part(0, 6), str("embed"), part(0, 6)), "head embed=head"},
		{"disjoint", dict(str("q"), part(0, 3), str("k"), part(3, 3)), ""},
		{"overlapping", dict(str("b"), part(0, 4), str("a"), part(2, 4)), "b a"},
		{"parts, two of them the same", dict(str("z"), part(0, 6), str("a"), part(0, 2), str("b"), part(2, 2), str("c"), part(0, 2)), "z a b c=a"},
		{"transposed", dict(str("a"), tensorOf(six, 0, []int64{2, 3}, []int64{1, 2}), str("b"), tensorOf(six, 0, []int64{2, 3}, []int64{3, 1})), "a b"},
		{"strides that are not stepped", dict(str("a"), tensorOf(six, 0, []int64{1, 6}, []int64{6, 1}), str("b"), tensorOf(six, 0, []int64{1, 6}, []int64{1, 1})), "a b=a"},
		{"two groups of one storage", dict(str("a"), part(0, 2), str("c"), part(2, 2), str("b"), part(0, 2), str("d"), part(3, 3)), "a b=a; c d"},
		{"empty", dict(str("a"), part(0, 0), str("b"), part(0, 6)), ""},
		{"another storage", dict(str("a"), part(0, 6), str("b"), tensorOf(stored("FloatStorage", "1", 6), 0, []int64{6}, []int64{1})), ""},
	} {
		cp := openBytes(t, archiveOf(t, k.value, "0", counting(6), "1", counting(6)), nil)
		var found []string
		for _, s := range cp.Shared() {
			var names []string
			for i, tensor := range s.Tensors {
				name := tensor.Name
				if same := s.SameAs[i]; same != tensor {
					name += "=" + same.Name
				}
				names = append(names, name)
			}
			found = append(found, strings.Join(names, " "))
		}
		if got := strings.Join(found, "; "); got != k.want {
			t.Errorf("%s: %q, want %q", k.what, got, k.want)
		}
	}
}
