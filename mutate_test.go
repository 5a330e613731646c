// One byte of a header changed at a time: all doors agree, and both ways to read
// an entry do.

package safetensors_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// oddHeader has something of everything that a parser has a branch for.
const oddHeader = "{\"__metadata__\" : {\"format\":\"pt\",\"\\u0061\":\"\\n\"},\"a\":[\"U8\",[4],[0,4]],\"b\":{\"dtype\":{\"U8\":null},\"shape\":[2,2],\"data_offsets\":[4,8]},\n" +
	`"c":{"data_offsets":[8,16],"x":[{"y":[-1.5e3,true,false,null]}],"dtype":"F32","shape":[2]},"d\u00e9é":{"dtype":"F4","shape":[],"data_offsets":[16,16]},` +
	`"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"e":{},"f":{"dtype":{"I8":{}},"shape":{"x":1},"data_offsets":"y"},"g":["U8"],"h":[1,2,3,[4]],` +
	`"__metadata__":null}` + " \t "

// plainHeader is of the form that writers use, so that each entry is read the
// fast way. Its data has 40 bytes.
const plainHeader = `{"__metadata__":{"format":"pt"},"a.b":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"a.c":{"dtype":"BF16","shape":[],"data_offsets":[24,26]},` +
	`"a.d":{"dtype":"F8_E4M3","shape":[12],"data_offsets":[26,38]},"a.e":{"dtype":"F4","shape":[1,2,2],"data_offsets":[38,40]}}                `

// changes are the bytes that mean something in a header, and some that must not.
const changes = "\"\\{}[],:0149-.eE \n\x00\x1f\x7f\x80\xc3\xffaufx_"

// TestHeadersCutShort cuts both at every byte: nothing is read out of the rest.
func TestHeadersCutShort(t *testing.T) {
	for _, text := range []string{oddHeader, plainHeader} {
		for n := range len(strings.TrimRight(text, " \t")) {
			file := append(start(text[:n], 0), make([]byte, 40)...)
			r := report(t, file)
			checkReport(t, r, int64(len(file)))
			lenient := safetensors.Opener{Lenient: true}
			if _, err := lenient.NewFile(bytes.NewReader(file), int64(len(file))); err == nil || r.First(safetensors.Invalid) == nil {
				t.Errorf("%q is accepted", text[:n])
			}
		}
	}
}

// TestOneByteChanged changes each byte of both to others, and checks that
// Validate, NewFile and ReadHeader say the same, and that nothing is accepted
// which encoding/json reads in another way.
func TestOneByteChanged(t *testing.T) {
	for _, text := range []string{oddHeader, plainHeader} {
		for i := range len(text) {
			for _, c := range []byte(changes) {
				changed := []byte(text)
				changed[i] = c
				checkDoors(t, append(start(string(changed), 0), make([]byte, 40)...))
				if t.Failed() {
					t.Fatalf("byte %d changed from %q to %q: %s", i, text[i], c, changed)
				}
			}
		}
	}
}

// checkDoors puts a file before every door, and compares what they say.
func checkDoors(t *testing.T, file []byte) {
	t.Helper()
	size := int64(len(file))
	r := report(t, file)
	checkReport(t, r, size)
	for _, o := range []safetensors.Opener{{}, {Lenient: true}} {
		least := safetensors.Nonconforming
		if o.Lenient {
			least = safetensors.Invalid
		}
		f, err := o.NewFile(bytes.NewReader(file), size)
		if v := r.First(least); v == nil && err != nil || v != nil && (err == nil || err.Error() != v.Error()) {
			t.Errorf("lenient %v: %v, and Validate says %v", o.Lenient, err, v)
		}
		if err == nil {
			checkFile(t, f, file)
			if !o.Lenient {
				compareWithEncodingJSON(t, f.Header, file)
			}
		}
		// Of a stream the data is not known, and its errors are all that may differ.
		_, streamed := o.ReadHeader(bytes.NewReader(file))
		ofData := errors.Is(err, safetensors.RuleTruncated) || errors.Is(err, safetensors.RuleTrailing)
		if !ofData && (err == nil) != (streamed == nil) || ofData && streamed != nil && r.Header == nil {
			t.Errorf("lenient %v: %v, and as a stream %v", o.Lenient, err, streamed)
		}
	}
}

// TestBothWaysToReadAnEntry changes each byte of a header in the form that writers
// use, and puts a space before each entry, which the fast way does not take. The
// rules that are broken are the same, and so is what is listed.
func TestBothWaysToReadAnEntry(t *testing.T) {
	for i := range len(plainHeader) {
		for _, c := range []byte(changes) {
			changed := []byte(plainHeader)
			changed[i] = c
			if !json.Valid(changed) {
				continue // that both refuse
			}
			fast := report(t, append(start(string(changed), 0), make([]byte, 40)...))
			// As many spaces are taken off the end, so that the length stays.
			general := strings.ReplaceAll(string(changed), `:{"`, `: {"`)
			general, ok := strings.CutSuffix(general, strings.Repeat(" ", len(general)-len(changed)))
			if !ok {
				continue
			}
			slow := report(t, append(start(general, 0), make([]byte, 40)...))
			if a, b := rulesAndTensors(fast), rulesAndTensors(slow); !slices.Equal(a, b) {
				t.Fatalf("%s\nbreaks %q, and\n%s\n%q", changed, a, general, b)
			}
			compareTensorsOnly(t, slow.Header.Tensors, fast.Header.Tensors)
		}
	}
}

// rulesAndTensors returns what is broken, and by which tensors.
func rulesAndTensors(r *safetensors.Report) []string {
	var all []string
	for _, v := range r.Violations {
		all = append(all, string(v.Rule)+" "+v.Tensor)
	}
	return all
}
