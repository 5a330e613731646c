// Runs that are killed at any system call that changes files, and runs that meet others.

package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	killTime = flag.Duration("kill-time", 3*time.Second, "how long to kill, and to interrupt, runs at random calls")
	killAll  = flag.Bool("kill-all", false, "kill runs at every call, which takes many minutes")
	killSeed = flag.Uint64("kill-seed", uint64(time.Now().UnixNano()), "for the choice of calls")
)

// A killScenario is a command that writes files to the folder m.
type killScenario struct {
	name  string
	setup string // commands, separated by semicolons
	run   string
}

// killScenarios are commands of all kinds of writing. $S is the sample of two shards, $T the folder of PyTorch files.
var killScenarios = []killScenario{
	{"metadata without room", "cp $S m", "metadata --set a=b m"},
	{"metadata in place", "cp $S m; weigh metadata --set a=b m", "metadata --set a=c m"},
	{"metadata removed in place", "cp $S m; weigh metadata --set a=b m", "metadata --unset a m"},
	{"metadata of five shards", "weigh split --max-shard-size 64KB $S -o m; weigh metadata --set a=b m", "metadata --set a=long-er m"},
	{"metadata of a file without room", "weigh merge $S -o m/model.safetensors", "metadata --set a=b m"},
	{"metadata of a file in place", "weigh merge $S -o m/model.safetensors; weigh metadata --set a=b m", "metadata --set a=c m"},
	{"rename in place", "cp $S m", "edit --in-place --rename ^model=>x m"},
	{"drop a shard in place", "weigh split --max-shard-size 64KB $S -o m", "edit --in-place --drop **up_proj** m"},
	{"drop a file in place", "weigh merge $S -o m/a.safetensors --include **norm**; weigh merge $S -o m/b.safetensors --exclude **norm**", "edit --in-place --drop **norm** m"},
	{"cast in place", "cp $S m", "edit --in-place --cast BF16 m"},
	{"cast a file in place", "weigh merge $S -o m/model.safetensors", "edit --in-place --cast BF16 m/model.safetensors"},
	{"edit to a new folder", "", "edit $S -o m --set a=b"},
	{"edit to a folder that has it", "weigh edit $S -o m --set a=c", "edit $S -o m --set a=b --force"},
	{"edit to a file", "weigh merge $S -o one.safetensors; mkdir m", "edit one.safetensors -o m/one.safetensors --set a=b"},
	{"split a file in place", "weigh merge $S -o m/model.safetensors", "split --in-place --max-shard-size 64KB m"},
	{"split shards in place", "cp $S m", "split --in-place --max-shard-size 64KB m"},
	{"split to a new folder", "", "split $S -o m --max-shard-size 64KB"},
	{"split to a folder of others", "weigh split $S -o m --max-shard-size 100KB", "split $S -o m --max-shard-size 64KB --force"},
	{"merge in place", "cp $S m", "merge --in-place m"},
	{"merge to a new file", "mkdir m", "merge $S -o m/model.safetensors"},
	{"merge to a file that exists", "weigh merge $S -o m/model.safetensors --exclude **norm**", "merge $S -o m/model.safetensors --force"},
	{"merge to a folder of shards", "weigh split $S -o m --max-shard-size 64KB", "merge $S -o m/model.safetensors --force"},
	{"convert shards", "", "convert $T/sharded -o m"},
	{"convert to a folder of others", "weigh split $S -o m --max-shard-size 64KB", "convert $T/sharded -o m --force"},
	{"convert a file", "mkdir m", "convert $T/checkpoint.pt -o m/model.safetensors"},
	{"recover an exchange", "cp $S m; kill 12 edit --in-place --rename ^model=>x m", "edit --recover m"},
	{"recover metadata", "cp $S m; weigh metadata --set a=b m; kill 5 metadata --set a=c m", "edit --recover m"},
	{"a report", "mkdir m", "hash $S -o m/sums.txt"},
}

