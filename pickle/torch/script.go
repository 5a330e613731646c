// TorchScript programs: the classes in them, which name the parameters and buffers of modules.

package torch

import (
	"bufio"
	"errors"
	"regexp"
	"strings"
	"sync"

	"github.com/weightools/safetensors/pickle/torch/internal/tree"
)

// PyTorch prints a module as
//
//	class Linear(Module):
//	  __parameters__ = ["weight", "bias", ]
//	  __buffers__ = []
//	  weight : Tensor
//
// and state_dict has the attributes in these lists, and those of submodules. Before version 1.5 there is no list of
// buffers (torch/csrc/jit/serialization/python_print.cpp).

// A script reads the classes of the programs in an archive, when they are asked for.
type script struct {
	*zipFile
	classes map[string]tree.Saved // by name with module
	read    map[string]bool       // members
	left    int64                 // bytes that may still be read
	err     error                 // of reading
}

func newScript(z *zipFile) *script {
	const most = 16 << 20 // bytes of programs
	return &script{zipFile: z, classes: make(map[string]tree.Saved), read: make(map[string]bool), left: most}
}

// class returns the attributes that the class saves, nil if it is not a module or does not say.
func (s *script) class(name string) tree.Saved {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || !strings.HasPrefix(name, "__torch__.") || s.err != nil {
		return nil
	}
	module := name[:dot]
	if !s.read[module] {
		s.read[module] = true
		s.err = s.parse(module)
	}
	return s.classes[name]
}

// classLine and listLine match the lines of a program that matter. They are compiled at first use.
var (
	classLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^class (\w+)\(Module\):$`) })
	listLine  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^  __(parameters|buffers)__ = \[((?:"[^"\\]*", )*)\]$`)
	})
)

// parse reads the classes of the program of a module, if the archive has it.
func (s *script) parse(module string) error {
	m := s.names[s.root+"code/"+strings.ReplaceAll(module, ".", "/")+".py"]
	if m == nil {
		return nil
	}
	r, _, err := s.content(m)
	if err != nil || r.Size() > s.left {
		return err
	}
	s.left -= r.Size()
	class, lists := "", 0
	var saved tree.Saved
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, "class ") && !strings.HasPrefix(line, "  __") {
			continue
		}
		if strings.HasPrefix(line, "class ") {
			class, lists, saved = "", 0, make(tree.Saved)
			if found := classLine().FindStringSubmatch(line); found != nil {
				class = module + "." + found[1]
			}
		}
		found := listLine().FindStringSubmatch(line)
		if found == nil || class == "" {
			continue
		}
		for _, name := range strings.Split(found[2], `", `) {
			if name != "" {
				saved[name[1:]] = true
			}
		}
		if lists++; lists == 2 {
			s.classes[class] = saved
		}
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	return nil // no module is declared behind such a line
}
