// Serialized Java objects: loading makes objects of the classes that they name.

package scan

import (
	"encoding/binary"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/java"
)

// java looks at serialized Java objects.
func (p *part) java(head []byte) error {
	p.is("java-serialization")
	p.swept = true // for classes
	p.find(RuleJava, 0, "serialized Java objects: loading makes an object of each class that is named")
	if head[3] != java.Version {
		p.find(RuleUnsupported, 2, "the version of the stream is %d, and %d is the only one", binary.BigEndian.Uint16(head[2:]), java.Version)
	}
	search := &java.Search{Size: p.size, Class: p.javaClass, Bare: func(name string) {
		p.find(pickle.RuleTruncated, p.size, "the objects end after the description of %s: its data is not there, or it has none", quoted(name))
	}}
	const block, overlap = 64 << 10, 4 << 10
	end := min(p.size, p.mostSearch())
	p.spend(end / 4)
	for at := int64(0); at < end; at += block - overlap {
		b, err := p.at(at, block)
		if err != nil {
			return err
		}
		search.In(b, at)
	}
	if end < p.size {
		p.unscanned(end, "of the objects the first %s were searched for classes", bytesOf(end))
	}
	return nil
}

// javaClass reports a class.
func (p *part) javaClass(name string, at int64) {
	verdict, rule := pickle.Suspicious, pickle.RuleUnknownImport
	switch java.Of(name) {
	case java.Gadget:
		verdict, rule = pickle.Dangerous, RuleJavaGadget
	case java.Plain:
		verdict, rule = pickle.Safe, pickle.RuleAllowed
	}
	p.imports(Import{How: "TC_CLASSDESC", Import: pickle.Import{Name: name, ResolvedName: name, Offset: at, Count: 1, Verdict: verdict, Rule: rule}})
	if verdict == pickle.Dangerous {
		p.find(RuleJavaGadget, at, "the class %s is known to run code, or to reach what does, when an object of it is loaded", quoted(name))
	}
}
