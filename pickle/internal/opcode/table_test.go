// The opcode table matches Python's pickletools.

package opcode

import (
	"encoding/csv"
	"os"
	"slices"
	"strconv"
	"testing"
)

// formOfKind maps the argument types of pickletools to forms.
var formOfKind = map[string]form{"": formNone, "uint1": formU1, "uint2": formU2, "uint4": formU4, "int4": formI4,
	"uint8": formU8, "float8": formF8,
	"floatnl": formLine, "decimalnl_short": formLine, "decimalnl_long": formLine, "stringnl": formLine,
	"stringnl_noescape": formLine,
	"unicodestringnl":   formLine, "stringnl_noescape_pair": formLines, "bytes1": formCount1, "string1": formCount1,
	"long1":          formCount1,
	"unicodestring1": formCount1, "bytes4": formCount4, "string4": formCount4, "unicodestring4": formCount4,
	"long4":  formCountI4,
	"bytes8": formCount8, "bytearray8": formCount8, "unicodestring8": formCount8}

func TestOpcodeTable(t *testing.T) {
	f, err := os.Open("../../../../shared/pickle/opcodes.csv")
	if err != nil {
		t.Skip("the table is not here")
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	ours := slices.Collect(All())
	if len(ours) != 68 || len(rows) != 69 {
		t.Errorf("%d opcodes, want 68 and %d", len(ours), len(rows)-1)
	}
	for _, row := range rows[1:] {
		code, err := strconv.ParseUint(row[0], 0, 8)
		if err != nil {
			t.Fatal(err)
		}
		c, proto := Code(code), row[3]
		kind, ok := formOfKind[row[4]]
		if c.String() != row[2] || strconv.Itoa(c.Proto()) != proto || !ok || table[c].form != kind {
			t.Errorf("%s: %s, protocol %d, form %d; want %s, protocol %s, %s", row[0], c, c.Proto(), table[c].form, row[2],
				proto, row[4])
		}
	}
}
