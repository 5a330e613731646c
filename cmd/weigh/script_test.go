// The program as its users run it: the scripts under testdata/script.

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what the program says into scripts and documents, instead of comparing")

// programs are the programs that tests run as processes.
var programs = map[string]func(){"weigh": recorded, "weighed": weighed}

func TestMain(m *testing.M) { testscript.Main(m, programs) }

// Scripts have in $TESTDATA the files under testdata/, in $SAMPLE the sharded
// sample, and in $FIXTURES the optional files of others. For servers, see
// serveScripts.
func TestScripts(t *testing.T) {
	testdata := absolute(t, "../../testdata")
	fixtures := absolute(t, "../../../shared/fixtures")
	documents := recordDocuments(t, func() { everyFieldIsSeen(t) })
	testscript.Run(t, testscript.Params{
		ContinueOnError: true,
		Dir:             "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("TESTDATA", testdata)
			env.Setenv("SAMPLE", filepath.Join(testdata, "sample"))
			env.Setenv("FIXTURES", fixtures)
			env.Setenv(documentsDir, documents)
			env.Defer(func() { copyDocuments(t, env.WorkDir, documents) })
			return serveScripts(env, testdata)
		},
		Condition: func(condition string) (bool, error) {
			switch condition {
			case "fixtures":
				_, err := os.Stat(fixtures)
				return err == nil, nil
			case "root": // to whom no file is forbidden
				return os.Geteuid() == 0 || runtime.GOOS == "windows", nil
			}
			return false, fmt.Errorf("there is no condition %q", condition)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"safetensors": makeFile,
			"many":        makeMany,
			"code":        expectCode,
		},
		RequireUniqueNames: true,
		UpdateScripts:      *update,
	})
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// makeFile is the command "safetensors FILE HEADER SIZE [VALUE|BEGIN]". It writes a
// file whose header is the text of the file HEADER without its line end, padded to a
// multiple of 8, and whose data is SIZE bytes of that value, or 0 after what the file
// BEGIN has, whatever the header says of them.
func makeFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: safetensors FILE HEADER SIZE [VALUE|BEGIN]")
	}
	value, begin := 0, ""
	if len(args) == 4 {
		var err error
		if value, err = strconv.Atoi(args[3]); err != nil {
			begin = ts.ReadFile(args[3]) // what the data begins with
		}
	}
	size, err := strconv.Atoi(args[2])
	ts.Check(err)
	header := strings.TrimSuffix(ts.ReadFile(args[1]), "\n")
	header += strings.Repeat(" ", (8-len(header)%8)%8)
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	data := bytes.Repeat([]byte{byte(value)}, size)
	copy(data, begin)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(b, data...), 0o666))
}

// makeMany is the command "many FILE N". It writes a file of N tensors of one
// byte, named as the experts of layers are.
func makeMany(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: many FILE N")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	header := []byte(`{"__metadata__":{"format":"pt"}`)
	for i := range n {
		header = fmt.Appendf(header, `,"model.layers.%d.mlp.experts.%d.weight":{"dtype":"U8","shape":[1],"data_offsets":[%d,%d]}`, i/100, i%100, i, i+1)
	}
	header = append(header, '}')
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	_, err = f.Write(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...))
	ts.Check(err)
	_, err = io.Copy(f, io.LimitReader(zeros{}, int64(n)))
	ts.Check(err)
}

// zeros is a reader of zero bytes.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// expectCode is the command "code N ARG...". It runs weigh, and expects it to
// end with exit code N.
func expectCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: code N ARG...")
	}
	var exit *exec.ExitError
	got := 0
	if err := ts.Exec("weigh", args[1:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("weigh %s: exit code %d, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}
