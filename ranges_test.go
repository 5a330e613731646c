// The notation of ranges, and where it is wrong.

package safetensors_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// The Ranges are what the text means when it is spelled out in Go.
func TestParseRanges(t *testing.T) {
	type r = safetensors.Range
	at, from, between := safetensors.At, safetensors.From, safetensors.Between
	by := func(one r, step int64) r { one.Step = step; return one }
	for _, c := range []struct {
		text string
		want []r
	}{
		{"", nil},
		{" \t\n", nil},
		{"3", []r{at(3)}},
		{"+3", []r{at(3)}},
		{"-1", []r{at(-1)}},
		{"0", []r{at(0)}},
		{":", []r{{}}},
		{"::", []r{{}}},
		{"0:", []r{from(0)}},
		{"0:10", []r{between(0, 10)}},
		{":10", []r{between(0, 10)}},
		{"2:", []r{from(2)}},
		{"-10:", []r{from(-10)}},
		{":-1", []r{between(0, -1)}},
		{"0:0", []r{between(0, 0)}},
		{":0", []r{between(0, 0)}},
		{"1:10:3", []r{by(between(1, 10), 3)}},
		{"::2", []r{by(safetensors.All(), 2)}},
		{"1::", []r{from(1)}},
		{"3, 0:10, :, ::2", []r{at(3), between(0, 10), {}, {Step: 2}}},
		{" 1 : 2 : 3 ,\t-4\r\n", []r{by(between(1, 2), 3), at(-4)}},
		{"3,", []r{at(3)}},
		{"3, :, ", []r{at(3), {}}},
		{"-9223372036854775808:9223372036854775807", []r{between(-1<<63, 1<<63-1)}},
	} {
		if got, err := safetensors.ParseRanges(c.text); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseRanges(%q) = %+v, %v, want %+v", c.text, got, err, c.want)
		}
	}
}

// A stop of 0 selects nothing, in the notation and in Go.
func TestParseRangesStopAtZero(t *testing.T) {
	tensor := numbered(t, 3, 4)
	for text, want := range map[string]string{
		"0:0":    "[0, 4]",
		":0":     "[0, 4]",
		"1:0":    "[0, 4]",
		"-2:0":   "[0, 4]",
		":-0":    "[0, 4]",
		"0::1":   "[3, 4]",
		":, 0:0": "[3, 0]",
	} {
		if got := mustSlice(t, tensor, text).ShapeString(); got != want {
			t.Errorf("[%s] has shape %s, want %s", text, got, want)
		}
	}
	part, err := tensor.Slice(safetensors.Between(1, 0))
	if err != nil || part.ShapeString() != "[0, 4]" {
		t.Errorf("Between(1, 0) gives %v, %v, want [0, 4]", part, err)
	}
}

func TestParseRangesEllipsis(t *testing.T) {
	tensor := numbered(t, 2, 3, 4)
	for text, want := range map[string]string{
		"...":          "[2, 3, 4]",
		"..., 0":       "[2, 3]",
		"0, ...":       "[3, 4]",
		"0, ..., 0":    "[3]",
		"0,...,0:2,1:": "[2, 3]",
		"0, 0, ..., 0": "[]",
		"0, 0, 0, ...": "[]",
		" ... , 1":     "[2, 3]",
		"..., ::2, :1": "[2, 2, 1]",
		"1:, ..., ::3": "[1, 3, 2]",
	} {
		if got := mustSlice(t, tensor, text).ShapeString(); got != want {
			t.Errorf("[%s] has shape %s, want %s", text, got, want)
		}
	}
	// Two texts may each have an ellipsis, and their ranges be put together.
	dots, _ := safetensors.ParseRanges("...")
	if part, err := tensor.Slice(append(dots, dots...)...); err == nil || !strings.Contains(err.Error(), "2 ellipses") {
		t.Errorf("two ellipses give %v, %v", part, err)
	}
}

func TestParseRangesErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"x", `safetensors: slice "x": at byte 0, "x" is not an index, range or ellipsis`},
		{"3, 0:x", `safetensors: slice "3, 0:x": at byte 5, "x" is not an index, range or ellipsis`},
		{"3, 0:1:  y ", `safetensors: slice "3, 0:1:  y ": at byte 9, "y" is not an index, range or ellipsis`},
		{",", `safetensors: slice ",": at byte 0, a range is missing`},
		{"1,,2", `safetensors: slice "1,,2": at byte 2, a range is missing`},
		{"1,2,,", `safetensors: slice "1,2,,": at byte 4, a range is missing`},
		{"1:2:3:4", `safetensors: slice "1:2:3:4": at byte 5, there is a third colon: a range is start:stop:step`},
		{"..., 1, ...", `safetensors: slice "..., 1, ...": at byte 8, there is a second ellipsis`},
		{"0, ::0", `safetensors: slice "0, ::0": at byte 5, the step is 0, expected 1 or more`},
		{"::-1", `safetensors: slice "::-1": at byte 2, the step is -1, expected 1 or more`},
		{"9223372036854775808", `safetensors: slice "9223372036854775808": at byte 0, "9223372036854775808" does not fit 64 bits`},
		{"1.5", `safetensors: slice "1.5": at byte 0, "1.5" is not an index, range or ellipsis`},
		{"1 2", `safetensors: slice "1 2": at byte 0, "1 2" is not an index, range or ellipsis`},
		{"None", `safetensors: slice "None": at byte 0, "None" is not an index, range or ellipsis`},
		{"[1]", `safetensors: slice "[1]": at byte 0, "[1]" is not an index, range or ellipsis`},
		{"....", `safetensors: slice "....": at byte 0, "...." is not an index, range or ellipsis`},
		{"1:...", `safetensors: slice "1:...": at byte 2, "..." is not an index, range or ellipsis`},
		{"1\x00", `safetensors: slice "1\x00": at byte 0, "1\x00" is not an index, range or ellipsis`},
		{"１", `safetensors: slice "１": at byte 0, "１" is not an index, range or ellipsis`},
	} {
		ranges, err := safetensors.ParseRanges(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("ParseRanges(%q) = %v, %v\nwant %s", c.text, ranges, err, c.want)
		}
	}
}

// FuzzParseRanges slices with whatever it parsed: no text panics.
func FuzzParseRanges(f *testing.F) {
	for _, s := range []string{"", "3, 0:10, :, ::2", "..., 0", "-1", " 1 : 2 : 3 ,", "0:0", "9223372036854775807:", "::0", "1,,", "....", ",:,:"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ranges, err := safetensors.ParseRanges(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x00") {
				t.Errorf("%q is not a line", err)
			}
			return
		}
		if commas := strings.Count(s, ","); len(ranges) > commas+1 || len(ranges) < commas {
			t.Errorf("%q has %d ranges", s, len(ranges))
		}
		if part, err := numbered(t, 5, 4, 3).Slice(ranges...); err == nil {
			checkReaderAt(t, part, mustBytes(t, part))
		}
	})
}
