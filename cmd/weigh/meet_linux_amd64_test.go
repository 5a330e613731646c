// Runs that meet another run on the same files.

package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var meetings = flag.Int("meetings", 3, "how often two runs meet on one target")

// A pair is two commands on one target.
type pair struct{ setup, a, b string }

var pairs = []pair{
	{"cp $S m", "metadata --set a=1 m", "metadata --set b=2 m"},
	{"cp $S m; weigh metadata --set a=0 m", "metadata --set a=1 m", "metadata --set a=2 m"},
	{"cp $S m; weigh metadata --set a=0 m", "metadata --set a=1 m", "edit --in-place --rename ^model=>x m"},
	{"cp $S m", "split --in-place --max-shard-size 64KB m", "merge --in-place m"},
	{"cp $S m", "edit --in-place --cast BF16 m", "edit --in-place --rename ^model=>x m"},
	{"weigh merge $S -o m/model.safetensors", "metadata --set a=1 m", "split --in-place --max-shard-size 64KB m"},
	{"", "split $S -o m --max-shard-size 64KB", "split $S -o m --max-shard-size 100KB"},
	{"", "split $S -o m --max-shard-size 64KB --force", "split $S -o m --max-shard-size 100KB --force"},
	{"mkdir m", "merge $S -o m/model.safetensors", "split $S -o m --max-shard-size 100KB"},
	{"mkdir m", "merge $S -o m/model.safetensors", "merge $S -o m/model.safetensors --exclude **norm**"},
	{"weigh merge $S -o m/model.safetensors", "merge $S -o m/model.safetensors --force --exclude **norm**", "edit --in-place --rename ^model=>x m"},
	{"weigh merge $S -o m/model.safetensors", "convert $T/checkpoint.pt -o m/model.safetensors --force", "metadata --set a=1 m"},
	{"mkdir m", "edit $S -o m --set a=1", "convert $T/sharded -o m"},
	{"cp $S m", "split --in-place --max-shard-size 64KB m", "edit --recover m"},
}

// A meeting is a pair whose outcomes are known, if one comes after the other.
type meeting struct {
	*killedScenario
	pair
	alone map[string]map[string]string // files by the commands that succeed, in order: "", "a", "b", "ab", "ba"
}

// arrange finds the outcomes of a pair.
func arrange(t *testing.T, p pair) *meeting {
	t.Helper()
	m := &meeting{prepare(t, killScenario{p.a, p.setup, p.a}), p, make(map[string]map[string]string)}
	m.alone[""] = m.old
	for _, order := range []string{"ab", "ba"} {
		dir, done := m.copy(t), ""
		for _, which := range order {
			command := map[rune]string{'a': p.a, 'b': p.b}[which]
			if _, code := inFolder(t, dir, "weigh", words(command)...); code == 0 {
				done += string(which)
			}
			m.alone[done] = digestsIn(t, filepath.Join(dir, "m"))
		}
		os.RemoveAll(dir)
	}
	return m
}

// TestRunsThatMeet stops a run at a random call that changes files, has another run begin on the same target, and lets
// the first go on. Those that succeed have done what they would have done one after the other.
func TestRunsThatMeet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	random := rand.New(rand.NewPCG(*killSeed, 2))
	var all []*meeting
	for range min(*meetings, len(pairs)) {
		all = append(all, nil)
	}
	for i, at := range random.Perm(len(pairs))[:len(all)] {
		all[i] = arrange(t, pairs[at])
	}
	both := 0
	for i := range *meetings {
		if all[i%len(all)].meet(t, random) {
			both++
		}
	}
	t.Logf("%d meetings, in %d of which both runs succeeded, seed %d", *meetings, both, *killSeed)
}

// meet has the two runs meet, and reports whether both succeed.
func (m *meeting) meet(t *testing.T, random *rand.Rand) bool {
	t.Helper()
	dir := m.copy(t)
	defer os.RemoveAll(dir)
	at := random.IntN(m.calls)
	first, errs := commandIn(dir, "traced", append([]string{"hold", fmt.Sprint(at), "weigh"}, words(m.a)...)...)
	in, _ := first.StdinPipe()
	out, _ := first.StdoutPipe()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	lines.ReadString('\n') // it is held, or has ended
	second, said := commandIn(dir, "weigh", words(m.b)...)
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- second.Wait() }()
	select {
	case err := <-ended:
		ended <- err
	case <-time.After(time.Duration(random.IntN(400)) * time.Millisecond): // it waits for the first, or is slow
	}
	io.WriteString(in, "go on\n")
	io.Copy(io.Discard, lines)
	first.Wait()
	<-ended
	done := ""
	if first.ProcessState.ExitCode() == 0 {
		done += "a"
	}
	if second.ProcessState.ExitCode() == 0 {
		done += "b"
	}
	m.judge(t, dir, done, fmt.Sprintf("%q held at call %d, and %q: %q and %q", m.a, at, m.b, errs.String(), said.String()))
	return done == "ab"
}

// judge checks what the two runs have left.
func (m *meeting) judge(t *testing.T, dir, done, how string) {
	t.Helper()
	state, left := digestsIn(t, filepath.Join(dir, "m")), hiddenIn(t, dir)
	fits := func(order string) bool {
		want, ok := m.alone[order]
		return ok && maps.Equal(want, state)
	}
	reversed := []byte(done)
	slices.Reverse(reversed)
	if !fits(done) && !fits(string(reversed)) {
		t.Errorf("%s: %q succeeded, and there are %q", how, done, slices.Sorted(maps.Keys(state)))
	}
	if left != nil {
		t.Errorf("%s: %q succeeded, and have left %q", how, done, left)
	}
}
