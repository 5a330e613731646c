// The memory that the program takes, as the system counts it.

package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/weightools/safetensors/remote/remotetest"
)

// weighed is the program, which says at its end on standard error how much of the memory
// it took was in use at once, in KiB. What the system tells a parent is of no use: it
// counts what the process was before it became this program, which is the parent's copy.
func weighed() {
	code := run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if peak, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Fprint(os.Stderr, strings.TrimSuffix(strings.TrimSpace(peak), " kB"))
		}
	}
	os.Exit(code)
}

// TestPeakOfManyShards: to look at a model of 145 GB in 37 shards, with its config.json, takes less
// than 30 MiB, most of which is the program itself.
func TestPeakOfManyShards(t *testing.T) {
	layout := remotetest.NewLayout(remotetest.Qwen72B(), 4e9)
	const config = `{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2"}`
	layout.Heads["config.json"], layout.Sizes["config.json"] = []byte(config), int64(len(config))
	server := httptest.NewServer(layout)
	defer server.Close()
	cmd := exec.Command("weighed", "info", server.URL+"/qwen/")
	cmd.Env = append(os.Environ(), "WEIGH_CACHE=off")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	if !strings.Contains(out.String(), "963 tensors") {
		t.Errorf("it says %s", out.String())
	}
	peak, err := strconv.Atoi(errs.String())
	if err != nil {
		t.Skipf("the system does not say: %q", errs.String())
	}
	t.Logf("%d KiB", peak)
	if peak > 30<<10 && !isRaced() {
		t.Errorf("it took %d KiB, want 30 MiB at most", peak)
	}
}

// isRaced says whether the race detector is built in, which takes memory of its own.
func isRaced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
