// Uses: whether an allowed name is called as it is allowed to be.

package pickle

import (
	"strings"

	"github.com/weightools/safetensors/pickle/internal/heap"
	"github.com/weightools/safetensors/pickle/internal/names"
)

// checkUse judges a call of an import by what its use allows. For getattr of a
// constant name, it returns what that names.
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
		m.warn(RuleCallArgs, m.Token.Off, "the %s at %d calls %s, which is to be named, not called", m.Token.Code, m.Token.Off, g.Label())
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
	}
	return heap.Unknown
}

// wrong notes arguments that the name is not allowed for.
func (m *judge) wrong(rule Rule, g *global, what string) {
	m.warn(rule, m.Token.Off, "the %s at %d calls %s with %s", m.Token.Code, m.Token.Off, g.Label(), what)
}

// checkUnknown judges a call of what is not allowed anyway.
func (m *judge) checkUnknown(g *global, args heap.Value) {
	if g.Verdict == Safe {
		return // a user allows it
	}
	if g.full == "builtins.type" && args.Len() == 3 {
		m.danger(RuleDynamicClass, "the %s at %d makes a class", m.Token.Code, m.Token.Off)
	}
	if g.Rule == RuleAttribute {
		m.checkDunderStrings(args.Ref)
	}
	m.load(args)
}

// imported returns the import that v is, nil if it is none.
func (m *judge) imported(v heap.Value) *global {
	if n := m.At(v.Ref); n.Kind == heap.KindGlobal {
		return m.NameOf(n).(*global)
	}
	return nil
}

// checkPlain judges arguments that are to be values, and not functions.
func (m *judge) checkPlain(g *global, args heap.Value) {
	for arg := range m.look(args).Items() {
		if f := m.imported(arg); f != nil && f.Verdict != Safe {
			m.warn(RuleCallableArg, m.Token.Off, "the %s at %d gives %s to %s", m.Token.Code, m.Token.Off, f.Label(), g.Label())
		}
		if c, ok := arg.Called(); ok && c.Callee().Kind() == heap.KindGlobal {
			m.checkRange(g, c)
		}
	}
}

// checkText judges strings that say how others are read: the encoding of str, bytes
// and bytearray, and the exponent of a fraction, which Python works out in full.
func (m *judge) checkText(g *global, args heap.Value) {
	switch g.full {
	case "builtins.str", "builtins.bytes", "builtins.bytearray":
		encoding, _ := args.Item(1).Str()
		if args.Len() > 1 && !encodings[encoding] {
			m.wrong(RuleCallArgs, g, m.summary(args.Ref))
		}
	case "fractions.Fraction":
		if s, _ := args.Item(0).Str(); strings.ContainsAny(s, "eE") {
			m.wrong(RuleResource, g, m.summary(args.Ref))
		}
	}
}

// checkDtype judges the state of a NumPy dtype. One bit of it says whether elements
// hold pointers to objects. A dtype that lies about it makes NumPy follow pointers
// that the pickle has made up.
func (m *judge) checkDtype(args, state heap.Value) {
	code, _ := args.Item(0).Str()
	flags, ok := state.Item(7).Int()
	if !ok {
		return // of an old version, which works it out
	}
	code = strings.TrimLeft(code, "<>|=")
	holds := strings.HasPrefix(code, "O")
	for _, field := range m.look(state.Item(4)).Pairs() {
		if c, ok := field.Item(0).Called(); ok {
			inner, _ := c.State()
			bits, _ := inner.Item(7).Int()
			name, _ := c.Args().Item(0).Str()
			holds = holds || bits&1 != 0 || strings.HasPrefix(strings.TrimLeft(name, "<>|="), "O")
		}
	}
	if holds != (flags&1 != 0) && (code != "" && code[0] != 'V' || holds) {
		m.warn(RuleBuildState, m.Token.Off, "the BUILD at %d says otherwise than the dtype whether its elements are objects", m.Token.Off)
	}
}

// maxSize is how many bytes or items a name that is allowed may make out of a
// number that the pickle says.
const maxSize = 1 << 28

// checkSizes judges numbers that become sizes.
func (m *judge) checkSizes(g *global, args heap.Value) {
	for arg := range m.look(args).Items() {
		if n, ok := arg.Int(); arg.Kind() == heap.KindInt && (!ok || n > maxSize) && g.full != "builtins.range" {
			m.wrong(RuleResource, g, "the size "+m.summary(arg.Ref))
		}
		if c, ok := arg.Called(); ok {
			m.checkRange(g, c)
		}
	}
}

// checkRange judges a range that is made into what holds all its items.
func (m *judge) checkRange(g *global, c heap.Result) {
	f := m.imported(c.Callee())
	if f == nil || f.full != "builtins.range" {
		return
	}
	for arg := range m.look(c.Args()).Items() {
		if n, ok := arg.Int(); arg.Kind() == heap.KindInt && (!ok || n > maxSize || n < -maxSize) {
			m.wrong(RuleResource, g, "a range up to "+m.summary(arg.Ref))
		}
	}
}

// checkFactory judges the function that a defaultdict calls for what is missing.
func (m *judge) checkFactory(g *global, args heap.Value) {
	f := args.Item(0)
	made := m.imported(f)
	switch {
	case args.Len() == 0 || f.IsNone():
	case made != nil && made.ResolvedModule == "builtins" && made.Verdict == Safe:
	case made != nil && made.Verdict != Dangerous:
		m.warn(RuleCallableArg, m.Token.Off, "the %s at %d makes %s call %s", m.Token.Code, m.Token.Off, g.Label(), made.Label())
	default:
		m.danger(RuleCallableArg, "the %s at %d makes %s call %s", m.Token.Code, m.Token.Off, g.Label(), m.summary(f.Ref))
	}
}

