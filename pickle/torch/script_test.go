package torch

import (
	"archive/zip"
	"slices"
	"testing"
)

const code = `class Net(Module):
  __parameters__ = ["w", "odd name", ]
  __buffers__ = ["mean", ]
  w : Tensor
  def forward(self: __torch__.Net) -> Tensor:
    return self.w
class Empty(Module):
  __parameters__ = []
  __buffers__ = []
class Plain:
  w : Tensor
class Older(Module):
  __parameters__ = ["w", ]
`

// TestScriptNames lists the tensors that state_dict of a TorchScript module has.
func TestScriptNames(t *testing.T) {
	module := func(class, state string) string { return newObject(glob("__torch__", class), state) }
	tag := func(value, what string) string {
		return call(glob("torch.jit._pickle", "restore_type_tag"), value, str(what))
	}
	inner := glob("__torch__.a.___torch_mangle_1", "Inner")
	for _, k := range []struct {
		name, value string
		names, left []string
	}{
		{"a module", module("Net", dict(str("training"), "\x88", str("w"), one(), str("odd name"), one(), str("mean"), one(), str("pos"), one())),
			[]string{"w", "odd name", "mean"}, []string{"pos"}},
		{"lists and dicts", module("Net", dict(str("w"), one(), str("l"), tag(list(one(), one()), "List[Tensor]"), str("d"), tag(dict(str("k"), one()), "Dict[str, Tensor]"))),
			[]string{"w"}, []string{"l", "d"}},
		{"modules in it", module("Empty", dict(str("0"), module("Net", dict(str("w"), one())), str("1"), newObject(inner, dict(str("b"), one(), str("t"), one())))),
			[]string{"0.w", "1.b"}, []string{"1.t"}},
		{"not a module", module("Net", dict(str("w"), one(), str("p"), module("Plain", dict(str("w"), one())))), []string{"w"}, []string{"p"}},
		{"a version without buffers", module("Older", dict(str("w"), one(), str("b"), one())), []string{"w", "b"}, nil},
		{"a class that is not there", module("Other", dict(str("w"), one(), str("l"), tag(list(one()), "List[Tensor]"))), []string{"w", "l.0"}, nil},
	} {
		b := zipOf(t, zip.Store, member{"m/data.pkl", proto + k.value + "."}, member{"m/data/0", counting(2)}, member{"m/constants.pkl", proto + ")."},
			member{"m/code/__torch__.py", code},
			member{"m/code/__torch__/a/___torch_mangle_1.py", "class Inner(Module):\n  __parameters__ = []\n  __buffers__ = [\"b\", ]\n"})
		cp := openBytes(t, b, nil)
		var names, left []string
		for _, tensor := range cp.Tensors {
			names = append(names, tensor.Name)
		}
		for _, s := range cp.Skipped {
			if s.Tensors > 0 {
				left = append(left, s.Path)
			}
		}
		if !slices.Equal(names, k.names) || !slices.Equal(left, k.left) || cp.Format != FormatScript {
			t.Errorf("%s: %q, without %q", k.name, names, left)
		}
	}
}

// TestScriptFrozen has constants and no parameters.
func TestScriptFrozen(t *testing.T) {
	b := zipOf(t, zip.Store, member{"m/data.pkl", proto + newObject(glob("__torch__", "Empty"), dict(str("training"), "\x89")) + "."},
		member{"m/constants.pkl", proto + tuple(one()) + "."}, member{"m/constants/0", counting(2)}, member{"m/code/__torch__.py", code})
	cp := openBytes(t, b, nil)
	if len(cp.Tensors) > 0 || len(cp.Skipped) == 0 || cp.Skipped[0].Path != "constants" || cp.Skipped[0].Tensors != 1 {
		t.Errorf("%v, without %+v", cp.Tensors, cp.Skipped)
	}
}
