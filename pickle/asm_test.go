// Helpers that assemble pickles.

package pickle

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Each function returns the bytes of one or a few instructions. A pickle is their concatenation, for example
// proto(2) + glob("os", "system") + str("ls") + "\x85R.".

func proto(n byte) string { return string([]byte{0x80, n}) }

func glob(module, name string) string { return "c" + module + "\n" + name + "\n" }

// str is SHORT_BINUNICODE, or BINUNICODE for long strings.
func str(s string) string {
	if len(s) < 256 {
		return "\x8c" + string([]byte{byte(len(s))}) + s
	}
	return uni(s)
}

// uni is BINUNICODE, which exists since protocol 1.
func uni(s string) string { return "X" + le32(len(s)) + s }

// bin is BINBYTES.
func bin(s string) string { return "B" + le32(len(s)) + s }

func le32(n int) string { return string(binary.LittleEndian.AppendUint32(nil, uint32(n))) }

func le64(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }

// stack is STACK_GLOBAL with its two strings.
func stack(module, name string) string { return str(module) + str(name) + "\x93" }

func frame(s string) string { return "\x95" + le64(uint64(len(s))) + s }

func put(n int) string { return "r" + le32(n) }

func get(n int) string { return "j" + le32(n) }

// payload calls os.system.
const payload = "cos\nsystem\n\x8c\x02ls\x85R"

// checkpointPickle returns the data.pkl of a state dict with the given number of tensors, as torch.save writes it: in
// protocol 2, with everything memoized.
func checkpointPickle(tensors int) []byte {
	var b strings.Builder
	memo := 0
	q := func() {
		if memo < 256 {
			b.WriteString("q" + string([]byte{byte(memo)}))
		} else {
			b.WriteString(put(memo))
		}
		memo++
	}
	h := func(n int) string {
		if n < 256 {
			return "h" + string([]byte{byte(n)})
		}
		return get(n)
	}
	b.WriteString("\x80\x02" + glob("collections", "OrderedDict"))
	q() // 0
	b.WriteString(")R")
	q() // 1
	b.WriteString("(")
	seen := map[string]int{}
	once := func(key, code string) {
		if n, ok := seen[key]; ok {
			b.WriteString(h(n))
			return
		}
		seen[key] = memo
		b.WriteString(code)
		q()
	}
	for i := range tensors {
		b.WriteString(uni(fmt.Sprintf("model.layers.%d.self_attn.q_proj.weight", i)))
		q()
		once("rebuild", glob("torch._utils", "_rebuild_tensor_v2"))
		b.WriteString("((")
		once("storage", uni("storage"))
		once("float", glob("torch", "FloatStorage"))
		b.WriteString(uni(fmt.Sprint(i)))
		q()
		once("cpu", uni("cpu"))
		b.WriteString("J" + le32(4096*4096) + "t")
		q()
		b.WriteString("QK\x00M\x00\x10M\x00\x10\x86")
		q()
		b.WriteString("M\x00\x10K\x01\x86")
		q()
		b.WriteString("\x89h\x00)R")
		q()
		b.WriteString("t")
		q()
		b.WriteString("R")
		q()
	}
	b.WriteString("u.")
	return []byte(b.String())
}
