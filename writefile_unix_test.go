// Files under their names on Unix: pipes, limits, and processes that are killed.

//go:build unix

package safetensors_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weightools/safetensors"
)

func TestWriteFileIntoAPipe(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skipf("no named pipes: %v", err)
	}
	tensor := handMade("a", safetensors.U8, pattern(3<<20), 3<<20)
	read := make(chan []byte)
	go func() {
		b, _ := os.ReadFile(name)
		read <- b
	}()
	if err := safetensors.WriteFile(name, tensor); err != nil {
		t.Fatal(err)
	}
	if got := <-read; !bytes.Equal(got, encoded(t, safetensors.Encoder{}, tensor)) {
		t.Errorf("another file, of %d bytes, came out of the pipe", len(got))
	}
	onlyHas(t, dir, "pipe")
}

func TestWriteFileIntoDevices(t *testing.T) {
	tensor := handMade("a", safetensors.U8, pattern(100), 100)
	if err := safetensors.WriteFile(os.DevNull, tensor); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v, %v", os.DevNull, info, err)
	}
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	if err := safetensors.WriteFile("/dev/full", tensor); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("/dev/full: %v", err)
	}
}

func TestWriteFileKeepsTheMode(t *testing.T) {
	name := onDisk(t, []byte("old"))
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := safetensors.WriteFile(name); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, %v; want 0640", info.Mode(), err)
	}
}

// child runs one of the tests below in a process of its own, with the name of a
// file to write. They do nothing when they run with the others.
func child(t *testing.T, test, file string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), "WRITEFILE_CHILD="+file)
	cmd.Stderr = os.Stderr
	return cmd
}

func childsFile(t *testing.T) string {
	file := os.Getenv("WRITEFILE_CHILD")
	if file == "" {
		t.Skip("runs as the child of another test")
	}
	return file
}

// TestWriteFileOverTheLimit has a process that may write 2 MiB to a file, which
// is to it as a disk that is full after so much.
func TestWriteFileOverTheLimit(t *testing.T) {
	name := onDisk(t, []byte("old"))
	if out, err := child(t, "TestChildWithALimit", name).Output(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "old" {
		t.Errorf("the old file has %d bytes, %v", len(b), err)
	}
	onlyHas(t, filepath.Dir(name), filepath.Base(name))
}

func TestChildWithALimit(t *testing.T) {
	file := childsFile(t)
	const limit = 2 << 20
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skip(err)
	}
	fits := handMade("a", safetensors.U8, pattern(100), 100)
	if err := safetensors.WriteFile(file+".small", fits); err != nil {
		t.Errorf("a file below the limit: %v", err)
	}
	os.Remove(file + ".small")
	tensor := handMade("a", safetensors.U8, pattern(2*limit), 2*limit)
	if err := safetensors.WriteFile(file, tensor); !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "write "+file+": ") {
		t.Errorf("a file above the limit: %v", err)
	}
}

// generation returns the tensors of the n-th file that a child writes. All of a
// file is of one generation, and no two generations are alike in any tensor.
func generation(n int) []*safetensors.Tensor {
	var tensors []*safetensors.Tensor
	for i := range 3 {
		size := 1<<20 + (n*7+i)%13*8
		b := bytes.Repeat([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(i), 1, 2, 3, 4}, size/8)
		tensors = append(tensors, handMade(fmt.Sprint(i), safetensors.U8, b, int64(size)))
	}
	return tensors
}

// TestChildThatIsKilled writes generation after generation, and says which it
// begins with, and which are done.
func TestChildThatIsKilled(t *testing.T) {
	file := childsFile(t)
	for n := range 1 << 20 {
		if err := safetensors.WriteFile(file, generation(n)...); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("done %d\n", n)
	}
}

// TestWriteFileKilled kills a process at random points while it writes one file
// again and again. What is there then is a file, whole: the last that was done,
// or the one after it.
func TestWriteFileKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "model.safetensors")
	kills := 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); kills++ {
		last := killAtRandom(t, name)
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, encoded(t, safetensors.Encoder{}, generation(last)...)) &&
			!bytes.Equal(got, encoded(t, safetensors.Encoder{}, generation(last+1)...)) {
			t.Fatalf("after %d were done, the file is neither that nor the next: %d bytes", last, len(got))
		}
	}
	left := removeHidden(t, dir)
	onlyHas(t, dir, "model.safetensors")
	t.Logf("killed %d times, %d of them while a hidden file was there", kills, left)
}

// killAtRandom starts a child that writes the named file, kills it some
// milliseconds after it has written the first, and returns which was the last
// that it said is done.
func killAtRandom(t *testing.T, name string) (last int) {
	t.Helper()
	cmd := child(t, "TestChildThatIsKilled", name)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	// Should reading go wrong, nobody else would end it.
	defer cmd.Process.Kill()
	last = -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		n, ok := strings.CutPrefix(lines.Text(), "done ")
		if !ok {
			io.Copy(io.Discard, out)
			t.Fatalf("the child says %q", lines.Text())
		}
		if last, err = strconv.Atoi(n); err != nil {
			t.Fatal(err)
		}
		if last == 0 {
			time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
	}
	cmd.Wait()
	if last < 0 {
		t.Fatal("the child wrote nothing")
	}
	return last
}

// removeHidden removes the hidden files that killed processes have left, which
// are known by their names, and returns how many there were.
func removeHidden(t *testing.T, dir string) (n int) {
	t.Helper()
	hidden := regexp.MustCompile(`^\.model\.safetensors\.tmp-[0-9a-z]{10}$`)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if hidden.MatchString(e.Name()) {
			os.Remove(filepath.Join(dir, e.Name()))
			n++
		}
	}
	return n
}
