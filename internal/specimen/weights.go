// Weights: patterns of names to tensors, tensors to shards.

package specimen

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A tensor is one entry of a header.
type tensor struct {
	name, dtype string
	shape       []int64
	size        int64
}

// bits are those of an element of each dtype.
var bits = map[string]int64{
	"F64": 64, "I64": 64, "U64": 64, "F32": 32, "I32": 32, "U32": 32, "F16": 16, "BF16": 16, "I16": 16, "U16": 16,
	"F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "I8": 8, "U8": 8, "BOOL": 8, "F4": 4,
}

// layout says how weights are written.
type layout struct {
	max           int64
	first, digits int
	format        string
	pad           bool
}

func layoutOf(options []string) (l layout, err error) {
	l = layout{first: 1, digits: 5, format: "pt", pad: true}
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "max":
			l.max, err = strconv.ParseInt(value, 10, 64)
		case "first":
			l.first, err = strconv.Atoi(value)
		case "digits":
			l.digits, err = strconv.Atoi(value)
		case "format":
			l.format = value
		case "pad":
			l.pad = value != "no"
		default:
			err = fmt.Errorf("unknown option %q", option)
		}
		if err != nil {
			return l, err
		}
	}
	return l, nil
}

// writeWeights writes the tensors of a file, or of shards.
func (s *Specimen) writeWeights(path string, f file) error {
	l, err := layoutOf(f.options)
	if err != nil {
		return err
	}
	all, err := s.tensorsOf(f.text)
	if err != nil {
		return err
	}
	parts := divide(all, l.max)
	if len(parts) == 1 {
		return writeFile(path, all, l)
	}
	total, weightMap := int64(0), make(map[string]string)
	for i, part := range parts {
		name := fmt.Sprintf("%s-%0*d-of-%0*d.safetensors", strings.TrimSuffix(path, ".safetensors"),
			l.digits, i+l.first, l.digits, len(parts))
		for _, t := range part {
			weightMap[t.name] = filepath.Base(name)
			total += t.size
		}
		if err := writeFile(name, part, l); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"total_size": total}, "weight_map": weightMap})
	if err != nil {
		return err
	}
	return os.WriteFile(path+".index.json", text, 0o666)
}

// divide fills shards in the order of the tensors.
func divide(all []tensor, max int64) (parts [][]tensor) {
	begin, size := 0, int64(0)
	for i, t := range all {
		if max > 0 && i > begin && size+t.size > max {
			parts = append(parts, all[begin:i])
			begin, size = i, 0
		}
		size += t.size
	}
	return append(parts, all[begin:])
}

// tensorsOf returns the tensors of the lines of a text.
func (s *Specimen) tensorsOf(text string) (all []tensor, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		var found []tensor
		if part, ok := strings.CutPrefix(fields[0], "@"); ok {
			found, err = s.part(part, fields[1:])
		} else {
			found, err = tensorsOfLine(fields)
		}
		if err != nil {
			return nil, fmt.Errorf("%q: %w", strings.TrimSpace(line), err)
		}
		all = append(all, found...)
	}
	return all, nil
}

// part returns the tensors of a part, with another dtype and a prefix.
func (s *Specimen) part(part string, fields []string) ([]tensor, error) {
	if s.folder == nil || len(fields) == 0 || len(fields) > 2 {
		return nil, errors.New("not @PART DTYPE PREFIX")
	}
	text, err := fs.ReadFile(s.folder, "parts/"+part+".txt")
	if err != nil {
		return nil, err
	}
	all, err := s.tensorsOf(string(text))
	if err != nil {
		return nil, err
	}
	for i := range all {
		t := &all[i]
		t.name = strings.Join(fields[1:], "") + t.name
		if to := bits[fields[0]]; to > 0 && strings.Contains(t.dtype, "F") {
			t.size, t.dtype = t.size*to/bits[t.dtype], fields[0]
		}
	}
	return all, nil
}

// tensorsOfLine returns the tensors of the fields DTYPE, SHAPE and PATTERN.
func tensorsOfLine(fields []string) (all []tensor, err error) {
	if len(fields) != 3 || bits[fields[0]] == 0 {
		return nil, errors.New("not DTYPE SHAPE PATTERN")
	}
	t := tensor{dtype: fields[0], size: bits[fields[0]], shape: []int64{}}
	for d := range strings.SplitSeq(fields[1], "x") {
		if d == "-" {
			break
		}
		n, err := strconv.ParseInt(d, 10, 64)
		if err != nil {
			return nil, err
		}
		t.shape, t.size = append(t.shape, n), t.size*n
	}
	t.size /= 8
	for _, t.name = range Names(fields[2]) {
		all = append(all, t)
	}
	return all, nil
}

// Names returns the names of a pattern, whose first alternatives vary slowest.
func Names(pattern string) []string {
	names := []string{""}
	for pattern != "" {
		text, rest, _ := strings.Cut(pattern, "{")
		inner, rest, _ := strings.Cut(rest, "}")
		pattern = rest
		var next []string
		for _, name := range names {
			for _, choice := range choices(inner) {
				next = append(next, name+text+choice)
			}
		}
		names = next
	}
	return names
}

// choices returns the alternatives between two braces.
func choices(inner string) (all []string) {
	for one := range strings.SplitSeq(inner, ",") {
		from, to, ok := strings.Cut(one, "-")
		begin, err := strconv.Atoi(from)
		end, err2 := strconv.Atoi(to)
		if !ok || err != nil || err2 != nil {
			all = append(all, one)
			continue
		}
		for n := begin; n <= end; n++ {
			all = append(all, strconv.Itoa(n))
		}
	}
	return all
}

// writeFile writes a header and a hole after the first data, with the largest elements first, as the reference does.
func writeFile(path string, all []tensor, l layout) error {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b tensor) int {
		return cmp.Or(cmp.Compare(bits[b.dtype], bits[a.dtype]), cmp.Compare(a.dtype, b.dtype), cmp.Compare(a.name, b.name))
	})
	header := make([]byte, 8, 8+len(all)*128)
	header = append(header, '{')
	if l.format != "none" {
		header = fmt.Appendf(header, `"__metadata__":{"format":%q},`, l.format)
	}
	at := int64(0)
	for _, t := range all {
		shape, err := json.Marshal(t.shape)
		if err != nil {
			return err
		}
		header = fmt.Appendf(header, `%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]},`, t.name, t.dtype, shape, at, at+t.size)
		at += t.size
	}
	if header[len(header)-1] == ',' {
		header = header[:len(header)-1]
	}
	header = append(header, '}')
	for l.pad && len(header)%8 != 0 {
		header = append(header, ' ')
	}
	binary.LittleEndian.PutUint64(header, uint64(len(header)-8))
	end := int64(len(header)) + at
	// No two files have the same data. Comparing files would read all of them otherwise.
	sum := sha256.Sum256([]byte(path))
	if err := os.WriteFile(path, append(header, sum[:min(at, 8)]...), 0o666); err != nil {
		return err
	}
	return os.Truncate(path, end)
}
