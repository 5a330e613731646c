// The grammar: parser.py of PyYAML, state by state.

package yaml

// A state says what the parser expects.
type state uint8

// The states of the parser.
const (
	stateEnd state = iota
	stateFirstDocument
	stateDocument
	stateDocumentContent
	stateDocumentEnd
	stateBlockNode
	stateSequenceEntry
	stateIndentlessEntry
	stateMappingKey
	stateMappingValue
	stateFlowSequenceFirst
	stateFlowSequenceEntry
	stateFlowPairKey
	stateFlowPairValue
	stateFlowPairEnd
	stateFlowMappingFirst
	stateFlowMappingKey
	stateFlowMappingValue
	stateFlowMappingEmpty
)

// A parser reports the nodes of a text.
type parser struct {
	scanner
	visit   Visitor
	state   state
	states  []state
	depth   int
	handles map[string]string
}

// step reads the next node, or what separates nodes.
func (p *parser) step() {
	switch p.state {
	case stateFirstDocument:
		if p.is(yamlDirective, tagDirective, otherDirective, documentStart, streamEnd) {
			p.state = stateDocument
			return
		}
		p.handles = Handles()
		p.states = append(p.states, stateDocumentEnd)
		p.state = stateBlockNode
	case stateDocument:
		p.document()
	case stateDocumentContent:
		p.orEmpty(p.is(yamlDirective, tagDirective, otherDirective, documentStart, documentEnd, streamEnd), blockNode)
	case stateDocumentEnd:
		if p.is(documentEnd) {
			p.next()
		}
		if p.err == nil {
			p.visit.End()
		}
		p.state = stateDocument
	case stateBlockNode:
		p.node(blockNode)
	case stateSequenceEntry, stateIndentlessEntry:
		p.sequenceEntry()
	case stateMappingKey:
		p.mappingKey()
	case stateMappingValue:
		p.mappingValue()
	case stateFlowSequenceFirst, stateFlowSequenceEntry:
		p.flowSequenceEntry()
	case stateFlowPairKey:
		p.next()
		p.then(stateFlowPairValue, p.is(valueToken, flowEntry, flowSequenceEnd), flowNode)
	case stateFlowPairValue:
		p.flowValue(stateFlowPairEnd, flowSequenceEnd)
	case stateFlowPairEnd:
		p.state = stateFlowSequenceEntry
		p.close()
	case stateFlowMappingFirst, stateFlowMappingKey:
		p.flowMappingKey()
	case stateFlowMappingValue:
		p.flowValue(stateFlowMappingKey, flowMappingEnd)
	case stateFlowMappingEmpty:
		p.state = stateFlowMappingKey
		p.empty()
	}
}

// document reads what is between documents.
func (p *parser) document() {
	for p.is(documentEnd) {
		p.next()
	}
	if p.is(streamEnd) {
		p.state = stateEnd
		return
	}
	p.directives()
	if !p.is(documentStart) {
		p.fail(p.peekToken().at, "a document does not begin with ---")
		return
	}
	p.next()
	p.states = append(p.states, stateDocumentEnd)
	p.state = stateDocumentContent
}

// directives reads the directives of a document.
func (p *parser) directives() {
	p.handles = make(map[string]string)
	version := false
	for p.is(yamlDirective, tagDirective, otherDirective) {
		t := p.next()
		switch t.kind {
		case yamlDirective:
			if version || string(t.text) != "1" {
				p.fail(t.at, "the version of YAML is not 1")
			}
			version = true
		case tagDirective:
			const most = 10_000 // handles
			if _, ok := p.handles[t.handle]; ok || len(p.handles) == most {
				p.fail(t.at, "a tag handle is declared twice")
			}
			p.handles[t.handle] = string(t.text)
		}
	}
	for handle, prefix := range Handles() {
		if _, ok := p.handles[handle]; !ok {
			p.handles[handle] = prefix
		}
	}
}

// pop returns to the state that waits for the end of a node.
func (p *parser) pop() {
	p.state = p.states[len(p.states)-1]
	p.states = p.states[:len(p.states)-1]
}

// empty reports a scalar that is not written.
func (p *parser) empty() {
	if p.err == nil {
		p.visit.Scalar(Node{Plain: true, At: int64(p.peekToken().at)})
	}
}

// close ends a collection.
func (p *parser) close() {
	p.depth--
	if p.err == nil {
		p.visit.Close()
	}
}

// A form says which nodes are possible.
type form uint8

// The forms of nodes.
const (
	flowNode form = iota
	blockNode
	blockOrIndentless
)

// orEmpty reads a node, after which the parser returns, or reports an empty scalar.
func (p *parser) orEmpty(empty bool, f form) {
	if empty {
		p.empty()
		p.pop()
		return
	}
	p.node(f)
}

// then reads a node or reports an empty scalar, after which the parser is in state s.
func (p *parser) then(s state, empty bool, f form) {
	if empty {
		p.state = s
		p.empty()
		return
	}
	p.states = append(p.states, s)
	p.node(f)
}

// node reads a node with its tag and its anchor.
func (p *parser) node(f form) {
	n := Node{At: int64(p.peekToken().at)}
	if p.is(aliasToken) {
		n.Value = p.next().text
		p.pop()
		p.visit.Alias(n)
		return
	}
	tagged, anchored := false, false
	for range 2 {
		switch {
		case p.is(anchorToken) && !anchored:
			n.Anchor, anchored = string(p.next().text), true
		case p.is(tagToken) && !tagged:
			t := p.next()
			prefix, known := p.handles[t.handle]
			if t.handle != "" && !known {
				p.fail(t.at, "the tag handle %q is not declared", t.handle)
			}
			n.Tag, tagged = prefix+string(t.text), true
		}
	}
	switch {
	case f == blockOrIndentless && p.is(blockEntry):
		p.open(n, false, stateIndentlessEntry)
	case p.is(scalarToken):
		t := p.next()
		n.Value, n.Plain = t.text, t.plain
		p.pop()
		p.visit.Scalar(n)
	case p.is(flowSequence):
		p.next()
		p.open(n, false, stateFlowSequenceFirst)
	case p.is(flowMapping):
		p.next()
		p.open(n, true, stateFlowMappingFirst)
	case f != flowNode && p.is(blockSequence):
		p.next()
		p.open(n, false, stateSequenceEntry)
	case f != flowNode && p.is(blockMapping):
		p.next()
		p.open(n, true, stateMappingKey)
	case p.err != nil:
	case tagged || anchored:
		n.Plain = true
		p.pop()
		p.visit.Scalar(n)
	default:
		p.fail(p.peekToken().at, "a node is missing")
	}
}

// open begins a collection.
func (p *parser) open(n Node, mapping bool, s state) {
	if p.depth++; p.depth > MaxDepth {
		p.fail(int(n.At), "collections are nested deeper than %d levels", MaxDepth)
		return
	}
	p.state = s
	p.visit.Open(mapping, n)
}

// Parse parses a text in UTF-8. The error is nil or an *Error; the visitor has received the
// nodes before it.
func Parse(text []byte, v Visitor) error {
	p := &parser{scanner: scanner{text: text, indent: -1, allowKey: true}, visit: v, state: stateFirstDocument}
	for p.state != stateEnd && p.err == nil {
		p.step()
	}
	if p.err != nil {
		return p.err
	}
	return nil
}
