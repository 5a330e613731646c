// Progress on a pseudo-terminal, of commands that read from a server that waits.

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/weightools/safetensors"
)

// A waitingServer serves files in ranges. After so many bytes, it waits with files that are late, all of them if late is
// nil, until it is released.
type waitingServer struct {
	*httptest.Server
	mu      sync.Mutex
	served  int // bytes
	release chan struct{}
}

func serveWaiting(t *testing.T, files map[string][]byte, after int, late func(name string) bool) *waitingServer {
	t.Helper()
	s := &waitingServer{release: make(chan struct{})}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"1"`)
		if r.Method == http.MethodGet && (late == nil || late(r.URL.Path)) {
			w = &waitingWriter{w, s, r, after}
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
	}))
	t.Cleanup(s.Close)
	return s
}

// A waitingWriter waits for the release when more than so many bytes were served.
type waitingWriter struct {
	http.ResponseWriter
	s     *waitingServer
	r     *http.Request
	after int
}

// Write writes b, late.
func (w *waitingWriter) Write(b []byte) (int, error) {
	w.s.mu.Lock()
	w.s.served += len(b)
	late := w.s.served > w.after
	w.s.mu.Unlock()
	if late {
		w.ResponseWriter.(http.Flusher).Flush()
		select {
		case <-w.s.release:
		case <-w.r.Context().Done():
		}
	}
	return w.ResponseWriter.Write(b)
}

// openPTY returns both ends of a pseudo-terminal with so many columns.
func openPTY(t *testing.T, columns uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminal:", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { slave.Close() })
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// A screen is a command whose standard error is a terminal.
type screen struct {
	cmd    *exec.Cmd
	master *os.File
	text   bytes.Buffer
}

func startOnScreen(t *testing.T, columns uint16, args ...string) *screen {
	t.Helper()
	master, slave := openPTY(t, columns)
	s := &screen{cmd: exec.Command("weigh", args...), master: master}
	s.cmd.Env = append(os.Environ(), "WEIGH_CACHE=off")
	s.cmd.Stderr = slave
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	hung := time.AfterFunc(time.Minute, func() { s.cmd.Process.Kill() })
	t.Cleanup(func() {
		hung.Stop()
		s.cmd.Process.Kill()
	})
	return s
}

// waitFor reads until the terminal has shown the pattern. It returns false at the end of the output.
func (s *screen) waitFor(pattern *regexp.Regexp) bool {
	b := make([]byte, 4096)
	for !pattern.Match(s.text.Bytes()) {
		n, err := s.master.Read(b)
		s.text.Write(b[:n])
		if err != nil { // the program has ended
			return pattern.Match(s.text.Bytes())
		}
	}
	return true
}

// end reads the rest, and returns what the terminal shows then.
func (s *screen) end() string {
	s.waitFor(regexp.MustCompile(`\z.`)) // which matches nothing
	s.cmd.Wait()
	var shown strings.Builder
	for line := range strings.Lines(s.text.String()) {
		parts := strings.Split(strings.TrimRight(line, "\r\n"), "\r\x1b[K")
		shown.WriteString(parts[len(parts)-1])
		if strings.HasSuffix(line, "\n") {
			shown.WriteByte('\n')
		}
	}
	return shown.String()
}

// movingBytes matches a line of progress that has moved.
var movingBytes = regexp.MustCompile(`[1-9][0-9]?%, .*[1-9][0-9.]* (KiB|MiB) of `)

// Every command that reads data shows how far it is, and removes the line at the end.
func TestProgressOfEveryCommand(t *testing.T) {
	data := make([]float32, 1<<20)
	for i := range data {
		data[i] = float32(i % 1000)
	}
	var list []*safetensors.Tensor
	for i := range 6 {
		one, err := safetensors.NewTensor(fmt.Sprintf("model.layers.%d.weight", i), data, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, one)
	}
	var file bytes.Buffer
	if err := new(safetensors.Encoder).Encode(&file, list...); err != nil {
		t.Fatal(err)
	}
	pickle := []byte("\x80\x02" + strings.Repeat("N0", 4<<20) + "N.") // 8 MiB of None, which is popped
	dir := t.TempDir()
	local := filepath.Join(dir, "local.safetensors")
	if err := os.WriteFile(local, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "m.npz")
	weigh(t, "cat", local, "**", "-o", archive)
	npz, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, args string }{
		{"stats", "stats URL"},
		{"check", "check --data URL"},
		{"hash", "hash URL"},
		{"hash of a set", "hash --set URL"},
		{"scan", "scan PICKLE"},
		{"pickle", "pickle PICKLE"},
		{"diff", "diff URL " + local},
		{"diff of values", "diff --values URL " + local},
		{"cat", "cat URL ** -o " + filepath.Join(dir, "cat.npz")},
		{"convert", "convert NPZ -o " + filepath.Join(dir, "converted.safetensors")},
		{"split", "split URL --max-shard-size 9MB -o " + filepath.Join(dir, "split")},
		{"merge", "merge URL -o " + filepath.Join(dir, "merged.safetensors")},
		{"edit", "edit URL --set a=b -o " + filepath.Join(dir, "edited.safetensors")},
		{"metadata", "metadata --hashes URL"},
		{"get", "get URL -o " + filepath.Join(dir, "got")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after := file.Len() / 2
			switch tt.name {
			case "scan", "pickle": // which read less
				after = 1 << 20
			}
			server := serveWaiting(t, map[string][]byte{"m.safetensors": file.Bytes(), "m.pkl": pickle, "m.npz": npz}, after, nil)
			urls := strings.NewReplacer("URL", server.URL+"/m.safetensors", "PICKLE", server.URL+"/m.pkl",
				"NPZ", server.URL+"/m.npz")
			s := startOnScreen(t, 100, strings.Fields(urls.Replace(tt.args))...)
			moved := s.waitFor(movingBytes)
			close(server.release)
			if shown := s.end(); !moved || strings.Contains(shown, "%") {
				t.Errorf("moved: %t; at the end the terminal shows %q, of %q", moved, shown, s.text.String())
			}
		})
	}
}

// Headers of many files are counted, too.
func TestProgressOfFiles(t *testing.T) {
	const shards = 40
	one, err := safetensors.NewTensor("w", make([]float32, 1<<20), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	index := `{"weight_map":{`
	for i := range shards {
		var file bytes.Buffer
		own := *one
		own.Name = fmt.Sprintf("w.%d", i)
		if err := new(safetensors.Encoder).Encode(&file, &own); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", i+1, shards)
		files[name] = file.Bytes()
		index += fmt.Sprintf("%q:%q,", own.Name, name)
	}
	files["model.safetensors.index.json"] = []byte(strings.TrimSuffix(index, ",") + "}}")
	server := serveWaiting(t, files, 0, func(name string) bool { return strings.HasPrefix(name, "/model-0003") })
	s := startOnScreen(t, 100, "info", server.URL+"/model.safetensors.index.json")
	moved := s.waitFor(regexp.MustCompile(`[1-9][0-9]?%, [1-9][0-9]* of 40 files`))
	close(server.release)
	if shown := s.end(); !moved || strings.Contains(shown, "%") {
		t.Errorf("moved: %t; at the end the terminal shows %q, of %q", moved, shown, s.text.String())
	}
}

// An interrupt removes the line, and so does a message. Nothing is shown with --quiet.
func TestProgressEndsCleanly(t *testing.T) {
	var file bytes.Buffer
	one, err := safetensors.NewTensor("w", make([]float32, 4<<20), 4<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := new(safetensors.Encoder).Encode(&file, one); err != nil {
		t.Fatal(err)
	}
	server := serveWaiting(t, map[string][]byte{"m.safetensors": file.Bytes()}, file.Len()/2, nil)
	s := startOnScreen(t, 24, "hash", server.URL+"/m.safetensors")
	if !s.waitFor(regexp.MustCompile(`[1-9][0-9]?%`)) {
		t.Errorf("no progress: %q", s.text.String())
	}
	s.cmd.Process.Signal(syscall.SIGINT)
	shown := s.end()
	if strings.Contains(shown, "%") || s.cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("exit code %d; after an interrupt the terminal shows %q", s.cmd.ProcessState.ExitCode(), shown)
	}
	for line := range strings.SplitSeq(s.text.String(), "\r\x1b[K") {
		if len(line) > 23 && strings.Contains(line, "%") {
			t.Errorf("a terminal of 24 columns wraps %q", line)
		}
	}
	close(server.release)
	quiet := startOnScreen(t, 100, "hash", "-q", server.URL+"/m.safetensors")
	if shown := quiet.end(); quiet.text.Len() > 0 {
		t.Errorf("--quiet shows %q", shown)
	}
}
