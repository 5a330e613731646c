// The names that lead out of a template.

package jinja

import (
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/pickle/scan/internal/wordset"
)

// special are the private attributes of Python's objects that lead to others, and so to modules.
var special = wordset.Of(`__class__ __base__ __bases__ __mro__ __subclasses__ __globals__ __builtins__ __builtin__
__import__ __init__ __new__ __dict__ __getattribute__ __getattr__ __getitem__ __setattr__ __setitem__ __delattr__
__call__ __func__ __self__ __code__ __closure__ __defaults__ __kwdefaults__ __wrapped__ __module__ __loader__
__spec__ __reduce__ __reduce_ex__ __init_subclass__ __subclasshook__ __subclasscheck__ __instancecheck__ __prepare__
__qualname__ __name__ __doc__ __weakref__ __annotations__ __type_params__ __traceback__ __cause__ __context__
__enter__ __exit__ __del__ __iter__ __next__ __repr__ __str__ __format__ __dir__ __sizeof__ __hash__ __slots__
__build_class__ __get__ __set__ __delete__ __set_name__ __mro_entries__ __thisclass__ __self_class__ __objclass__
__text_signature__ __getstate__ __setstate__ __add__ __mul__ __len__ __eq__ __html__ __html_format__ __contains__
__getslice__ __getnewargs__ __metaclass__ __abstractmethods__ __missing__ __await__ __aiter__ __anext__ __coerce__
__nonzero__ __bool__ __int__ __float__ __index__ __copy__ __deepcopy__ __match_args__ __signature__ __ror__ __or__
__radd__ __mod__ __rmod__ __lt__ __gt__ __le__ __ge__ _TemplateReference__context _TemplateReference__ctx _module
_load_form_data _get_data_for_json _mutable_sequence`)

// internals are the attributes that Jinja's sandbox refuses, in addition to the private ones.
var internals = wordset.Of(`gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await
f_globals f_locals f_builtins f_back f_code f_trace tb_frame tb_next func_globals func_code func_closure func_defaults
im_func im_self im_class mro co_code co_consts`)

// calls are functions that no template calls.
var calls = wordset.Of(`popen system exec eval execfile check_output check_call Popen getoutput getstatusoutput
import_module import_string load_module exec_module spawnl spawnv spawnlp spawnvp execv execve execvp execl execlp
posix_spawn fork os_system run_code runpy run_path run_module CDLL dlopen b64decode unpickle`)

// formats are the methods of texts that read the attributes which the text names.
var formats = wordset.Of("format format_map")

// bare are names of functions and modules that a template has no use for. Jinja defines the
// first one, the others exist only if a program passes them.
var bare = wordset.Of(`lipsum os sys subprocess builtins importlib posix nt pty commands getattr setattr delattr globals
locals eval exec compile __import__ execfile url_for get_flashed_messages breakpoint popen shutil socket
ctypes pickle marshal`)

// dunder finds names with two underscores at both ends.
var dunder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`__[A-Za-z][A-Za-z0-9_]*?__`) })

// inFormat finds a replacement field that reads a private attribute.
var inFormat = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*[.\[]_`) })

// leads returns a name in a text that leads out of a template.
func leads(s string) (string, bool) {
	if special()[s] || internals()[s] {
		return s, true
	}
	if !strings.Contains(s, "__") {
		return "", false
	}
	for _, w := range dunder().FindAllString(s, most) {
		if special()[w] {
			return w, true
		}
	}
	return "", false
}
