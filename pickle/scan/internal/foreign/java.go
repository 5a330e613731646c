// Serialized Java objects: loading creates objects of the classes in them.

package foreign

import (
	"encoding/binary"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/java"
	"github.com/weightools/safetensors/pickle/scan/internal/kinds"
)

// The rules about serialized Java objects.
const (
	RuleJava       pickle.Rule = "java-serialization"
	RuleJavaGadget pickle.Rule = "java-gadget"
)

// Java analyzes serialized Java objects.
func (p *Part) Java(head []byte) error {
	p.Is("java-serialization")
	p.Swept() // it is searched for classes
	p.Find(RuleJava, 0, "the file contains serialized Java objects: loading creates an object of each class in it")
	if head[3] != java.Version {
		p.Find(kinds.Unsupported, 2, "the version of the stream is %d; the only known version is %d",
			binary.BigEndian.Uint16(head[2:]), java.Version)
	}
	search := &java.Search{Size: p.Size, Class: p.javaClass, Bare: func(name string) {
		p.Find(pickle.RuleTruncated, p.Size, "the stream ends after the description of the class %s", quoted(name))
	}}
	const block, overlap = 64 << 10, 4 << 10
	end := min(p.Size, p.Most)
	p.Spend(end / 4)
	for at := int64(0); at < end; at += block - overlap {
		b, err := p.At(at, block)
		if err != nil {
			return err
		}
		search.In(b, at)
	}
	if end < p.Size {
		p.Unscanned(end, "only the first %s of the objects were searched for classes", bytesOf(end))
	}
	return nil
}

// javaClass reports a class.
func (p *Part) javaClass(name string, at int64) {
	verdict, rule := pickle.Suspicious, pickle.RuleUnknownImport
	switch java.Of(name) {
	case java.Gadget:
		verdict, rule = pickle.Dangerous, RuleJavaGadget
	case java.Plain:
		verdict, rule = pickle.Safe, pickle.RuleAllowed
	}
	p.Import("TC_CLASSDESC", pickle.Import{Name: name, ResolvedName: name, Offset: at, Count: 1,
		Verdict: verdict, Rule: rule})
	if verdict == pickle.Dangerous {
		p.Find(RuleJavaGadget, at, "the class %s is known to run code when an object of it is loaded", quoted(name))
	}
}
