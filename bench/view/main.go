// Command view measures the server of "weigh view", without a browser.
//
//	go run ./bench/view
//
// It makes a file of 500,000 tensors, and one with an 8192x8192 tensor of BF16, in a temporary folder.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/weightools/safetensors"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "view:", err)
		os.Exit(1)
	}
}

func run() error {
	work, err := os.MkdirTemp("", "view-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	program := filepath.Join(work, "weigh")
	if text, err := exec.Command("go", "build", "-o", program, "github.com/weightools/safetensors/cmd/weigh").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	many, large := filepath.Join(work, "many.safetensors"), filepath.Join(work, "large.safetensors")
	if err := makeMany(many); err != nil {
		return err
	}
	if err := makeLarge(large); err != nil {
		return err
	}
	fmt.Println("500,000 tensors")
	err = measure(program, many, "/", "/api/session", "/api/rows", "/api/rows?offset=250000&limit=500", "/api/info",
		"/api/tree?depth=6&fold=1&sort=bytes", "/api/rows?sort=name", "/api/rows?sort=name&offset=400000", "/api/check")
	if err != nil {
		return err
	}
	fmt.Println("\n8192x8192 BF16")
	tiles := []string{"/api/plane?id=0", "/api/tile?id=0&level=5"}
	for level := range 6 {
		tiles = append(tiles, fmt.Sprintf("/api/tile?id=0&level=%d&mode=mean", level))
	}
	return measure(program, large, append(tiles, "/api/norms?id=0", "/api/stats?id=0")...)
}

// makeMany writes a mixture of experts with small tensors.
func makeMany(file string) error {
	data := make([]byte, 32)
	var list []*safetensors.Tensor
	for i := range 500_000 {
		name := fmt.Sprintf("model.layers.%d.mlp.experts.%d.%s.weight", i/8192, i%8192/32, fmt.Sprint("part_", i%32))
		t, err := safetensors.TensorAt(name, safetensors.BF16, []int64{4, 4}, bytes.NewReader(data))
		if err != nil {
			return err
		}
		list = append(list, t)
	}
	return safetensors.WriteFile(file, list...)
}

// makeLarge writes one tensor of random numbers.
func makeLarge(file string) error {
	data := make([]byte, 2*8192*8192)
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(data); i += 2 {
		binary.LittleEndian.PutUint16(data[i:], uint16(0x3c00+r.Uint32N(0x200)|r.Uint32N(2)<<15))
	}
	t, err := safetensors.TensorAt("weight", safetensors.BF16, []int64{8192, 8192}, bytes.NewReader(data))
	if err != nil {
		return err
	}
	return safetensors.WriteFile(file, t)
}

// measure prints how long the server takes to start and to answer each request, the first time and the best of three
// more, and its memory after that.
func measure(program, file string, requests ...string) error {
	begin := time.Now()
	server := exec.Command(program, "view", "--no-open", file)
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer server.Wait()
	defer server.Process.Kill()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	row("start", time.Since(begin), 0, 0)
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar}
	base, _, _ := strings.Cut(strings.TrimSpace(url), "/?")
	if _, _, err := get(client, strings.TrimSpace(url)); err != nil {
		return err
	}
	for _, path := range requests {
		first, size, err := get(client, base+path)
		if err != nil {
			return err
		}
		best := first
		for range 3 {
			again, _, err := get(client, base+path)
			if err != nil {
				return err
			}
			best = min(best, again)
		}
		row(path, first, best, size)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", server.Process.Pid))
	if err != nil {
		return nil // not Linux
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	fmt.Printf("%-50s %s, of a file of %d KiB\n", "peak memory", regexp.MustCompile(`VmHWM:\s*(.*)`).FindSubmatch(status)[1], info.Size()>>10)
	return nil
}

func row(what string, first, best time.Duration, size int64) {
	fmt.Printf("%-50s %8.1f ms  %8.1f ms  %8d bytes\n", what, first.Seconds()*1000, best.Seconds()*1000, size)
}

// get returns how long an answer takes, and its size.
func get(client *http.Client, url string) (time.Duration, int64, error) {
	begin := time.Now()
	answer, err := client.Get(url)
	if err != nil {
		return 0, 0, err
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, answer.Status)
	}
	return time.Since(begin), n, err
}
