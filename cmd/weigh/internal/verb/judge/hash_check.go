// hash --check.

package judge

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/cmd/weigh/internal/cli"
	"github.com/weightools/safetensors/cmd/weigh/internal/render/compare"
	"github.com/weightools/safetensors/cmd/weigh/internal/target"
	"github.com/weightools/safetensors/digest"
)

// A record is a file of recorded digests.
type record struct {
	algo    string
	files   []recordedFile
	tensors []recordedTensor // nil if it has none
	isJSON  bool
}

// A recordedFile is the digest of a file.
type recordedFile struct{ path, sum string }

// A recordedTensor is the digest of a tensor.
type recordedTensor struct {
	Name   string
	Dtype  string
	Shape  []uint64
	Digest string
}

// checkSums compares recorded digests with files, or with the tensors of a target.
func checkSums(sess *cli.Session, cmd *cobra.Command, args []string, f *hashFlags) error {
	const most = 1 << 30 // bytes; a million tensors take 200 MB
	text, err := sess.ReadSmall(f.check, most)
	if err != nil {
		return err
	}
	algo := f.algo
	if !cmd.Flags().Changed("algo") {
		algo = algoOf(text)
	}
	r, err := readRecord(filepath.ToSlash(f.check), text, algo)
	switch {
	case err != nil:
		return cli.Usage(err)
	case r.isJSON && cmd.Flags().Changed("algo") && f.algo != r.algo:
		return cli.Usagef("--algo is %s, but %q contains %s digests", f.algo, f.check, r.algo)
	case len(args) > 1:
		return cli.Usagef("hash --check takes one target, not %d", len(args))
	case len(args) == 1 && !r.isJSON:
		return cli.Usagef("%q contains digests of files and their names; leave out the target", f.check)
	case len(args) == 0 && len(r.files) == 0:
		return cli.Usagef("%q contains no digests of files; name the target whose tensors to compare", f.check)
	}
	c := &compare.SumCheck{Recorded: filepath.ToSlash(f.check), Algo: r.algo, What: "file", Quiet: sess.Quiet,
		Guessed: !r.isJSON && !cmd.Flags().Changed("algo")}
	if len(args) == 1 {
		c.What = "tensor"
		c.Results, err = checkTensors(cmd.Context(), sess, target.Name(args[0]), r, f)
	} else {
		c.Results, err = checkFiles(cmd.Context(), sess, r)
	}
	if err != nil {
		return err
	}
	switch err := sess.Report(&f.Output, c); {
	case err != nil:
		return err
	case c.Failed():
		return cli.ErrFound
	case c.Unread():
		return cli.ErrUnread
	}
	return nil
}

// algoOf returns the algorithm of the first digest in a list: the one of its tag, or of its length. Untagged digests of
// SHA-256 and BLAKE3 have one length; they are taken for SHA-256.
func algoOf(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		for _, algo := range algorithms {
			if _, ok := sumLine(line, algo, digitsOf[algo]); ok {
				return algo
			}
		}
		break
	}
	return algorithms[0]
}

// digitsOf is the number of hexadecimal digits of a digest.
var digitsOf = map[string]int{"sha256": 64, "blake3": 64, "xxh3": 32}

// readRecord parses output of hash --json or sha256sum. The latter does not name its algorithm,
// which is algo.
func readRecord(name string, text []byte, algo string) (*record, error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && trimmed[0] == '{' {
		return readHashJSON(name, trimmed)
	}
	r := &record{algo: algo}
	digits := digitsOf[algo]
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f, ok := sumLine(line, algo, digits)
		if !ok {
			return nil, fmt.Errorf("%s:%d: %.80q is not a %s digest with a file name, as sha256sum and hash --sums write them",
				name, n, line, algo)
		}
		r.files = append(r.files, f)
	}
	if len(r.files) == 0 {
		return nil, fmt.Errorf("%s contains no digests", name)
	}
	return r, nil
}

