// How to use the package.

package scan_test

import (
	"fmt"
	"os"

	"github.com/weightools/safetensors/pickle/scan"
)

func ExampleScanner_Scan() {
	file, err := os.Open("../../testdata/scan/harmless.pkl")
	if err != nil {
		return
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return
	}
	report, err := new(scan.Scanner).Scan(file, info.Size(), file.Name())
	if err != nil {
		return // it could not be read
	}
	fmt.Println(report.Format, report.Verdict, report.Complete)
	for i := range report.Imports {
		im := &report.Imports[i]
		fmt.Println(im, im.Verdict, im.Called)
	}
	// Output:
	// pickle dangerous true
	// builtins.eval dangerous true
}
