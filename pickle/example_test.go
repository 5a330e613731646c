// Examples.

package pickle_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/weightools/safetensors/pickle"
)

// evil is a pickle that runs a program on load.
const evil = "\x80\x02cos\nsystem\nX\x02\x00\x00\x00ls\x85R."

func ExampleAnalyze() {
	r, err := pickle.Analyze(strings.NewReader(evil), int64(len(evil)), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict, r.Complete)
	for _, im := range r.Imports {
		fmt.Println(im.String(), im.Verdict, im.Why())
	}
	for _, c := range r.Calls {
		fmt.Println(c.Callee, c.Args)
	}
	// Output:
	// dangerous true
	// os.system dangerous It starts programs or gives access to functions that do. (os.*)
	// os.system ("ls")
}

func ExampleLoad() {
	const data = "\x80\x02}X\x05\x00\x00\x00epochK\x03s."
	g, err := pickle.Load(strings.NewReader(data), int64(len(data)), nil)
	if err != nil {
		log.Fatal(err)
	}
	for key, value := range g.Roots()[0].Pairs() {
		name, _ := key.Str()
		n, _ := value.Int()
		fmt.Println(name, n)
	}
	// Output:
	// epoch 3
}

func ExampleDisassemble() {
	if err := pickle.Disassemble(os.Stdout, strings.NewReader(evil), int64(len(evil)), nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	//     0: \x80 PROTO      2                                     ; 0
	//     2: c    GLOBAL     'os system'                           ; 1 imports os.system: dangerous
	//    13: X    BINUNICODE 'ls'                                  ; 2
	//    20: \x85 TUPLE1                                           ; 2
	//    21: R    REDUCE                                           ; 1 calls os.system
	//    22: .    STOP                                             ; 0
	// highest protocol among opcodes = 2
}

func ExampleParsePolicy() {
	p, err := pickle.ParsePolicy(strings.NewReader("allow ourmodel.layers.*\nprofile sklearn\n"))
	if err != nil {
		log.Fatal(err)
	}
	const data = "\x80\x02courmodel.layers.conv\nConv\n)\x81."
	r, err := pickle.Analyze(strings.NewReader(data), int64(len(data)), &pickle.Options{Policy: p})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Verdict)
	// Output:
	// safe
}
