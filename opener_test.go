// Limits that a caller sets: what is just allowed, and what no longer is.

package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/weightools/safetensors"
)

// judge puts a file before every door of an Opener, and checks that all break
// the rule want, or none if it is "".
func judge(t *testing.T, o safetensors.Opener, file []byte, want safetensors.Rule) {
	t.Helper()
	check := func(door string, err error) {
		t.Helper()
		if want == "" && err != nil || want != "" && !errors.Is(err, want) {
			t.Errorf("%s: %v, want %q", door, err, string(want))
		}
	}
	_, err := o.NewFile(bytes.NewReader(file), int64(len(file)))
	check("NewFile", err)
	_, err = o.ReadHeader(bytes.NewReader(file))
	check("ReadHeader", err)
	report, err := o.Validate(bytes.NewReader(file), int64(len(file)))
	if err == nil {
		err = report.Err()
		if v := report.First(safetensors.Invalid); o.Lenient && v == nil {
			err = nil
		} else if o.Lenient {
			err = v
		}
	}
	check("Validate", err)
	_, err = o.Open(onDisk(t, file))
	check("Open", err)
}

// TestLimits gives each limit the very number that a file needs, and one less.
func TestLimits(t *testing.T) {
	// Metadata of 22 bytes, three tensors, of which the last has rank 3.
	const metadata = `{"format":"pt","a":""}`
	const text = `{"__metadata__":` + metadata + `,"a":{"dtype":"U8","shape":[],"data_offsets":[0,1]},` +
		`"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},"c":{"dtype":"U8","shape":[1,1,1],"data_offsets":[2,3]}}`
	forms := map[string]string{"plain": text, "spaced": strings.ReplaceAll(text, `"shape":`, `"shape": `)}
	for form, text := range forms {
		file := append(start(text, 0), 1, 1, 1)
		for _, test := range []struct {
			name string
			set  func(o *safetensors.Opener, most int64)
			need int64
			want safetensors.Rule
		}{
			{"MaxHeaderSize", func(o *safetensors.Opener, most int64) { o.MaxHeaderSize = most }, int64(len(text)), safetensors.RuleHeaderSize},
			{"MaxTensors", func(o *safetensors.Opener, most int64) { o.MaxTensors = int(most) }, 3, safetensors.RuleLimit},
			{"MaxRank", func(o *safetensors.Opener, most int64) { o.MaxRank = int(most) }, 3, safetensors.RuleLimit},
			{"MaxMetadata", func(o *safetensors.Opener, most int64) { o.MaxMetadata = most }, int64(len(metadata)), safetensors.RuleLimit},
		} {
			for _, lenient := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/lenient %v", form, test.name, lenient), func(t *testing.T) {
					o := safetensors.Opener{Lenient: lenient}
					judge(t, o, file, "")
					test.set(&o, test.need)
					judge(t, o, file, "")
					test.set(&o, test.need-1)
					judge(t, o, file, test.want)
				})
			}
		}
	}
}

// TestLimitsCountWhatIsThere checks that what a lenient reader drops counts
// towards the limits, since it has been held.
func TestLimitsCountWhatIsThere(t *testing.T) {
	entry := `"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}`
	file := append(start("{"+strings.Repeat(entry+",", 3)+entry+"}", 0), 1)
	judge(t, safetensors.Opener{Lenient: true, MaxTensors: 4}, file, "")
	judge(t, safetensors.Opener{Lenient: true, MaxTensors: 3}, file, safetensors.RuleLimit)
}

// TestLimitsStopReading checks that what is beyond a limit is not held, however
// much of it there is.
func TestLimitsStopReading(t *testing.T) {
	const many = 100_000
	var tensors strings.Builder
	for i := range many {
		fmt.Fprintf(&tensors, `,"t%d":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}`, i)
	}
	for name, test := range map[string]struct {
		o    safetensors.Opener
		text string
	}{
		"tensors":  {safetensors.Opener{MaxTensors: 10}, "{" + tensors.String()[1:] + "}"},
		"rank":     {safetensors.Opener{MaxRank: 10}, `{"a":{"dtype":"U8","shape":[` + strings.Repeat("1,", many) + `0],"data_offsets":[0,0]}}`},
		"metadata": {safetensors.Opener{MaxMetadata: 100}, `{"__metadata__":{` + manyMembers(many) + `}}`},
	} {
		file := start(test.text, 0)
		before := allocated()
		if _, err := test.o.NewFile(bytes.NewReader(file), int64(len(file))); !errors.Is(err, safetensors.RuleLimit) {
			t.Errorf("%s: %v", name, err)
		}
		// The header itself is held before it is looked at.
		if grown, most := allocated()-before, uint64(len(file)+4<<20); grown > most {
			t.Errorf("%s: %d bytes were taken for a header of %d, want %d at most", name, grown, len(file), most)
		}
	}
}

// manyMembers returns the members of a JSON object with n strings.
func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"key%d":"value"`, i)
	}
	return b.String()
}

// TestHeaderSizeLimitCanBeRaised has a header of 100,000,001 bytes, one more
// than the format's limit.
func TestHeaderSizeLimitCanBeRaised(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 100 MB")
	}
	file := start("{}", safetensors.MaxHeaderSize+1)
	if _, err := safetensors.NewFile(bytes.NewReader(file), int64(len(file))); !errors.Is(err, safetensors.RuleHeaderSize) {
		t.Errorf("one more: %v", err)
	}
	larger := safetensors.Opener{MaxHeaderSize: safetensors.MaxHeaderSize + 1}
	if _, err := larger.NewFile(bytes.NewReader(file), int64(len(file))); err != nil {
		t.Errorf("one more, and allowed: %v", err)
	}
	file = start("{}", safetensors.MaxHeaderSize)
	if _, err := safetensors.NewFile(bytes.NewReader(file), int64(len(file))); err != nil {
		t.Errorf("the limit itself: %v", err)
	}
}
