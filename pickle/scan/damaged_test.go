// Compressed files that are damaged after their payload.

package scan

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// damagedXZ returns an xz file with one uncompressed LZMA2 chunk, followed by a control byte that does not exist.
func damagedXZ(content string) string {
	sum := func(s string) string {
		return string(binary.LittleEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(s))))
	}
	const flags, block = "\x00\x00", "\x02\x00\x21\x01\x16\x00\x00\x00"
	chunk := "\x01" + string(binary.BigEndian.AppendUint16(nil, uint16(len(content)-1))) + content
	return "\xfd7zXZ\x00" + flags + sum(flags) + block + sum(block) + chunk + "\x05"
}

// Python returns the data in front of the damage, and its unpickler runs it. lz4.frame does the same.
func TestPayloadBeforeDamage(t *testing.T) {
	payload := "cos\nsystem\n(S'ls'\ntR."
	const frame, stored = "\x04\x22\x4d\x18\x60\x40\x82", "\x15\x00\x00\x80"
	for name, b := range map[string]string{
		"invalid.xz":    damagedXZ(payload),
		"truncated.lz4": frame + stored + payload,
		"invalid.lz4":   frame + stored + payload + "\xff\xff\xff\xff",
	} {
		r := scanned(t, new(Scanner), []byte(b), name)
		if r.Verdict != pickle.Dangerous || r.Complete {
			t.Errorf("%s: %v, complete: %v; want dangerous and incomplete", name, r.Verdict, r.Complete)
		}
	}
}
