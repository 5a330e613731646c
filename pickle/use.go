// Checks that allowed names are called only as their use permits.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/arguments"
	"github.com/weightools/safetensors/pickle/internal/arrays"
	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// checkUse checks a call of an import against its use. For getattr with a constant name, it returns the attribute.
func (m *judge) checkUse(g *global, args heap.Ref) heap.Ref {
	a := m.Value(args)
	switch g.use {
	case names.None:
		m.checkUnknown(g, a)
	case names.Container, names.Plain, names.Value:
		m.checkPlain(g, a)
		m.checkText(g, a)
	case names.Factory:
		m.checkFactory(g, a)
	case names.Sized:
		m.checkPlain(g, a)
		m.checkText(g, a)
		m.checkSizes(g, a)
	case names.Base:
		m.checkCount(g, a, 0, 0)
	case names.Constant, names.Storage:
		m.warn(RuleCallArgs, m.Token.Off, "%s at %d calls %s, which must not be called",
			m.Token.Code, m.Token.Off, g.Label())
	case names.View:
		m.danger(RuleCallArgs, "%s at %d calls %s, which takes the memory of others or opens files",
			m.Token.Code, m.Token.Off, g.Label())
	case names.Typed, names.Rebuild, names.Array:
		m.checkSignature(g, a)
	case names.Tensor:
		m.checkSizes(g, a)
	case names.FromType:
		m.checkFromType(g, a)
	case names.Reconstructor, names.NewObj, names.NewObjEx:
		m.checkMaker(g, a)
	case names.Encode:
		m.checkEncode(g, a)
	case names.GetAttr:
		return m.checkGetAttr(g, a)
	case names.Partial:
		m.checkPartial(g, a)
	case names.LoadBytes:
		m.checkLoadBytes(g, a)
	case names.TypeOf:
		m.checkTypeOf(g, a)
	case names.Subscript:
		m.checkSubscript(g, a)
	case names.Ufunc:
		return m.checkUfunc(g, a)
	case names.DillArray:
		m.checkDillArray(g, a)
	case names.DillType:
		return m.checkDillType(g, a)
	}
	return heap.Unknown
}

// wrong reports arguments that the use does not permit.
func (m *judge) wrong(rule Rule, g *global, what string) {
	m.warn(rule, m.Token.Off, "%s at %d calls %s with %s", m.Token.Code, m.Token.Off, g.Label(), what)
}

// checkUnknown checks a call of a name that is not on the allow list.
func (m *judge) checkUnknown(g *global, args heap.Value) {
	if g.Verdict == Safe {
		return // the user allows it
	}
	if g.Rule == RuleAttribute {
		m.checkDunderStrings(args.Ref)
	}
	m.load(args)
}

// checkPlain checks that arguments are values and not functions.
func (m *judge) checkPlain(g *global, args heap.Value) {
	for arg := range m.look(args).Items() {
		if f := m.imported(arg); f != nil && f.Verdict != Safe {
			m.warn(RuleCallableArg, m.Token.Off, "%s at %d passes %s to %s",
				m.Token.Code, m.Token.Off, f.Label(), g.Label())
		}
		if c, ok := arg.Called(); ok && c.Callee().Kind() == heap.KindGlobal {
			m.checkRange(g, c)
		}
	}
}

// checkText checks strings that control how others are parsed: the encoding of str, bytes and bytearray, and the
// exponent of a fraction, which Python expands.
func (m *judge) checkText(g *global, args heap.Value) {
	switch g.full {
	case "builtins.str", "builtins.bytes", "builtins.bytearray":
		encoding, _ := args.Item(1).Str()
		if args.Len() > 1 && !arguments.Encodings[encoding] {
			m.wrong(RuleCallArgs, g, m.summary(args.Ref))
		}
	case "fractions.Fraction":
		if s, _ := args.Item(0).Str(); strings.ContainsAny(s, "eE") {
			m.wrong(RuleResource, g, m.summary(args.Ref))
		}
	}
}

// checkSizes checks numbers that are used as sizes.
func (m *judge) checkSizes(g *global, args heap.Value) {
	for arg := range m.look(args).Items() {
		if arguments.IsLarge(arg) && g.full != "builtins.range" {
			m.wrong(RuleResource, g, "the size "+m.summary(arg.Ref))
		}
		if c, ok := arg.Called(); ok {
			m.checkRange(g, c)
		}
	}
}

// checkRange checks a range that is converted to a container of all its items.
func (m *judge) checkRange(g *global, c heap.Result) {
	f := m.imported(c.Callee())
	if f == nil || f.full != "builtins.range" {
		return
	}
	for arg := range m.look(c.Args()).Items() {
		if arguments.IsFar(arg) {
			m.wrong(RuleResource, g, "a range up to "+m.summary(arg.Ref))
		}
	}
}

// checkFactory checks the function that a defaultdict calls for missing items.
func (m *judge) checkFactory(g *global, args heap.Value) {
	f := args.Item(0)
	made := m.imported(f)
	switch {
	case args.Len() == 0 || f.IsNone():
	case made != nil && made.Verdict == Safe && (made.ResolvedModule == "builtins" || made.use == names.Container):
	case made != nil && made.Verdict != Dangerous:
		m.warn(RuleCallableArg, m.Token.Off, "%s at %d makes %s call %s",
			m.Token.Code, m.Token.Off, g.Label(), made.Label())
	case m.isPartial(f):
		m.warn(RuleCallableArg, m.Token.Off, "%s at %d makes %s call %s",
			m.Token.Code, m.Token.Off, g.Label(), m.summary(f.Ref))
	default:
		m.danger(RuleCallableArg, "%s at %d makes %s call %s", m.Token.Code, m.Token.Off, g.Label(), m.summary(f.Ref))
	}
}

