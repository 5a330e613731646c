// Legacy PyTorch checkpoints: pickles followed by raw data.

package scan

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// The head of a checkpoint: its magic number, its version and an empty description of the
// machine.
const streamHead = "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19." + "\x80\x02M\xe9\x03." + benign

// stream returns a checkpoint with one tensor, whose storage "0" has n bytes and ends the file.
func stream(numbers string) []byte {
	text := func(s string) string { return "X" + string([]byte{byte(len(s)), 0, 0, 0}) + s }
	count := "J" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(numbers))))
	id := "(" + text("storage") + "ctorch\nByteStorage\n" + text("0") + text("cpu") + count + "NtQ"
	object := "\x80\x02ctorch._utils\n_rebuild_tensor_v2\n(" + id + "K\x00" + count + "\x85K\x01\x85\x89ccollections\nOrderedDict\n)RtR."
	keys := "\x80\x02]" + text("0") + "a."
	return slices.Concat([]byte(streamHead), []byte(object), []byte(keys), binary.LittleEndian.AppendUint64(nil, uint64(len(numbers))), []byte(numbers))
}

func TestStreams(t *testing.T) {
	sound := stream("12345678")
	for _, tt := range []struct {
		name    string
		bytes   []byte
		format  string
		verdict pickle.Verdict
		rules   string
	}{
		{"sound", sound, "pytorch-legacy", pickle.Safe, ""},
		{"numbers that are instructions", stream(strings.Repeat("\x82\x83\x84cos\nc", 20)), "pytorch-legacy", pickle.Safe, ""},
		{"numbers that are a pickle", stream(evil), "pytorch-legacy", pickle.Suspicious, "embedded-pickle-bytes"},
		{"numbers with a pickle in them", stream("1234" + evil), "pytorch-legacy", pickle.Safe, ""},
		{"a payload as the object", []byte(streamHead + evil + "\x80\x02]."), "pytorch-legacy", pickle.Dangerous, "dangerous-import"},
		{"a payload as the keys", []byte(streamHead + benign + evil), "pytorch-legacy", pickle.Dangerous, "dangerous-import type-error"},
		{"a payload as the sixth pickle", []byte(streamHead + benign + "\x80\x02]." + evil), "pytorch-legacy", pickle.Dangerous, "dangerous-import trailing-data"},
		{"a payload behind the numbers", slices.Concat(sound, []byte("junk"+evil)), "pytorch-legacy", pickle.Dangerous, "dangerous-import trailing-data"},
		{"a payload before the magic", slices.Concat([]byte(evil), sound), "pickle", pickle.Dangerous, "dangerous-import"},
		{"numbers that are cut off", sound[:len(sound)-1], "pytorch-legacy", pickle.Suspicious, "truncated"},
		{"text behind the numbers", slices.Concat(sound, []byte("a text")), "pytorch-legacy", pickle.Suspicious, "trailing-data"},
		{"zeros behind the numbers", slices.Concat(sound, make([]byte, 100)), "pytorch-legacy", pickle.Safe, ""},
	} {
		r := scanned(t, new(Scanner), tt.bytes, "model.pt")
		if r.Format != tt.format || r.Verdict != tt.verdict || tt.format == "pytorch-legacy" && rules(r) != tt.rules {
			t.Errorf("%s: %s, %v (%s), want %s, %v (%s): %v", tt.name, r.Format, r.Verdict, rules(r), tt.format, tt.verdict, tt.rules, r.Findings)
		}
	}
	if r := scanned(t, &Scanner{Deep: true}, stream("1234"+evil), "model.pt"); rules(r) != "embedded-pickle-bytes" {
		t.Errorf("a deep scan: %v (%s)", r.Verdict, rules(r))
	}
}

// Only the pickles of a checkpoint and the beginning of each storage are read.
func TestStreamsReadLittle(t *testing.T) {
	b := stream(strings.Repeat("x", 20<<20))
	c := &readCounter{r: bytes.NewReader(b)}
	if _, err := new(Scanner).Scan(c, int64(len(b)), "model.pt"); err != nil {
		t.Fatal(err)
	}
	if c.bytes > 1<<20 || c.reads > 30 {
		t.Errorf("%d bytes in %d reads, of %d", c.bytes, c.reads, len(b))
	}
}
