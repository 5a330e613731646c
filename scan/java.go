// Serialized Java objects: the classes that loading them makes.

package scan

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/weightools/safetensors/pickle"
)

// The bytes of the Java Object Serialization Specification, 6.4.2, that matter here.
const (
	javaMagic     = "\xac\xed\x00"
	javaVersion   = 5
	tcClassDesc   = 0x72 // and a name, eight bytes of a version, flags, and fields
	tcProxyDesc   = 0x7d // and how many interfaces in four bytes, and their names
	tcEndBlock    = 0x78
	tcNull        = 0x70
	javaFieldsMin = 8 + 1 + 2
)

// isJava goes by the magic, and by a version that is not far from the only one.
func isJava(head []byte) bool {
	return len(head) > 4 && string(head[:3]) == javaMagic && head[3] < 16
}

// gadgets are classes, and packages with a dot at the end, that are known to run code
// or to open connections when an object is made of bytes: those of the collection
// ysoserial, and what they are made of.
var gadgets = []string{
	"org.apache.commons.collections.functors.", "org.apache.commons.collections4.functors.",
	"org.apache.commons.collections.keyvalue.TiedMapEntry", "org.apache.commons.collections4.keyvalue.TiedMapEntry",
	"org.apache.commons.collections.map.LazyMap", "org.apache.commons.collections4.map.LazyMap",
	"org.apache.commons.collections.comparators.TransformingComparator", "org.apache.commons.collections4.comparators.TransformingComparator",
	"org.apache.commons.beanutils.BeanComparator", "org.apache.commons.fileupload.disk.DiskFileItem",
	"com.sun.org.apache.xalan.internal.xsltc.trax.TemplatesImpl", "org.apache.xalan.xsltc.trax.TemplatesImpl",
	"javax.management.BadAttributeValueExpException", "sun.reflect.annotation.AnnotationInvocationHandler",
	"java.rmi.", "sun.rmi.", "javax.naming.", "com.sun.jndi.", "com.sun.rowset.JdbcRowSetImpl", "javax.script.", "java.beans.EventHandler",
	"java.lang.ProcessBuilder", "java.lang.Runtime", "java.net.URL", "java.lang.reflect.Proxy", "java.lang.invoke.",
	"org.codehaus.groovy.runtime.", "groovy.util.Expando", "org.springframework.aop.", "org.springframework.beans.factory.", "org.springframework.core.SerializableTypeWrapper",
	"com.mchange.v2.c3p0.", "bsh.", "clojure.", "org.mozilla.javascript.", "org.python.core.", "org.hibernate.", "org.jboss.", "org.apache.wicket.",
	"org.apache.click.", "com.vaadin.", "com.fasterxml.jackson.databind.node.POJONode", "net.sf.json.", "rome.", "com.sun.syndication.feed.", "com.rometools.rome.feed.",
	"org.aspectj.weaver.tools.cache.", "org.apache.myfaces.", "com.alibaba.fastjson.",
}

// plainJava are packages whose classes only hold values.
var plainJava = []string{"java.util.", "java.lang.", "java.math.", "java.time.", "[", "scala.collection.", "scala.Tuple"}

// judgeJava returns what is known of a class.
func judgeJava(class string) (pickle.Verdict, pickle.Rule) {
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimLeft(class, "["), "L"), ";")
	for _, g := range gadgets {
		if name == g || strings.HasSuffix(g, ".") && strings.HasPrefix(name, g) {
			return pickle.Dangerous, RuleJavaGadget
		}
	}
	for _, p := range plainJava {
		if strings.HasPrefix(class, p) {
			return pickle.Safe, pickle.RuleAllowed
		}
	}
	return pickle.Suspicious, pickle.RuleUnknownImport
}