// checkCount checks the number of arguments.
func (m *judge) checkCount(g *global, args heap.Value, least, most int) bool {
	if n := int(args.Len()); args.Kind() != heap.KindTuple || n < least || n > most {
		m.warn(RuleType, m.Token.Off, "%s at %d calls %s with %d arguments", m.Token.Code, m.Token.Off, g.Label(), n)
		return false
	}
	return true
}

// checkSignature checks the number and types of arguments. The letters of a signature are S storage, T tensor, i int,
// b bool, I ints, t str, D dtype, g import, s state, a anything. Arguments after | are optional.
func (m *judge) checkSignature(g *global, args heap.Value) {
	if arrays.Unchecked(g.full, args) {
		m.wrong(RuleCallArgs, g, "arrays of positions, which nothing checks")
	}
	letters := g.letters
	if !m.checkCount(g, args, g.least, len(letters)) {
		return
	}
	for i, arg := range m.ItemsOf(m.look(args).Ref) {
		if letters[i] == 's' {
			m.checkDunderKeys(arg)
		}
		if !arguments.Fits(letters[i], m.Value(arg), m.look) {
			m.warn(RuleType, m.Token.Off, "%s at %d passes %s, a %s, to %s as argument %d",
				m.Token.Code, m.Token.Off, m.summary(arg), m.At(arg).Kind, g.Label(), i+1)
		}
	}
	if i := strings.IndexByte(letters, 'I'); i >= 0 && g.use == names.Array {
		m.checkShape(g, args.Item(i))
	}
}

// checkShape checks the shape of an array that is created without data.
func (m *judge) checkShape(g *global, shape heap.Value) {
	if arguments.IsLargeShape(shape, m.look) {
		m.wrong(RuleResource, g, "the shape "+m.summary(shape.Ref))
	}
}

// checkFromType checks a call of a function that calls its first argument with the third, converts the result to the
// type in the second, and sets the fourth as its state.
func (m *judge) checkFromType(g *global, args heap.Value) {
	if !m.checkCount(g, args, 3, 4) {
		return
	}
	f := m.imported(args.Item(0))
	if f == nil || f.Verdict != Safe || f.use != names.Rebuild {
		m.danger(RuleCallableArg, "%s at %d makes %s call %s",
			m.Token.Code, m.Token.Off, g.Label(), m.summary(args.Item(0).Ref))
		return
	}
	f.Called = true
	m.checkSignature(f, args.Item(2))
	if !isTensorType(m.imported(args.Item(1))) {
		m.danger(RuleCallableArg, "%s at %d converts a tensor to %s",
			m.Token.Code, m.Token.Off, m.summary(args.Item(1).Ref))
	}
	m.checkDunderKeys(args.Item(3).Ref)
}

// isTensorType reports whether a tensor may be converted to the type g.
func isTensorType(g *global) bool {
	if g == nil || g.Verdict == Dangerous {
		return false
	}
	return g.Verdict != Safe || g.use == names.Tensor || g.use.Free()
}

// checkMaker checks a call of a function that creates an object of the class in its first argument. The class is
// checked as if it were called with the other arguments.
func (m *judge) checkMaker(g *global, args heap.Value) {
	class := m.imported(args.Item(0))
	if class == nil || class.Verdict == Dangerous {
		m.danger(RuleCallableArg, "%s at %d makes %s call %s",
			m.Token.Code, m.Token.Off, g.Label(), m.summary(args.Item(0).Ref))
		return
	}
	class.Called = true
	if class.use == names.Array {
		m.corrupts("%s at %d makes %s create %s, which NumPy does not do", m.Token.Code, m.Token.Off, g.Label(),
			class.Label())
	}
	switch g.use {
	case names.NewObj:
		m.checkUse(class, m.AddTuple(heap.KindTuple, m.ItemsOf(m.look(args).Ref)[1:]))
	case names.NewObjEx:
		m.checkUse(class, args.Item(1).Ref)
		m.checkKwargs(class, args.Item(2).Ref)
	default:
		if base := m.imported(args.Item(1)); base == nil || base.ResolvedModule != "builtins" || base.Verdict != Safe {
			m.wrong(RuleCallArgs, g, "the base "+m.summary(args.Item(1).Ref))
		}
		m.checkSizes(g, args)
	}
}

// checkKwargs checks keyword arguments. Picklers do not write them for allowed names, except for classes in a profile.
func (m *judge) checkKwargs(g *global, kwargs heap.Ref) {
	n := m.At(kwargs)
	if g.Verdict == Safe && !g.use.Free() && n.Kind == heap.KindDict && n.N > 0 {
		m.wrong(RuleCallArgs, g, "keyword arguments")
	}
}

// checkEncode checks _codecs.encode, which picklers use for bytes in protocols below 3. Other codecs decompress, or
// decode binary data.
func (m *judge) checkEncode(g *global, args heap.Value) {
	encoding, _ := args.Item(1).Str()
	if args.Len() != 2 || args.Item(0).Kind() != heap.KindStr || !arguments.Encodings[encoding] {
		m.wrong(RuleCallArgs, g, m.summary(args.Ref))
	}
}
