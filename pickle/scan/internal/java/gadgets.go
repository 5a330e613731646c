// Known classes.

package java

import "strings"

// gadgets are classes and, with a dot at the end, packages that are known to run code or open
// connections when an object is deserialized: the classes that ysoserial uses.
var gadgets = []string{
	"org.apache.commons.collections.functors.", "org.apache.commons.collections4.functors.",
	"org.apache.commons.collections.keyvalue.TiedMapEntry", "org.apache.commons.collections4.keyvalue.TiedMapEntry",
	"org.apache.commons.collections.map.LazyMap", "org.apache.commons.collections4.map.LazyMap",
	"org.apache.commons.collections.comparators.TransformingComparator",
	"org.apache.commons.collections4.comparators.TransformingComparator",
	"org.apache.commons.beanutils.BeanComparator", "org.apache.commons.fileupload.disk.DiskFileItem",
	"com.sun.org.apache.xalan.internal.xsltc.trax.TemplatesImpl", "org.apache.xalan.xsltc.trax.TemplatesImpl",
	"javax.management.BadAttributeValueExpException", "sun.reflect.annotation.AnnotationInvocationHandler",
	"java.rmi.", "sun.rmi.", "javax.naming.", "com.sun.jndi.", "com.sun.rowset.JdbcRowSetImpl", "javax.script.",
	"java.beans.EventHandler",
	"java.lang.ProcessBuilder", "java.lang.Runtime", "java.net.URL", "java.lang.reflect.Proxy", "java.lang.invoke.",
	"org.codehaus.groovy.runtime.", "groovy.util.Expando", "org.springframework.aop.",
	"org.springframework.beans.factory.", "org.springframework.core.SerializableTypeWrapper",
	"com.mchange.v2.c3p0.", "bsh.", "clojure.", "org.mozilla.javascript.", "org.python.core.", "org.hibernate.",
	"org.jboss.", "org.apache.wicket.",
	"org.apache.click.", "com.vaadin.", "com.fasterxml.jackson.databind.node.POJONode", "net.sf.json.", "rome.",
	"com.sun.syndication.feed.", "com.rometools.rome.feed.",
	"org.aspectj.weaver.tools.cache.", "org.apache.myfaces.", "com.alibaba.fastjson.",
}

// plain are packages whose classes only contain values.
var plain = []string{"java.util.", "java.lang.", "java.math.", "java.time.", "[", "scala.collection.", "scala.Tuple"}

// A Class says what is known about a class.
type Class uint8

// The classes of classes.
const (
	Unknown Class = iota
	Plain         // it only contains values
	Gadget        // deserializing it is known to run code
)

// Of returns what is known about a class.
func Of(class string) Class {
	name := strings.TrimSuffix(strings.TrimPrefix(strings.TrimLeft(class, "["), "L"), ";")
	for _, g := range gadgets {
		if name == g || strings.HasSuffix(g, ".") && strings.HasPrefix(name, g) {
			return Gadget
		}
	}
	for _, p := range plain {
		if strings.HasPrefix(class, p) {
			return Plain
		}
	}
	return Unknown
}