// A killedScenario is one whose outcome is known.
type killedScenario struct {
	killScenario
	base            string            // a folder that is set up
	calls           int               // that change files
	old, new, newer map[string]string // the files of m before, after, and after a second run
}

// words returns a command's words.
func words(command string) []string {
	s, _ := filepath.Abs("../../testdata/sample")
	t, _ := filepath.Abs("../../testdata/torch")
	return strings.Fields(strings.NewReplacer("$S", s, "$T", t).Replace(command))
}

// commandIn returns a command to run in a folder, and the buffer for its errors.
func commandIn(dir, program string, args ...string) (cmd *exec.Cmd, errs *bytes.Buffer) {
	cmd, errs = exec.Command(program, args...), new(bytes.Buffer)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), "WEIGH_CACHE=off"), errs
	return cmd, errs
}

// inFolder runs a program in a folder, and returns its output and exit code.
func inFolder(t *testing.T, dir, program string, args ...string) (out string, code int) {
	t.Helper()
	cmd, errs := commandIn(dir, program, args...)
	b, err := cmd.Output()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return string(b) + errs.String(), cmd.ProcessState.ExitCode()
}

// prepare sets a scenario up, and runs it without a kill.
func prepare(t *testing.T, s killScenario) *killedScenario {
	t.Helper()
	k := &killedScenario{killScenario: s, base: t.TempDir()}
	for command := range strings.SplitSeq(s.setup, ";") {
		w := words(command)
		if len(w) == 0 {
			continue
		}
		switch w[0] {
		case "cp":
			w = append([]string{"cp", "-r"}, w[1:]...)
		case "kill":
			w = append([]string{"traced", "killed", w[1], "weigh"}, w[2:]...)
		}
		if out, code := inFolder(t, k.base, w[0], w[1:]...); code != 0 && code != 137 {
			t.Fatalf("%s: %s: exit code %d, %s", s.name, command, code, out)
		}
	}
	k.old = digestsIn(t, filepath.Join(k.base, "m"))
	dir := k.copy(t)
	out, code := inFolder(t, dir, "traced", append([]string{"count", "-1", "weigh"}, words(s.run)...)...)
	if strings.Contains(out, "no ptrace") {
		t.Skip(out)
	}
	if _, err := fmt.Sscanf(out[strings.LastIndex(out, "calls "):], "calls %d", &k.calls); err != nil || code != 0 {
		t.Fatalf("%s: exit code %d, %v: %s", s.name, code, err, out)
	}
	k.new = digestsIn(t, filepath.Join(dir, "m"))
	if left := hiddenIn(t, dir); left != nil {
		t.Errorf("%s leaves %q", s.name, left)
	}
	inFolder(t, dir, "weigh", words(s.run)...)
	k.newer = digestsIn(t, filepath.Join(dir, "m"))
	os.RemoveAll(dir)
	return k
}

// copy returns a copy of the base, with the dates of files.
func (k *killedScenario) copy(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(k.base), "")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", "-a", k.base+"/.", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// digestsIn returns the digests of the files that programs find in a folder.
func digestsIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case os.IsNotExist(err):
			return nil
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return fs.SkipDir
		case d.IsDir() || strings.HasPrefix(d.Name(), "."):
			return nil
		}
		b, err := os.ReadFile(path)
		all[path[len(dir):]] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// hiddenIn returns the hidden files and folders in a folder and in m.
func hiddenIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, pattern := range []string{".*", "m/.*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}

// TestKilledAnywhere kills runs before and after their calls that change files. What is left is the old files or
// the new ones, or check says otherwise; then edit --recover, or the next run, makes it one of them.
func TestKilledAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if *killAll {
		points := 0
		for _, s := range killScenarios {
			k := prepare(t, s)
			for at := range 2 * k.calls {
				k.kill(t, at)
			}
			points += 2 * k.calls
		}
		t.Logf("%d scenarios, %d points", len(killScenarios), points)
		return
	}
	kills := atRandom(t, killScenarios, func(k *killedScenario, random *rand.Rand) { k.kill(t, random.IntN(2*k.calls)) })
	t.Logf("%d points, seed %d", kills, *killSeed)
}

