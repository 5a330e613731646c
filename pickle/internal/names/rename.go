// Python 2 names and their Python 3 equivalents.

package names

import (
	"strings"
	"sync"
)

// For protocols below 3, Python 3 renames imports by the two tables of the module _compat_pickle: first by module and
// name, then by module.

// renamedNames has lines of a module, its new module, and names. A name that changes is followed by its new name.
const renamedNames = `
__builtin__ builtins xrange:range unichr:chr unicode:str long:int basestring:str
__builtin__ functools reduce
__builtin__ sys intern
itertools builtins izip:zip imap:map ifilter:filter
itertools itertools ifilterfalse:filterfalse izip_longest:zip_longest
UserDict collections IterableUserDict:UserDict UserDict
UserList collections UserList
UserString collections UserString
whichdb dbm whichdb
_socket socket fromfd
_multiprocessing multiprocessing.connection Connection
multiprocessing.process multiprocessing.context Process
multiprocessing.forking multiprocessing.popen_fork Popen
urllib urllib.error ContentTooShortError
urllib urllib.request getproxies pathname2url url2pathname urlcleanup urlopen urlretrieve
urllib urllib.parse quote_plus quote unquote_plus unquote urlencode
urllib2 urllib.error HTTPError URLError
multiprocessing multiprocessing.context AuthenticationError BufferTooShort ProcessError TimeoutError
exceptions builtins StandardError:Exception
socket socket _socketobject:SocketType
exceptions builtins ArithmeticError AssertionError AttributeError BaseException BufferError BytesWarning
exceptions builtins DeprecationWarning EOFError EnvironmentError Exception FloatingPointError FutureWarning
exceptions builtins GeneratorExit IOError ImportError ImportWarning IndentationError IndexError KeyError
exceptions builtins KeyboardInterrupt LookupError MemoryError NameError NotImplementedError OSError
exceptions builtins OverflowError PendingDeprecationWarning ReferenceError RuntimeError RuntimeWarning
exceptions builtins StopIteration SyntaxError SyntaxWarning SystemError SystemExit TabError TypeError
exceptions builtins UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
exceptions builtins UnicodeWarning UserWarning ValueError Warning ZeroDivisionError
`

// renamedModules has pairs of a module and its new name.
const renamedModules = `
__builtin__:builtins copy_reg:copyreg Queue:queue SocketServer:socketserver ConfigParser:configparser
repr:reprlib tkFileDialog:tkinter.filedialog tkSimpleDialog:tkinter.simpledialog
tkColorChooser:tkinter.colorchooser tkCommonDialog:tkinter.commondialog Dialog:tkinter.dialog
Tkdnd:tkinter.dnd tkFont:tkinter.font tkMessageBox:tkinter.messagebox ScrolledText:tkinter.scrolledtext
Tkconstants:tkinter.constants Tix:tkinter.tix ttk:tkinter.ttk Tkinter:tkinter markupbase:_markupbase
_winreg:winreg thread:_thread dummy_thread:_dummy_thread dbhash:dbm.bsd dumbdbm:dbm.dumb dbm:dbm.ndbm
gdbm:dbm.gnu xmlrpclib:xmlrpc.client SimpleXMLRPCServer:xmlrpc.server httplib:http.client
htmlentitydefs:html.entities HTMLParser:html.parser Cookie:http.cookies cookielib:http.cookiejar
BaseHTTPServer:http.server test.test_support:test.support commands:subprocess urlparse:urllib.parse
robotparser:urllib.robotparser urllib2:urllib.request anydbm:dbm _abcoll:collections.abc cPickle:pickle
_elementtree:xml.etree.ElementTree FileDialog:tkinter.filedialog SimpleDialog:tkinter.simpledialog
DocXMLRPCServer:xmlrpc.server SimpleHTTPServer:http.server CGIHTTPServer:http.server UserDict:collections
UserList:collections UserString:collections whichdb:dbm StringIO:io cStringIO:io
`

type renames struct {
	names   map[[2]string][2]string
	modules map[string]string
}

var renamed = sync.OnceValue(func() renames {
	r := renames{map[[2]string][2]string{}, map[string]string{}}
	for line := range strings.Lines(strings.TrimSpace(renamedNames)) {
		words := strings.Fields(line)
		for _, word := range words[2:] {
			old, name, changes := strings.Cut(word, ":")
			if !changes {
				name = old
			}
			r.names[[2]string{words[0], old}] = [2]string{words[1], name}
		}
	}
	for _, word := range strings.Fields(renamedModules) {
		old, name, _ := strings.Cut(word, ":")
		r.modules[old] = name
	}
	return r
})

// Rename returns the Python 3 equivalent of a Python 2 name.
func Rename(module, name string) (string, string) {
	r := renamed()
	if to, ok := r.names[[2]string{module, name}]; ok {
		return to[0], to[1]
	}
	if to, ok := r.modules[module]; ok {
		return to, name
	}
	return module, name
}
