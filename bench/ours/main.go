// Command ours runs this library's side of the benchmarks for bench/run. Each verb prints one line of JSON.
//
//	ours header FILE ITERS        parse and validate a header in memory
//	ours headers FILE ITERS       the same with one HeaderReader
//	ours encodingjson FILE ITERS  decode it with encoding/json, as a simple reader does
//	ours open FILE NAME ITERS     open a file, and read every byte of one tensor
//	ours peakmem FILE             count the allocations of reading a header
//	ours write FILE OUT ITERS     write FILE's tensors from memory to OUT
//	ours writesync FILE OUT ITERS the same, and wait for the disk
//	ours merge DIR OUT ITERS      write the tensors of the shards in DIR to OUT
//	ours decode FILE DTYPE ITERS  decode FILE's bytes from memory to float32
//	ours stats FILE DTYPE ITERS   compute their statistics, on one core
//	ours check FOLDER ITERS       validate a set and its configuration
//	ours torch FILE ITERS         open a PyTorch checkpoint
//	ours gguf FILE ITERS          open a GGUF file
//	ours dequantize FILE ITERS    decode its first tensor to float32, on one core
//
// The field "ns" is the mean time of one iteration, including garbage collection with the settings of the environment.
package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/weightools/safetensors"
)

func main() {
	said, err := run(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(said)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ours:", err)
		os.Exit(1)
	}
}

