// Serialized Java objects: loading creates objects of the classes in them.

package scan

import (
	"encoding/binary"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/java"
)

// java analyzes serialized Java objects.
func (p *part) java(head []byte) error {
	p.is("java-serialization")
	p.swept = true // it is searched for classes
	p.find(RuleJava, 0, "the file contains serialized Java objects: loading creates an object of each class in it")
	if head[3] != java.Version {
		p.find(RuleUnsupported, 2, "the version of the stream is %d; the only known version is %d",
			binary.BigEndian.Uint16(head[2:]), java.Version)
	}
	search := &java.Search{Size: p.size, Class: p.javaClass, Bare: func(name string) {
		p.find(pickle.RuleTruncated, p.size, "the stream ends after the description of the class %s", quoted(name))
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
		p.unscanned(end, "only the first %s of the objects were searched for classes", bytesOf(end))
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
	p.imports(Import{How: "TC_CLASSDESC", Import: pickle.Import{Name: name, ResolvedName: name, Offset: at, Count: 1,
		Verdict: verdict, Rule: rule}})
	if verdict == pickle.Dangerous {
		p.find(RuleJavaGadget, at, "the class %s is known to run code when an object of it is loaded", quoted(name))
	}
}
