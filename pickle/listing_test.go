// Listings match the output of Python's pickletools.

package pickle

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle/internal/opcode"
)

// disScript prints, for each file named on standard input, the lines of pickletools.dis, each followed by the stack
// depth. It stops where dis raises an error; dis refuses some pickles that loaders accept, such as duplicate memo
// entries.
const disScript = `
import io, sys, pickletools as p
sys.stdout.reconfigure(encoding="utf-8", errors="surrogatepass")
for path in sys.stdin.read().split("\n"):
    if not path: continue
    data = open(path, "rb").read()
    print("==", path)
    out = io.StringIO()
    try: p.dis(data, out)
    except Exception: pass
    depth, stack = [], []
    try:
        for op, arg, pos in p.genops(data):
            before, pop = op.stack_before, len(op.stack_before)
            if p.markobject in before or op.name == "POP" and stack and stack[-1] == "mark":
                while stack.pop() != "mark": pass
                pop = before.index(p.markobject) if p.markobject in before else 0
            if pop: del stack[-pop:]
            stack.extend("mark" if o is p.markobject else "x" for o in op.stack_after)
            depth.append(len(stack))
    except Exception: pass
    for line, n in zip(out.getvalue().split("\n"), depth):
        print(line, n, sep="\t")
`

func TestListingIsPickletools(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	var paths []string
	for _, s := range bareSamples(t) {
		// dis indents by up to a megabyte for many MARKs, and parses array data as instructions.
		if info, err := os.Stat(filepath.Join(corpus, s.file)); err == nil && info.Size() < 120_000 &&
			s.container == "pickle" {
			paths = append(paths, filepath.Join(corpus, s.file))
		}
	}
	cmd := exec.Command(python, "-c", disScript)
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, part := range strings.Split(string(out), "== ")[1:] {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		t.Run(filepath.Base(lines[0]), func(t *testing.T) { compared += compareListing(t, lines[0], lines[1:]) })
	}
	if compared < 2000 {
		t.Errorf("only %d lines were compared", compared)
	}
}

// compareListing compares the lines for a file with ours and returns their number.
func compareListing(t *testing.T, path string, want []string) (n int) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line, err := range Lines(bytes.NewReader(b), int64(len(b)), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if n == len(want) {
			break
		}
		text, depth, _ := strings.Cut(want[n], "\t")
		got := line.String()
		switch n++; {
		case text == "" || line.Stream < 0:
			return len(want) // dis stopped, or our listing did not start
		case strings.Contains(got, `\\`) && line.Opcode == Opcode(opcode.Global):
			continue // pickletools interprets escapes in names; loaders do not
		}
		if head, _, cut := strings.Cut(got, "'... ("); cut && strings.HasPrefix(text, head) {
			got = text
		}
		if got != text || strconv.Itoa(line.Depth) != depth {
			t.Errorf("line %d:\n got %s, %d deep\nwant %s, %s deep", n, got, line.Depth, text, depth)
		}
	}
	if n < len(want) {
		t.Errorf("%d lines, want %d", n, len(want))
	}
	return n
}

func TestDisassemble(t *testing.T) {
	b := []byte("\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R.")
	var out strings.Builder
	if err := Disassemble(&out, bytes.NewReader(b), int64(len(b)), nil); err != nil {
		t.Fatal(err)
	}
	want := `    0: \x80 PROTO      2                                     ; 0
    2: c    GLOBAL     'os system'                           ; 1 imports os.system: dangerous
   13: X    BINUNICODE 'ls'                                  ; 2
   20: \x85 TUPLE1                                           ; 2
   21: R    REDUCE                                           ; 1 calls os.system
   22: .    STOP                                             ; 0
highest protocol among opcodes = 2
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
	if err := Disassemble(io.Discard, bytes.NewReader(nil), 0, nil); err != nil {
		t.Error(err)
	}
}

// TestLinesOfAnotherMemo lists a stream that reads memo entries of the previous one, as a reused loader allows.
func TestLinesOfAnotherMemo(t *testing.T) {
	code := proto(4) + str("os") + "\x94" + str("system") + "\x94." + proto(4) + "h\x00h\x01\x93."
	var remarks []string
	for line, err := range Lines(strings.NewReader(code), int64(len(code)), nil) {
		if err != nil {
			t.Fatal(err)
		}
		remarks = append(remarks, line.Remark)
	}
	if !slices.Contains(remarks, "imports os.system: dangerous") {
		t.Errorf("remarks are %q", remarks)
	}
}