// checkCount judges how many arguments there are.
func (m *judge) checkCount(g *global, args heap.Value, least, most int) bool {
	if n := int(args.Len()); args.Kind() != heap.KindTuple || n < least || n > most {
		m.warn(RuleType, m.Token.Off, "the %s at %d calls %s with %d arguments", m.Token.Code, m.Token.Off, g.Label(), n)
		return false
	}
	return true
}

// checkSignature judges arguments by their number and kinds. The letters of a
// signature: S storage, T tensor, i int, b bool, I ints, t str, D dtype, g import,
// s state, a anything. What follows | may be missing.
func (m *judge) checkSignature(g *global, args heap.Value) {
	letters := g.letters
	if !m.checkCount(g, args, g.least, len(letters)) {
		return
	}
	for i, arg := range m.ItemsOf(m.look(args).Ref) {
		if !m.fits(letters[i], m.Value(arg)) {
			m.warn(RuleType, m.Token.Off, "argument %d of the %s of %s at %d is %s, a %s", i+1, m.Token.Code, g.Label(), m.Token.Off, m.summary(arg), m.At(arg).Kind)
		}
	}
	if i := strings.IndexByte(letters, 'I'); i >= 0 && g.use == names.Array {
		m.checkShape(g, args.Item(i))
	}
}

// fits is whether an argument is what a letter of a signature says.
func (m *judge) fits(letter byte, arg heap.Value) bool {
	k := arg.Kind()
	switch letter {
	case 'S':
		return k == heap.KindPersistent || k == heap.KindCall
	case 'T':
		return k == heap.KindCall
	case 'i':
		return k == heap.KindInt
	case 'b':
		return k == heap.KindBool
	case 't':
		return k == heap.KindStr
	case 'D', 'g':
		return k == heap.KindGlobal
	case 'I':
		return m.areInts(arg)
	case 's':
		m.checkDunderKeys(arg.Ref)
	}
	return true
}

// areInts is whether v is a tuple or list of ints, or a torch.Size of them.
func (m *judge) areInts(v heap.Value) bool {
	if c, ok := v.Called(); ok {
		f := m.imported(c.Callee())
		return f != nil && f.full == "torch.Size"
	}
	if v.Kind() == heap.KindTuple {
		for _, item := range m.ItemsOf(m.look(v).Ref) {
			if !m.Is(item, heap.KindInt) {
				return false
			}
		}
		return true
	}
	for item := range m.look(v).Items() {
		if item.Kind() != heap.KindInt {
			return false
		}
	}
	return v.Kind() == heap.KindList
}

// checkShape judges the shape of an array that is made without its data.
func (m *judge) checkShape(g *global, shape heap.Value) {
	total := int64(1)
	for item := range m.look(shape).Items() {
		n, ok := item.Int()
		if !ok || n > maxSize || total > maxSize {
			m.wrong(RuleResource, g, "the shape "+m.summary(shape.Ref))
			return
		}
		total *= max(n, 1)
	}
}

// checkFromType judges a call of a function that calls its first argument with
// the third, makes the result what the second says, and sets the fourth as its
// state.
func (m *judge) checkFromType(g *global, args heap.Value) {
	if !m.checkCount(g, args, 3, 4) {
		return
	}
	f := m.imported(args.Item(0))
	if f == nil || f.Verdict != Safe || f.use != names.Rebuild {
		m.danger(RuleCallableArg, "the %s at %d makes %s call %s", m.Token.Code, m.Token.Off, g.Label(), m.summary(args.Item(0).Ref))
		return
	}
	f.Called = true
	m.checkSignature(f, args.Item(2))
	if t := m.imported(args.Item(1)); t == nil || t.Verdict == Dangerous || t.Verdict == Safe && t.use != names.Tensor && t.use != names.None && t.use != names.Class {
		m.danger(RuleCallableArg, "the %s at %d makes a tensor a %s", m.Token.Code, m.Token.Off, m.summary(args.Item(1).Ref))
	}
	m.checkDunderKeys(args.Item(3).Ref)
}

// checkMaker judges a call of a function that makes an object of the class that
// is its first argument. What it gives to the class is judged as if the class were
// called with it.
func (m *judge) checkMaker(g *global, args heap.Value) {
	class := m.imported(args.Item(0))
	if class == nil || class.Verdict == Dangerous {
		m.danger(RuleCallableArg, "the %s at %d makes %s call %s", m.Token.Code, m.Token.Off, g.Label(), m.summary(args.Item(0).Ref))
		return
	}
	class.Called = true
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

// checkKwargs judges arguments by name, which no pickler writes for what is
// allowed, but for the classes of a profile.
func (m *judge) checkKwargs(g *global, kwargs heap.Ref) {
	if n := m.At(kwargs); g.Verdict == Safe && g.use != names.Class && g.use != names.None && n.Kind == heap.KindDict && n.N > 0 {
		m.wrong(RuleCallArgs, g, "arguments by name")
	}
}

// encodings are those that Python's own pickler uses for bytes in old protocols,
// and their other names.
var encodings = map[string]bool{"latin1": true, "latin-1": true, "iso-8859-1": true, "utf-8": true, "ascii": true}

// checkEncode judges _codecs.encode, which picklers write for bytes in protocols
// below 3. Other codecs decompress, and decode what is not text.
func (m *judge) checkEncode(g *global, args heap.Value) {
	encoding, _ := args.Item(1).Str()
	if args.Len() != 2 || args.Item(0).Kind() != heap.KindStr || !encodings[encoding] {
		m.wrong(RuleCallArgs, g, m.summary(args.Ref))
	}
}