// run does what args say and returns the line to print.
func run(args []string) (map[string]float64, error) {
	switch {
	case len(args) == 2 && args[0] == "peakmem":
		return peakMemory(args[1])
	case len(args) == 3 && args[0] == "header":
		return timeHeader(args[1], args[2], newFile)
	case len(args) == 3 && args[0] == "headers":
		return timeHeader(args[1], args[2], readAgain())
	case len(args) == 3 && args[0] == "encodingjson":
		return timeHeader(args[1], args[2], decodeByHand)
	case len(args) == 3 && args[0] == "check":
		return timeCheck(args[1], args[2])
	case len(args) == 3 && args[0] == "torch":
		return timeTorch(args[1], args[2])
	case len(args) == 3 && args[0] == "gguf":
		return timeGGUF(args[1], args[2])
	case len(args) == 3 && args[0] == "dequantize":
		return timeDequantize(args[1], args[2])
	case len(args) == 4 && args[0] == "open":
		return timeOpen(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "write":
		return timeWrite(args[1], args[2], args[3], encode)
	case len(args) == 4 && args[0] == "writesync":
		return timeWrite(args[1], args[2], args[3], safetensors.WriteFile)
	case len(args) == 4 && args[0] == "merge":
		return timeMerge(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "decode":
		return timeDecode(args[1], safetensors.Dtype(args[2]), args[3])
	case len(args) == 4 && args[0] == "stats":
		return timeStats(args[1], safetensors.Dtype(args[2]), args[3])
	}
	return nil, errors.New("usage: ours VERB ARGS...; see the package comment")
}

// A source is a file whose start is in memory: N and the header. The data is zeros, and the benchmarks do not read it.
type source struct {
	start []byte
	size  int64 // file size in bytes
}

// load reads the start of a file into memory, which also touches its pages.
func load(name string) (*source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var n [8]byte
	if _, err := io.ReadFull(f, n[:]); err != nil {
		return nil, err
	}
	start := make([]byte, 8+binary.LittleEndian.Uint64(n[:]))
	if _, err := f.ReadAt(start, 0); err != nil {
		return nil, err
	}
	return &source{start, info.Size()}, nil
}

// ReadAt implements io.ReaderAt. It reads from memory.
func (s *source) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.size {
		return 0, io.EOF
	}
	n := 0
	if off < int64(len(s.start)) {
		n = copy(p, s.start[off:])
	}
	whole := min(int64(len(p)), s.size-off)
	clear(p[n:whole])
	if whole < int64(len(p)) {
		return int(whole), io.EOF
	}
	return int(whole), nil
}

// header returns the JSON text.
func (s *source) header() []byte { return s.start[8:] }

// newFile reads a header as users of this library do, and returns the number of tensors.
func newFile(s *source) (int, error) {
	f, err := safetensors.NewFile(s, s.size)
	if err != nil {
		return 0, err
	}
	return len(f.Header.Tensors), nil
}

// readAgain returns a function that reads headers into the same memory.
func readAgain() func(*source) (int, error) {
	var r safetensors.HeaderReader
	return func(s *source) (int, error) {
		h, err := r.Read(s, s.size)
		if err != nil {
			return 0, err
		}
		return len(h.Tensors), nil
	}
}

// decodeByHand reads a header as most Go programs do, without validation. It decodes directly into structs; the common
// detour over json.RawMessage is slower.
func decodeByHand(s *source) (int, error) {
	var entries map[string]struct {
		Dtype   string   `json:"dtype"`
		Shape   []int64  `json:"shape"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	err := json.Unmarshal(s.header(), &entries)
	delete(entries, "__metadata__")
	return len(entries), err
}

// timeHeader times read on the named file's header, after one warm-up call.
func timeHeader(name, iters string, read func(*source) (int, error)) (map[string]float64, error) {
	s, err := load(name)
	if err != nil {
		return nil, err
	}
	tensors, err := read(s)
	if err != nil {
		return nil, err
	}
	ns, err := mean(iters, func() error {
		_, err := read(s)
		return err
	})
	return map[string]float64{"ns": ns, "tensors": float64(tensors), "header": float64(len(s.header()))}, err
}

// timeOpen times opening a path and summing one tensor's bytes.
func timeOpen(path, tensor, iters string) (map[string]float64, error) {
	size, _, err := openOne(path, tensor)
	if err != nil {
		return nil, err
	}
	ns, err := mean(iters, func() error {
		_, _, err := openOne(path, tensor)
		return err
	})
	return map[string]float64{"ns": ns, "bytes": float64(size)}, err
}

// openOne opens a file and reads every byte of one tensor. It returns their number and their sum.
func openOne(path, tensor string) (size int, total uint64, err error) {
	f, err := safetensors.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	t, err := f.Tensor(tensor)
	if err != nil {
		return 0, 0, err
	}
	b, err := t.Bytes()
	return len(b), sum(b), err
}

// sum adds eight bytes at a time and ignores up to seven at the end. It reads every page, and adding costs little
// compared with reading.
func sum(b []byte) (total uint64) {
	for ; len(b) >= 8; b = b[8:] {
		total += binary.LittleEndian.Uint64(b)
	}
	return total
}

// mean returns the nanoseconds of one of iters calls of once. It runs the garbage collector first.
func mean(iters string, once func() error) (float64, error) {
	n, err := strconv.Atoi(iters)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("invalid number of iterations %q", iters)
	}
	runtime.GC()
	start := time.Now()
	for range n {
		if err := once(); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(start).Nanoseconds()) / float64(n), nil
}

// peakMemory counts the allocations of reading the named file's header. Their total is an upper bound of the peak.
func peakMemory(name string) (map[string]float64, error) {
	s, err := load(name)
	if err != nil {
		return nil, err
	}
	var before, after, settled runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f, err := safetensors.NewFile(s, s.size)
	runtime.ReadMemStats(&after)
	if err != nil {
		return nil, err
	}
	runtime.GC()
	runtime.ReadMemStats(&settled)
	tensors := len(f.Header.Tensors)
	runtime.KeepAlive(s)
	return map[string]float64{
		"bytes":   float64(after.TotalAlloc - before.TotalAlloc),
		"kept":    float64(settled.HeapAlloc) - float64(before.HeapAlloc),
		"allocs":  float64(after.Mallocs - before.Mallocs),
		"tensors": float64(tensors),
		"header":  float64(len(s.header())),
	}, nil
}