// java looks at serialized Java objects. Every description of a class is found by what
// it begins with, in the stream's structure or out of it: a stream that is damaged, or
// made so, still makes the objects before the damage.
func (p *part) java(head []byte) error {
	p.is("java-serialization")
	p.swept = true // for classes
	p.find(RuleJava, 0, "serialized Java objects: loading makes an object of each class that is named")
	if head[3] != javaVersion {
		p.find(RuleUnsupported, 2, "the version of the stream is %d, and %d is the only one", binary.BigEndian.Uint16(head[2:]), javaVersion)
	}
	search := &javaSearch{part: p, seen: make(map[string]bool)}
	const block, overlap = 64 << 10, 4 << 10
	end := min(p.size, p.mostSearch())
	p.spend(end / 4)
	for at := int64(0); at < end; at += block - overlap {
		b, err := p.at(at, block)
		if err != nil {
			return err
		}
		search.in(b, at)
	}
	if end < p.size {
		p.unscanned(end, "of the objects the first %s were searched for classes", bytesOf(end))
	}
	return nil
}

// A javaSearch is a search for classes in progress.
type javaSearch struct {
	*part
	seen map[string]bool
}

// in looks for descriptions of classes in bytes that begin at off of the part.
func (s *javaSearch) in(b []byte, off int64) {
	for i := 0; i < len(b); i++ {
		at := off + int64(i)
		switch b[i] {
		case tcClassDesc:
			name, rest, ok := javaName(b[i+1:])
			if !ok || len(rest) < javaFieldsMin {
				continue
			}
			s.class(name, at)
			// Without fields, the description ends with the end of its annotations and
			// of what it inherits, and the object's data is due.
			if fields := rest[javaFieldsMin-2:]; bytes.Equal(fields, []byte{0, 0, tcEndBlock, tcNull}) && at+int64(len(b)-i) == s.size {
				s.find(pickle.RuleTruncated, s.size, "the objects end after the description of %s: its data is not there, or it has none", quoted(name))
			}
		case tcProxyDesc:
			s.proxy(b[i+1:], at)
		}
	}
}

// proxy takes the description of a proxy: names of the interfaces that it has.
func (s *javaSearch) proxy(b []byte, at int64) {
	const most = 64
	if len(b) < 4 {
		return
	}
	n := binary.BigEndian.Uint32(b)
	if n == 0 || n > most {
		return
	}
	var names []string
	for b = b[4:]; n > 0; n-- {
		name, rest, ok := javaName(b)
		if !ok {
			return
		}
		names, b = append(names, name), rest
	}
	s.class("java.lang.reflect.Proxy", at)
	for _, name := range names {
		s.class(name, at)
	}
}

// class reports a class, once.
func (s *javaSearch) class(name string, at int64) {
	if s.seen[name] {
		return
	}
	s.seen[name] = true
	verdict, rule := judgeJava(name)
	s.imports(Import{How: "TC_CLASSDESC", Import: pickle.Import{Name: name, ResolvedName: name, Offset: at, Count: 1, Verdict: verdict, Rule: rule}})
	if verdict == pickle.Dangerous {
		s.find(RuleJavaGadget, at, "the class %s is known to run code, or to reach what does, when an object of it is loaded", quoted(name))
	}
}

// javaName reads the name of a class: its length in two bytes, and it. What is not a
// name in the form of a class is none.
func javaName(b []byte) (name string, rest []byte, ok bool) {
	const most = 255
	if len(b) < 2 {
		return "", nil, false
	}
	n := int(binary.BigEndian.Uint16(b))
	if n < 2 || n > most || len(b) < 2+n {
		return "", nil, false
	}
	name = string(b[2 : 2+n])
	dotted := false
	for i, c := range name {
		switch {
		case c == '.' || c == '[' || c == ';':
			dotted = true
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '$', c > 0x7f, '0' <= c && c <= '9' && i > 0:
		default:
			return "", nil, false
		}
	}
	// A class without a package is rare, and chance has short names.
	return name, b[2+n:], dotted || n > 6
}