// sumLine parses a line of sha256sum: digits, a space, a space or asterisk, and the name; or the form of
// --tag and of BSD, "SHA256 (name) = digits". A leading backslash means that the name is escaped.
func sumLine(line, algo string, digits int) (f recordedFile, ok bool) {
	line, escaped := strings.CutPrefix(line, `\`)
	if tagged, ok := strings.CutPrefix(line, strings.ToUpper(algo)+" ("); ok {
		if i := strings.LastIndex(tagged, ") = "); i >= 0 {
			line = tagged[i+len(") = "):] + "  " + tagged[:i]
		}
	}
	if len(line) < digits+3 || line[digits] != ' ' || line[digits+1] != ' ' && line[digits+1] != '*' {
		return f, false
	}
	f = recordedFile{path: line[digits+2:], sum: strings.ToLower(line[:digits])}
	if escaped {
		f.path = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(f.path)
	}
	_, err := hex.DecodeString(f.sum)
	return f, err == nil
}

// readHashJSON parses output of hash --json.
func readHashJSON(name string, text []byte) (*record, error) {
	var doc struct {
		Schema string
		Algo   string
		Files  []struct {
			Path   string
			Digest *string
		}
		Tensors []recordedTensor
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s is not output of hash --json: %w", name, err)
	}
	if doc.Schema != "weigh.hash/1" || newHash(doc.Algo) == nil && doc.Algo != "sha256" {
		return nil, fmt.Errorf("%s is not output of hash --json: schema %.40q, algorithm %.40q", name, doc.Schema, doc.Algo)
	}
	r := &record{algo: doc.Algo, tensors: doc.Tensors, isJSON: true}
	for _, f := range doc.Files {
		if f.Digest != nil {
			r.files = append(r.files, recordedFile{f.Path, strings.ToLower(*f.Digest)})
		}
	}
	return r, nil
}

// checkFiles hashes the files in parallel and compares them.
func checkFiles(ctx context.Context, sess *cli.Session, r *record) ([]compare.SumResult, error) {
	target.WarnUnfinishedOf(sess, func(yield func(string) bool) {
		for _, f := range r.files {
			if !yield(filepath.FromSlash(f.path)) {
				return
			}
		}
	})
	done := new(cli.Progress)
	sizes := make([]int64, len(r.files))
	results := make([]compare.SumResult, len(r.files))
	for i, f := range r.files {
		sess.AddInputs(filepath.FromSlash(f.path))
		info, err := os.Stat(filepath.FromSlash(f.path))
		results[i] = compare.SumResult{Name: f.path}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			results[i].Outcome = compare.SumMissing
		case err != nil:
			results[i].Outcome, results[i].Detail = compare.SumUnread, cli.Describe(err)
		case !info.Mode().IsRegular():
			results[i].Outcome, results[i].Detail = compare.SumUnread, "not a regular file"
		default:
			sizes[i] = info.Size()
			done.Tensors++
			done.Bytes.Add(info.Size())
		}
	}
	defer sess.ShowProgress(done)()
	hasher := &digest.Hasher{New: newHash(r.algo), Progress: done.Add}
	return results, cli.Parallel(ctx, runtime.GOMAXPROCS(0), len(results), func(ctx context.Context, i int) error {
		if results[i].Outcome == "" {
			results[i] = checkFile(ctx, hasher, r.files[i], sizes[i])
		}
		return context.Cause(ctx)
	})
}

// checkFile hashes one file and compares it.
func checkFile(ctx context.Context, hasher *digest.Hasher, f recordedFile, size int64) compare.SumResult {
	result := compare.SumResult{Name: f.path}
	file := &safetensors.Tensor{TensorInfo: safetensors.TensorInfo{Name: f.path, Offsets: safetensors.Span{End: size}}}
	opened, err := os.Open(filepath.FromSlash(f.path))
	if err == nil {
		defer opened.Close()
		file.ReaderAt = opened
		var sums [][]byte
		if sums, err = hasher.Tensors(ctx, []*safetensors.Tensor{file}); err == nil {
			result.Outcome = compare.SumMatches
			if hex.EncodeToString(sums[0]) != f.sum {
				result.Outcome = compare.SumDiffers
			}
			return result
		}
	}
	result.Outcome, result.Detail = compare.SumUnread, cli.Describe(err)
	return result
}

// checkTensors hashes the tensors of a target and compares them by name.
func checkTensors(ctx context.Context, sess *cli.Session, arg target.Name, r *record,
	f *hashFlags) ([]compare.SumResult, error) {
	recorded := make(map[string]*recordedTensor, len(r.tensors))
	for i := range r.tensors {
		if recorded[r.tensors[i].Name] != nil {
			return nil, cli.Usagef("%q has two tensors named %q; compare the parts of the model one by one", f.check,
				r.tensors[i].Name)
		}
		recorded[r.tensors[i].Name] = &r.tensors[i]
	}
	now := &compare.Hash{}
	if err := hashTarget(ctx, sess, arg, &hashFlags{algo: r.algo, set: true, lenient: f.lenient, Output: f.Output},
		now); err != nil {
		return nil, err
	}
	results := make([]compare.SumResult, 0, len(recorded))
	seen := make(map[string]bool, len(now.Tensors))
	for i := range now.Tensors {
		t := &now.Tensors[i]
		if seen[t.Name] {
			return nil, cli.Usagef("%q has two tensors named %q; compare its parts one by one", arg, t.Name)
		}
		seen[t.Name] = true
		results = append(results, recorded[t.Name].compare(t))
	}
	for i := range r.tensors {
		if name := r.tensors[i].Name; !seen[name] {
			results = append(results, compare.SumResult{Name: name, Outcome: compare.SumMissing})
		}
	}
	return results, nil
}

// compare compares a tensor with its record.
func (r *recordedTensor) compare(t *compare.HashedTensor) compare.SumResult {
	result := compare.SumResult{Name: t.Name, Outcome: compare.SumMatches}
	switch {
	case r == nil:
		result.Outcome = compare.SumExtra
		result.Detail = "not recorded"
	case r.Dtype != string(t.Dtype) || r.shape() != t.ShapeString():
		result.Outcome = compare.SumDiffers
		result.Detail = fmt.Sprintf("was %.40s %.200s, is %s %s", r.Dtype, r.shape(), t.Dtype, t.ShapeString())
	case !strings.EqualFold(r.Digest, hex.EncodeToString(t.Sum)):
		result.Outcome = compare.SumDiffers
	}
	return result
}

// shape returns the shape as in "[2, 3]".
func (r *recordedTensor) shape() string {
	return strings.ReplaceAll(fmt.Sprint(r.Shape), " ", ", ")
}
