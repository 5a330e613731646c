// Command shots opens every page of "weigh view" in Chromium, takes pictures, and fails if something is wrong.
//
//	go run ./bench/shots [--out FOLDER] [--axe axe.min.js] [SCENE...]
//	go run ./bench/shots --readme docs/view.png
//
// It writes NAME-WIDTH-light.png and NAME-WIDTH-dark.png for each scene, at widths of 1440 and 390 pixels. It fails if
// a page reports an error on the console, is wider than the window, or violates a rule of axe-core that is serious or
// critical. Without --axe, accessibility is not tested; npm ci in cmd/weigh/internal/viewer/page installs
// node_modules/axe-core/axe.min.js.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "shots", "the folder for the pictures")
	axe := flag.String("axe", "", "the file axe.min.js, to test accessibility")
	program := flag.String("weigh", "", "the program; built from this workspace by default")
	readme := flag.String("readme", "", "write the picture of the README to this file, and take no others")
	flag.Parse()
	if err := run(*out, *axe, *program, *readme, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "shots:", err)
		os.Exit(1)
	}
}

func run(out, axe, program, readme string, names []string) error {
	work, err := os.MkdirTemp("", "shots-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if program == "" {
		program = filepath.Join(work, "weigh")
		if text, err := exec.Command("go", "build", "-o", program,
			"github.com/weightools/safetensors/cmd/weigh").CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, text)
		}
	}
	b, err := openBrowser(out, axe, work)
	if err != nil {
		return err
	}
	defer b.close()
	if readme != "" {
		return takeReadme(b, program, work, readme)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	var all []error
	for _, group := range groups {
		if len(names) > 0 && !slices.ContainsFunc(group.scenes,
			func(s scene) bool { return slices.Contains(names, s.name) }) {
			continue
		}
		all = append(all, takeGroup(b, program, work, group, names))
	}
	return errors.Join(all...)
}

// takeGroup makes the models of the group, starts a server for them, and takes its scenes.
func takeGroup(b *browser, program, work string, group group, names []string) error {
	targets, err := group.make(work)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	address, err := group.start(ctx, program, targets)
	if err != nil {
		return err
	}
	var all []error
	for _, s := range group.scenes {
		if len(names) > 0 && !slices.Contains(names, s.name) {
			continue
		}
		all = append(all, b.take(address, s))
	}
	return errors.Join(all...)
}

// serve starts "weigh view" and returns the address that it prints.
func serve(ctx context.Context, program string, targets []string) (string, error) {
	command := exec.CommandContext(ctx, program, append([]string{"view", "--no-open"}, targets...)...)
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	lines := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(output).ReadString('\n')
		lines <- strings.TrimSpace(line)
		command.Wait()
	}()
	select {
	case line := <-lines:
		if !strings.HasPrefix(line, "http") {
			return "", fmt.Errorf("weigh view printed %q instead of an address", line)
		}
		return line, nil
	case <-time.After(30 * time.Second):
		return "", errors.New("weigh view printed no address in 30 s")
	}
}

// export writes a page that needs no server and returns its address.
func export(ctx context.Context, program string, targets []string) (string, error) {
	file := targets[0] + ".html"
	text, err := exec.CommandContext(ctx, program,
		append([]string{"view", "--force", "--export", file}, targets...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, text)
	}
	return "file://" + filepath.ToSlash(file), nil
}