// atRandom does something with random scenarios, as long as there is time, and returns how often.
func atRandom(t *testing.T, scenarios []killScenario, do func(*killedScenario, *rand.Rand)) (n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(*killSeed, 0))
	ready := make([]*killedScenario, len(scenarios))
	for end := time.Now().Add(*killTime); time.Now().Before(end) && !t.Failed(); n++ {
		at := random.IntN(len(scenarios))
		if ready[at] == nil {
			ready[at] = prepare(t, scenarios[at])
		}
		do(ready[at], random)
	}
	return n
}

// kill kills a run before (at even points) or after a call.
func (k *killedScenario) kill(t *testing.T, point int) {
	t.Helper()
	dir := k.copy(t)
	defer os.RemoveAll(dir)
	action := []string{"kill", "killed"}[point%2]
	inFolder(t, dir, "traced", append([]string{action, fmt.Sprint(point / 2), "weigh"}, words(k.run)...)...)
	m := filepath.Join(dir, "m")
	state, left := digestsIn(t, m), hiddenIn(t, dir)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s: %s at call %d: %s; it had left %q and %q", k.name, action, point/2, fmt.Sprintf(format, args...),
			slices.Sorted(maps.Keys(state)), left)
	}
	whole := maps.Equal(state, k.old) || maps.Equal(state, k.new)
	named := k.named(t, m)
	switch {
	case !whole && !strings.Contains(named, "exchange-unfinished"):
		fail("neither the old files nor the new ones, and check says %s", named)
	case len(left) > 0 && !strings.Contains(named, "exchange-unfinished") && !strings.Contains(named, "leftover"):
		fail("check does not name what is left: %s", named)
	}
	after := []map[string]string{k.old, k.new}
	run := []string{"edit", "--recover", "m"}
	if point/2%2 == 1 && !strings.HasPrefix(k.run, "edit --recover") {
		run, after = words(k.run), []map[string]string{k.new, k.newer}
	}
	if _, err := os.Stat(m); err != nil {
		return
	}
	out, code := inFolder(t, dir, "weigh", run...)
	if code != 0 && run[1] != "--recover" { // it is refused, because the first one was done
		inFolder(t, dir, "weigh", "edit", "--recover", "m")
	}
	state = digestsIn(t, m)
	if !slices.ContainsFunc(after, func(want map[string]string) bool { return maps.Equal(want, state) }) {
		fail("then weigh %s: exit code %d, %s", run[0], code, out)
	} else if left = hiddenIn(t, dir); left != nil {
		fail("weigh %s has not removed everything: exit code %d, %s", run[0], code, out)
	}
}

// named returns what check says of the folder.
func (k *killedScenario) named(t *testing.T, m string) string {
	var out bytes.Buffer
	run(t.Context(), []string{"check", "--json", m}, strings.NewReader(""), &out, io.Discard, noEnv)
	return out.String()
}

// TestInterruptedAnywhere sends SIGINT or SIGHUP before calls that change files. The exit code says what has happened.
func TestInterruptedAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	n := atRandom(t, killScenarios, func(k *killedScenario, random *rand.Rand) {
		dir, at := k.copy(t), random.IntN(k.calls)
		defer os.RemoveAll(dir)
		action := []string{"interrupt", "hangup"}[at%2]
		out, code := inFolder(t, dir, "traced", append([]string{action, fmt.Sprint(at), "weigh"}, words(k.run)...)...)
		state := digestsIn(t, filepath.Join(dir, "m"))
		want := map[int]map[string]string{0: k.new, 130: k.old}[code]
		if want == nil || !maps.Equal(state, want) || hiddenIn(t, dir) != nil {
			t.Errorf("%s: interrupted at call %d: exit code %d, %q, %s", k.name, at, code,
				slices.Sorted(maps.Keys(state)), out)
		}
	})
	t.Logf("%d interrupts, seed %d", n, *killSeed)
}
