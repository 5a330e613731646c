// TorchScript programs: the classes in them, which name the parameters and buffers of modules.

// Package script reads the classes of TorchScript programs.
package script

import (
	"bufio"
	"errors"
	"io"
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
// and state_dict has the attributes in these lists, also of submodules. Before version 1.5 there is no list of buffers
// (torch/csrc/jit/serialization/python_print.cpp).

// Classes reads the classes of the programs in an archive, when they are asked for.
type Classes struct {
	// Err is the first error of reading.
	Err error

	open    func(name string) (*io.SectionReader, error)
	classes map[string]tree.Saved // by name with module
	read    map[string]bool       // modules
	left    int64                 // bytes that may still be read
}

// New returns the classes of an archive. Open returns the program with a name such as "__torch__/a.py", nil if the
// archive does not have it.
func New(open func(name string) (*io.SectionReader, error)) *Classes {
	const most = 16 << 20 // bytes of programs
	return &Classes{open: open, classes: make(map[string]tree.Saved), read: make(map[string]bool), left: most}
}

// Class returns the attributes that the class saves, nil if it is not a module or does not say.
func (c *Classes) Class(name string) tree.Saved {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || !strings.HasPrefix(name, "__torch__.") || c.Err != nil {
		return nil
	}
	module := name[:dot]
	if !c.read[module] {
		c.read[module] = true
		c.Err = c.parse(module)
	}
	return c.classes[name]
}

// classLine and listLine match the lines of a program that matter. They are compiled at first use.
var (
	classLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^class (\w+)\(Module\):$`) })
	listLine  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^  __(parameters|buffers)__ = \[((?:"[^"\\]*", )*)\]$`)
	})
)

// parse reads the classes of the program of a module, if the archive has it.
func (c *Classes) parse(module string) error {
	r, err := c.open(strings.ReplaceAll(module, ".", "/") + ".py")
	if err != nil || r == nil || r.Size() > c.left {
		return err
	}
	c.left -= r.Size()
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
			c.classes[class] = saved
		}
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	return nil // no module is declared behind such a line
}
