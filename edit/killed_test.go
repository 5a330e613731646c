// Edits on Unix: by processes that are killed, and on disks that are full.

//go:build unix

package edit_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/edit"
)

// child runs a test in a process of its own, with what it is to edit. Such tests do
// nothing when they run with the others.
func child(t *testing.T, test, src string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), "EDIT_CHILD="+src)
	cmd.Stderr = os.Stderr
	return cmd
}

func childsSource(t *testing.T) string {
	src := os.Getenv("EDIT_CHILD")
	if src == "" {
		t.Skip("runs as the child of another test")
	}
	return src
}

// A large value is the metadata of every other edit, which has no room for it and
// thus writes the file anew; the other ones overwrite a few bytes.
func valueOf(n int) string {
	if n%4 == 3 {
		return fmt.Sprint(n, strings.Repeat(" large", 1000+n%7*500))
	}
	return fmt.Sprint(n)
}

// TestChildThatIsKilled makes edit after edit, and says which are done.
func TestChildThatIsKilled(t *testing.T) {
	src := childsSource(t)
	for n := range 1 << 20 {
		if _, err := setting("n", valueOf(n)).InPlace(t.Context(), src); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("done %d\n", n)
	}
}

// TestKilled kills processes at random points of their edits. What is there then is a
// whole file, of the last edit that was done or of the one after it, with the tensors
// that it always had.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	var tensors []*safetensors.Tensor
	for i := range 20 {
		tensors = append(tensors, tensor(fmt.Sprintf("layers.%d", i), safetensors.F32, numbered(byte(i), 40_000)))
	}
	src := write(t, safetensors.Encoder{Metadata: map[string]string{"format": "pt"}}, tensors...)
	want := parse(t, src)
	kills := 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); kills++ {
		last := killAtRandom(t, src)
		got := parse(t, src)
		if n := got.metadata["n"]; n != valueOf(last) && n != valueOf(last+1) {
			t.Fatalf("after edit %d was done the file has that of %.20q", last, n)
		}
		if !maps.EqualFunc(got.entries, want.entries, func(a, b entry) bool { return bytes.Equal(a.data, b.data) }) {
			t.Fatalf("after edit %d the file has other tensors", last)
		}
	}
	left := removeHidden(t, filepath.Dir(src))
	onlyHas(t, filepath.Dir(src), "model.safetensors")
	t.Logf("killed %d times, %d of them while there was a hidden folder", kills, left)
}

// killAtRandom starts a child that edits src, kills it some milliseconds after its first
// edit, and returns the last that it said was done.
func killAtRandom(t *testing.T, src string) (last int) {
	t.Helper()
	cmd := child(t, "TestChildThatIsKilled", src)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer cmd.Process.Kill()
	last = -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, err := fmt.Sscanf(lines.Text(), "done %d", &last); err != nil {
			io.Copy(io.Discard, out)
			t.Fatalf("the child says %q", lines.Text())
		}
		if last == 0 {
			time.AfterFunc(time.Duration(rand.IntN(30_000))*time.Microsecond, func() { cmd.Process.Kill() })
		}
	}
	cmd.Wait()
	if last < 0 {
		t.Fatal("the child did nothing")
	}
	return last
}

// removeHidden removes what killed processes have left, and returns how much that was.
func removeHidden(t *testing.T, dir string) (n int) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, ".*.tmp-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if err := os.RemoveAll(name); err != nil {
			t.Fatal(err)
		}
	}
	return len(left)
}

// TestChildThatEditsASet renames the tensors of a set to and fro.
func TestChildThatEditsASet(t *testing.T) {
	src := childsSource(t)
	for n := range 1 << 20 {
		to := []string{"^h=>x", "^x=>h"}[n%2]
		if _, err := (&edit.Edit{Rename: []edit.Rename{rename(t, to)}}).InPlace(t.Context(), src); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("done %d\n", n)
	}
}

// TestKilledSet kills processes that edit a set. Once it is recovered, there is a set with its
// index, and nothing else.
func TestKilledSet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two seconds")
	}
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		dir := sharded(t)
		cmd := child(t, "TestChildThatEditsASet", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Skip(err)
		}
		bufio.NewReader(out).ReadString('\n')
		time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() { cmd.Process.Kill() })
		io.Copy(io.Discard, out)
		cmd.Wait()
		if _, err := shards.Recover(dir, false); err != nil {
			t.Fatal(err)
		}
		checkSet(t, dir, threeShards...)
		if again, err := shards.Recover(dir, false); again != nil || err != nil {
			t.Errorf("a second recovery: %+v, %v", again, err)
		}
	}
}

// TestOverTheLimit has a process that may write 1 MiB to a file, which is to it as a
// disk that is full after so much. Overwriting needs no room, so it goes on.
func TestOverTheLimit(t *testing.T) {
	src := write(t, safetensors.Encoder{Metadata: map[string]string{"a": "old"}, Slack: true}, tensor("t", safetensors.U8, make([]byte, 2<<20)))
	if out, err := child(t, "TestChildWithALimit", src).Output(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if p := parse(t, src); p.metadata["a"] != "overwritten" {
		t.Errorf("the file has %q", p.metadata)
	}
	onlyHas(t, filepath.Dir(src), "model.safetensors")
}

func TestChildWithALimit(t *testing.T) {
	src := childsSource(t)
	const limit = 1 << 20
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		t.Skip(err)
	}
	unchanged(t, filepath.Dir(src), func() {
		for _, e := range []*edit.Edit{setting("a", strings.Repeat("long", 2000)), {Rename: []edit.Rename{rename(t, "t=>x")}}} {
			if _, err := e.InPlace(t.Context(), src); !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), src) {
				t.Errorf("an edit that takes more: %v", err)
			}
		}
	})
	inPlace(t, setting("a", "overwritten"), src)
}
