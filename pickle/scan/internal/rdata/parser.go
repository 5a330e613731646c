// Objects and what they contain.

package rdata

import (
	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// The types of objects (SEXPTYPE), and of references to them.
const (
	symSXP     = 1
	listSXP    = 2
	cloSXP     = 3
	envSXP     = 4
	promSXP    = 5
	langSXP    = 6
	specialSXP = 7
	builtinSXP = 8
	charSXP    = 9
	lglSXP     = 10
	intSXP     = 13
	realSXP    = 14
	cplxSXP    = 15
	strSXP     = 16
	dotSXP     = 17
	vecSXP     = 19
	exprSXP    = 20
	bcodeSXP   = 21
	extptrSXP  = 22
	weakrefSXP = 23
	rawSXP     = 24
	s4SXP      = 25

	altrepSXP    = 238
	attrListSXP  = 239
	attrLangSXP  = 240
	baseEnv      = 241
	bcRepRef     = 243
	bcRepDef     = 244
	persistSXP   = 247
	packageSXP   = 248
	namespaceSXP = 249
	nilValue     = 254
	refSXP       = 255
)

// Flags of an object.
const (
	hasAttr = 1 << 9
	hasTag  = 1 << 10
)

// A task is a number of things to read.
type task struct {
	what  what
	n     int64
	inEnv bool // whether they are the values of an environment
}

// A what is what a task reads.
type what uint8

const (
	items     what = iota
	calls          // of bytecode
	constants      // of bytecode
	code           // the code and the constants of bytecode
)

// A parser reads objects without building them.
type parser struct {
	*stream
	*evidence.Report
	todo []task
}

// parse reads all objects.
func (p *parser) parse() error {
	version := p.int()
	p.int() // the version of the writer
	p.int() // the oldest version that can read it
	if version == 3 {
		p.text(int64(p.int())) // the encoding
	}
	const deepest = 100_000
	for p.todo = []task{{items, 1, false}}; len(p.todo) > 0 && p.err == nil; {
		top := &p.todo[len(p.todo)-1]
		if top.n <= 0 {
			p.todo = p.todo[:len(p.todo)-1]
			continue
		}
		top.n--
		t := *top
		if t.n == 0 { // the last one: lists have no depth
			p.todo = p.todo[:len(p.todo)-1]
		}
		if len(p.todo) > deepest {
			return errDeep
		}
		switch t.what {
		case items:
			p.item(t.inEnv)
		case calls:
			p.call(p.int(), t.inEnv)
		case constants:
			p.constant(t.inEnv)
		case code:
			p.code(t.inEnv)
		}
	}
	return p.err
}

// push adds a task, which is done before the others.
func (p *parser) push(w what, n int64, inEnv bool) { p.todo = append(p.todo, task{w, n, inEnv}) }

// item reads an object, except for the objects in it.
func (p *parser) item(inEnv bool) {
	flags := p.int()
	kind := flags & 0xff
	attr := int64(0)
	if flags&hasAttr != 0 && kind < altrepSXP { // in references, the flags are a number
		attr = 1
	}
	switch kind {
	case listSXP, langSXP, cloSXP, promSXP, dotSXP:
		p.pair(kind, flags, attr, inEnv)
		return
	case altrepSXP:
		p.push(items, 3, inEnv)
		return
	case envSXP:
		p.int()
		p.push(items, 4, true)
		return
	}
	if attr > 0 {
		p.push(items, attr, inEnv)
	}
	p.simple(kind, flags, inEnv)
}

// pair reads an object that consists of attributes, a tag and two objects.
func (p *parser) pair(kind, flags int, attr int64, inEnv bool) {
	n := 2 + attr
	if flags&hasTag != 0 {
		n++
	}
	switch {
	case kind == cloSXP:
		p.Find(RuleCode, pickle.Warning, 0, "the data of R contains functions")
	case kind == promSXP && flags&hasTag == 0: // it was evaluated, and is a value
	case kind == promSXP && inEnv:
		p.Find(RuleCode, pickle.Warning, 0,
			"an environment of R contains promises, which run when a function uses the variable")
	case kind == promSXP:
		p.Find(RulePromise, pickle.Error, 0, "the data of R contains a promise, which runs when the value is used")
	}
	p.push(items, n, inEnv)
}

// simple reads an object of another kind.
func (p *parser) simple(kind, flags int, inEnv bool) {
	switch kind {
	case refSXP:
		if flags>>8 == 0 {
			p.int()
		}
	case symSXP:
		p.push(items, 1, inEnv)
	case packageSXP, namespaceSXP, persistSXP:
		p.int()
		p.push(items, p.length(), inEnv)
	case charSXP, specialSXP, builtinSXP:
		if n := p.int(); n > 0 {
			p.text(int64(n))
		}
	case lglSXP, intSXP:
		p.numbers(p.length(), 4)
	case realSXP:
		p.numbers(p.length(), 8)
	case cplxSXP:
		p.numbers(p.length(), 16)
	case rawSXP:
		p.numbers(p.length(), 1)
	case strSXP, vecSXP, exprSXP:
		p.push(items, p.length(), inEnv)
	case bcodeSXP:
		p.Find(RuleCode, pickle.Warning, 0, "the data of R contains bytecode")
		p.int()
		p.push(code, 1, inEnv)
	case extptrSXP:
		p.Find(RuleCode, pickle.Warning, 0, "the data of R contains pointers to memory")
		p.push(items, 2, inEnv)
	case weakrefSXP, s4SXP:
	default:
		if kind != 0 && (kind < baseEnv || kind > nilValue || kind == bcRepRef || kind == bcRepDef) {
			p.fail(errInvalid)
		}
	}
}

// length returns the length of a vector.
func (p *parser) length() int64 {
	n := int64(p.int())
	if n == -1 {
		n = int64(uint32(p.int()))<<32 | int64(uint32(p.int()))
	}
	if n < 0 || n > 1<<48 {
		p.fail(errInvalid)
		return 0
	}
	return n
}

// code reads bytecode: the code, and constants.
func (p *parser) code(inEnv bool) {
	p.push(constants, unknown, inEnv) // their number follows the code
	p.push(items, 1, inEnv)
}

// unknown is the number of constants before it is read.
const unknown = 1 << 62

// constant reads a constant of bytecode, the first time their number.
func (p *parser) constant(inEnv bool) {
	if top := len(p.todo) - 1; top >= 0 && p.todo[top].what == constants && p.todo[top].n == unknown-1 {
		if p.todo[top].n = int64(p.int()); p.todo[top].n < 0 {
			p.fail(errInvalid)
		}
		return
	}
	switch kind := p.int(); kind {
	case bcodeSXP:
		p.push(code, 1, inEnv)
	case langSXP, listSXP, bcRepDef, bcRepRef, attrLangSXP, attrListSXP:
		p.call(kind, inEnv)
	default:
		p.push(items, 1, inEnv)
	}
}

// call reads a call in bytecode.
func (p *parser) call(kind int, inEnv bool) {
	switch kind {
	case bcRepRef:
		p.int()
		return
	case bcRepDef:
		p.int()
		kind = p.int()
	case langSXP, listSXP, attrLangSXP, attrListSXP:
	default:
		p.push(items, 1, inEnv)
		return
	}
	p.push(calls, 2, inEnv)
	p.push(items, 1, inEnv) // the tag
	if kind == attrLangSXP || kind == attrListSXP {
		p.push(items, 1, inEnv)
	}
}
