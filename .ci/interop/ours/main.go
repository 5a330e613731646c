// Command ours writes and reads files with this library, for comparison by interop.py.
//
//	ours write CASES DIR    write each case of the file CASES to DIR
//	ours read FILE...       print the contents of each file as one line of JSON
//	ours reshard LIMIT DIR FILE...
//	                        write each file's tensors to DIR/NAME/ in shards of LIMIT bytes
//	                        of data, and those shards to DIR/NAME.merged.safetensors
//	ours refs               print what store.Parse reads from each line of standard input, as JSON
//
// A case is one line of JSON. A variant of the canonical file is written to NAME.variant.safetensors.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/checkpoint"
	"github.com/weightools/safetensors/checkpoint/shards"
	"github.com/weightools/safetensors/store"
)

// A tensor is an input or a result. Data is in hexadecimal.
type tensor struct {
	Name  string            `json:"name"`
	Dtype safetensors.Dtype `json:"dtype"`
	Shape []uint64          `json:"shape"`
	Data  string            `json:"data"`
}

// A content is the contents of a file.
type content struct {
	Metadata map[string]string `json:"metadata"`
	Tensors  []tensor          `json:"tensors"`
}

// A testCase is a content to write.
type testCase struct {
	content
	Case    string
	Variant *struct {
		KeepOrder bool `json:"keep_order"`
		Align     int
	}
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "write":
		return write(args[1], args[2])
	case len(args) > 0 && args[0] == "read":
		return read(args[1:])
	case len(args) > 2 && args[0] == "reshard":
		return reshard(args[1], args[2], args[3:])
	case len(args) == 1 && args[0] == "refs":
		return refs()
	}
	return errors.New("usage: ours write CASES DIR | ours read FILES | ours reshard LIMIT DIR FILES | ours refs")
}

// refs parses the lines of standard input.
func refs() error {
	lines, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for lines.Scan() {
		r, err := store.Parse(lines.Text())
		said := map[string]string{"scheme": r.Scheme, "root": r.Root, "revision": r.Revision, "path": r.Path}
		if err != nil {
			said["error"] = err.Error()
		}
		if err := out.Encode(said); err != nil {
			return err
		}
	}
	return lines.Err()
}

func write(cases, dir string) error {
	b, err := os.ReadFile(cases)
	if err != nil {
		return err
	}
	for line := range bytes.Lines(b) {
		var c testCase
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		tensors, err := c.tensors()
		if err != nil {
			return err
		}
		e := safetensors.Encoder{Metadata: c.Metadata}
		if err := e.WriteFile(filepath.Join(dir, c.Case+".safetensors"), tensors...); err != nil {
			return err
		}
		if c.Variant == nil {
			continue
		}
		e.KeepOrder, e.Align = c.Variant.KeepOrder, c.Variant.Align
		if err := e.WriteFile(filepath.Join(dir, c.Case+".variant.safetensors"), tensors...); err != nil {
			return err
		}
	}
	return nil
}

func (c *content) tensors() ([]*safetensors.Tensor, error) {
	var all []*safetensors.Tensor
	for _, one := range c.Tensors {
		data, err := hex.DecodeString(one.Data)
		if err != nil {
			return nil, err
		}
		t := &safetensors.Tensor{ReaderAt: bytes.NewReader(data)}
		t.Name, t.Dtype, t.Offsets.End = one.Name, one.Dtype, int64(len(data))
		for _, d := range one.Shape {
			t.Shape = append(t.Shape, int64(d))
		}
		all = append(all, t)
	}
	return all, nil
}

func reshard(limit, dir string, files []string) error {
	most, err := strconv.ParseInt(limit, 10, 64)
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Join(dir, strings.TrimSuffix(filepath.Base(file), ".safetensors"))
		if err := splitFile(file, name, most); err != nil {
			return err
		}
		if err := mergeFolder(name, name+".merged.safetensors"); err != nil {
			return err
		}
	}
	return nil
}

// splitFile writes the file's tensors to a folder of shards.
func splitFile(file, dir string, limit int64) error {
	f, err := safetensors.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := shards.Writer{Encoder: safetensors.Encoder{Metadata: f.Header.Metadata}, MaxShard: limit}
	_, err = w.Write(context.Background(), dir, slices.Collect(f.Tensors())...)
	return err
}

// mergeFolder writes the tensors of a folder of shards to one file.
func mergeFolder(dir, file string) error {
	ctx := context.Background()
	cp, err := checkpoint.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer cp.Close()
	var tensors []*safetensors.Tensor
	for t, err := range cp.Tensors(ctx) {
		if err != nil {
			return err
		}
		tensors = append(tensors, t.Tensor)
	}
	h, err := cp.Header(ctx, cp.Shards()[0])
	if err != nil {
		return err
	}
	e := safetensors.Encoder{Metadata: h.Metadata}
	return e.WriteFile(file, tensors...)
}

func read(files []string) error {
	out := bufio.NewWriter(os.Stdout)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	for _, name := range files {
		c, err := contentOf(name)
		if err != nil {
			return err
		}
		if err := lines.Encode(c); err != nil {
			return err
		}
	}
	return out.Flush()
}

func contentOf(name string) (*content, error) {
	f, err := safetensors.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &content{f.Header.Metadata, []tensor{}}
	for t := range f.Tensors() {
		b, err := t.Bytes()
		if err != nil {
			return nil, err
		}
		shape := make([]uint64, len(t.Shape))
		for i, d := range t.Shape {
			shape[i] = uint64(d)
		}
		c.Tensors = append(c.Tensors, tensor{t.Name, t.Dtype, shape, hex.EncodeToString(b)})
	}
	return c, nil
}
