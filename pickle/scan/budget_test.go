// Budgets: small files whose analysis would take much time or memory.

package scan

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// archiveOf returns a zip archive of n members.
func archiveOf(t testing.TB, n int, member func(i int) (name, content string)) string {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := range n {
		name, content := member(i)
		f, err := w.CreateHeader(&zip.FileHeader{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tarOf returns a tar archive of n members.
func tarOf(t testing.TB, n int, content string) string {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range n {
		if err := w.WriteHeader(&tar.Header{Name: fmt.Sprintf("m%d", i), Size: int64(len(content)), Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(content))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// sharing returns a zip archive of n entries with the same header and content (APPNOTE 4.3.7
// and 4.3.12).
func sharing(n int, local, content string) string {
	numbers := func(list ...any) string {
		var b bytes.Buffer
		for _, v := range list {
			binary.Write(&b, binary.LittleEndian, v)
		}
		return b.String()
	}
	size := uint32(len(content))
	body := "PK\x03\x04" + numbers(uint16(20), uint16(0), uint16(0), uint32(0), uint32(0), size, size, uint16(len(local)), uint16(0)) + local + content
	var entries strings.Builder
	for i := range n {
		entries.WriteString("PK\x01\x02" + numbers(uint16(20), uint16(20), uint16(0), uint16(0), uint32(0), uint32(0), size, size, uint16(6), uint16(0), uint16(0), uint16(0), uint16(0), uint32(0), uint32(0)))
		fmt.Fprintf(&entries, "%06d", i)
	}
	return body + entries.String() + "PK\x05\x06" + numbers(uint16(0), uint16(0), uint16(n), uint16(n), uint32(entries.Len()), uint32(len(body)), uint16(0))
}

const (
	shell = "\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."
	hdf   = hdf5Magic
	h5    = ".h5"
	model = "model.bin"
)

// TestFloods checks that the work of a scan is counted, that the scan ends with its budget,
// and that an incomplete scan is reported and not safe.
func TestFloods(t *testing.T) {
	for _, c := range []struct {
		name, file, data string
	}{
		{"pickles in an archive", model, archiveOf(t, 3000, func(i int) (string, string) { return fmt.Sprintf("%d.pkl", i), shell })},
		{"archives in an archive", model, archiveOf(t, 2000, func(i int) (string, string) {
			return fmt.Sprintf("%d.zip", i), archiveOf(t, 1, func(int) (string, string) { return "a.pkl", shell })
		})},
		{"long names", model, archiveOf(t, 200, func(i int) (string, string) { return fmt.Sprintf("%d", i) + strings.Repeat("n", 60_000), "x" })},
		{"members of a tar archive", model, tarOf(t, 5000, shell)},
		{"one content of many", model, sharing(2000, "local", string(bytes.Repeat([]byte{0xf3, 'a'}, 1<<19)))},
		{"one long name of many", model, sharing(5000, strings.Repeat("L", 60_000), "x")},
		{"marks, packed", model, string(gzipped(t, "\x80\x02"+strings.Repeat("(", 1<<24)))},
		{"braces", "a" + h5, hdf + strings.Repeat(`{"`, 1<<22)},
		{"beginnings of objects", "a" + h5, hdf + strings.Repeat(`{"a":`, 1<<20)},
		{"objects", "a" + h5, hdf + strings.Repeat(`{"a":1}`, 1<<20)},
		{"layers", "a" + h5, hdf + strings.Repeat(`{"class_name":"Lambda"}`, 1<<18)},
		{"functions", "a.json", `{"class_name":"M","config":[` + strings.Repeat(`{"module":"builtins","class_name":"function","config":"f"},`, 1<<17) + `0]}`},
		{"protocols", "a" + h5, hdf + strings.Repeat("\x80\x02", 1<<22)},
		{"letters", "a" + h5, hdf + strings.Repeat("c", 1<<23)},
		{"lengths and letters", "a" + h5, hdf + strings.Repeat(strings.Repeat("U", 87)+strings.Repeat("x", 87), 1<<15)},
		{"names and lines", "a" + h5, hdf + strings.Repeat(strings.Repeat("c", 250)+"\nx\n", 1<<15)},
	} {
		const work, memory = 2_000_000, 2 << 20
		run := &scanning{Scanner: Scanner{MaxOpcodes: work, MaxMemory: memory}, report: new(Report), lookInto: look}
		run.budgets(int64(len(c.data)))
		p := run.newPart(nil, "", strings.NewReader(c.data), int64(len(c.data)))
		p.name = c.file
		if err := p.look(); err != nil {
			t.Fatal(err)
		}
		// An operation that was started is finished: reading a text of 16 MiB, or a search.
		if run.left < -2*mostConfig-work || run.held > memory+1<<20 {
			t.Errorf("%s: %d of work are left of %d, the parts take %d bytes", c.name, run.left, work, run.held)
		}
		if (run.left <= 0 || run.held > memory) && !run.report.Limited {
			t.Errorf("%s: %d of work are left, and no budget is said to be met", c.name, run.left)
		}
		if run.report.Limited && (p.reason == "" || p.verdict == pickle.Safe) {
			t.Errorf("%s: a budget was met, and it is %v, %q", c.name, p.verdict, p.reason)
		}
		if strings.Contains(c.data, shell) && p.verdict != pickle.Dangerous {
			t.Errorf("%s: %v", c.name, p.verdict)
		}
	}
}

// TestCheckpointOfManyTensors checks that a checkpoint of 50,000 tensors is analyzed completely
// within the default budgets.
func TestCheckpointOfManyTensors(t *testing.T) {
	const tensors = 50_000
	code := []byte("\x80\x02}(")
	text := func(s string) {
		code = append(binary.LittleEndian.AppendUint32(append(code, 'X'), uint32(len(s))), s...)
	}
	for i := range tensors {
		text(fmt.Sprintf("model.layers.%d.self_attn.q_proj.weight", i))
		code = append(code, "ctorch._utils\n_rebuild_tensor_v2\n(("...)
		text("storage")
		code = append(code, "ctorch\nFloatStorage\n"...)
		text(fmt.Sprint(i))
		text("cpu")
		code = append(code, "K\x01tQK\x00K\x01\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR"...)
	}
	code = append(code, "u."...)
	data := archiveOf(t, tensors+1, func(i int) (string, string) {
		if i == 0 {
			return "m/data.pkl", string(code)
		}
		return fmt.Sprintf("m/data/%d", i-1), "\x00\x00\x80\x3f"
	})
	r := scanned(t, new(Scanner), []byte(data), "model.pt")
	if r.Format != "pytorch-zip" || r.Verdict != pickle.Safe || !r.Complete || r.Limited || len(r.Members) != tensors+1 {
		t.Errorf("%s, %v, %s, %d parts: %v", r.Format, r.Verdict, r.Reason, len(r.Members), r.Findings)
	}
}

// Limits that are the same with every budget: a report must not advise a larger one.
func TestFixedLimits(t *testing.T) {
	long := strings.Repeat("x", 17<<20)
	for name, text := range map[string]string{
		"config.json":         `{"class_name": "Model", "pad": "` + long + `"}`,
		"schema.json":         `{"__class__": "C", "__module__": "m", "pad": "` + long + `"}`,
		"words.txt":           strings.Repeat("words\n", 3<<20) + "!!python/name:os.system\n",
		"wide.txt":            "\xff\xfe" + strings.Repeat("x\x00", 9<<20),
		"keras_metadata.json": strings.Repeat(`{"config":`, 20_000),
	} {
		s := &Scanner{}
		if r := scanned(t, s, []byte(text), name); r.Complete || r.Limited {
			t.Errorf("%s: complete %v, limited %v, %q", name, r.Complete, r.Limited, r.Reason)
		}
	}
}
