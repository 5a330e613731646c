// Sequences and mappings, in blocks and in brackets.

package yaml

// sequenceEntry reads an entry of a sequence, or its end. A sequence may have the
// indentation of the key before it.
func (p *parser) sequenceEntry() {
	s := p.state
	if p.is(blockEntry) {
		p.next()
		empty := p.is(blockEntry, blockEnd)
		if s == stateIndentlessEntry {
			empty = p.is(blockEntry, keyToken, valueToken, blockEnd)
		}
		p.then(s, empty, blockNode)
		return
	}
	if s == stateSequenceEntry {
		if !p.is(blockEnd) {
			p.fail(p.peekToken().at, "a sequence does not end where its block ends")
			return
		}
		p.next()
	}
	p.pop()
	p.close()
}

// mappingKey reads a key, or the end of a mapping.
func (p *parser) mappingKey() {
	if p.is(keyToken) {
		p.next()
		p.then(stateMappingValue, p.is(keyToken, valueToken, blockEnd), blockOrIndentless)
		return
	}
	if !p.is(blockEnd) {
		p.fail(p.peekToken().at, "a mapping does not end where its block ends")
		return
	}
	p.next()
	p.pop()
	p.close()
}

// mappingValue reads a value.
func (p *parser) mappingValue() {
	empty := true
	if p.is(valueToken) {
		p.next()
		empty = p.is(keyToken, valueToken, blockEnd)
	}
	p.then(stateMappingKey, empty, blockOrIndentless)
}

// flowSequenceEntry reads an entry of a sequence in brackets, or its end.
func (p *parser) flowSequenceEntry() {
	if !p.is(flowSequenceEnd) {
		if p.state != stateFlowSequenceFirst {
			if !p.is(flowEntry) {
				p.fail(p.peekToken().at, "a sequence has no comma or bracket where one is needed")
				return
			}
			p.next()
		}
		if p.is(keyToken) {
			p.open(Node{At: int64(p.peekToken().at)}, true, stateFlowPairKey)
			return
		}
		if !p.is(flowSequenceEnd) {
			p.states = append(p.states, stateFlowSequenceEntry)
			p.node(flowNode)
			return
		}
	}
	p.next()
	p.pop()
	p.close()
}

// flowMappingKey reads a key in braces, or the end of the mapping.
func (p *parser) flowMappingKey() {
	if !p.is(flowMappingEnd) {
		if p.state != stateFlowMappingFirst {
			if !p.is(flowEntry) {
				p.fail(p.peekToken().at, "a mapping has no comma or brace where one is needed")
				return
			}
			p.next()
		}
		if p.is(keyToken) {
			p.next()
			p.then(stateFlowMappingValue, p.is(valueToken, flowEntry, flowMappingEnd), flowNode)
			return
		}
		if !p.is(flowMappingEnd) {
			p.states = append(p.states, stateFlowMappingEmpty)
			p.node(flowNode)
			return
		}
	}
	p.next()
	p.pop()
	p.close()
}

// flowValue reads a value in brackets or braces, after which the parser is in state s.
func (p *parser) flowValue(s state, end kind) {
	empty := true
	if p.is(valueToken) {
		p.next()
		empty = p.is(flowEntry, end)
	}
	p.then(s, empty, flowNode)
}
