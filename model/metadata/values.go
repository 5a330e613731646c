// Values in words: times, flags, pictures, frameworks.

package metadata

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// seconds parses a time in seconds since 1970. It returns false for a time that no trainer could have written.
func seconds(value string) (float64, bool) {
	const latest = 1 << 34 // the year 2514
	s, err := strconv.ParseFloat(value, 64)
	return s, err == nil && !math.IsNaN(s) && s > 0 && s < latest
}

// momentOf returns a time as a date.
func momentOf(value string) string {
	s, ok := seconds(value)
	if !ok {
		return value
	}
	return time.Unix(int64(s), 0).UTC().Format("2006-01-02 15:04:05 UTC")
}

// duration returns how long the training took, if its start and end are known.
func duration(metadata map[string]string) []Fact {
	const end = "ss_training_finished_at"
	begin, began := seconds(metadata["ss_training_started_at"])
	finish, finished := seconds(metadata[end])
	if !began || !finished || finish < begin {
		return nil
	}
	d := time.Duration(finish-begin) * time.Second
	return []Fact{{"took", d.String(), end}}
}

// flagOf returns yes or no for True and False of Python.
func flagOf(value string) string {
	switch strings.ToLower(value) {
	case "true":
		return "yes"
	case "false":
		return "no"
	}
	return value
}

// dataOf returns the type and size of the data in a data URI (RFC 2397).
func dataOf(value string) string {
	head, data, ok := strings.Cut(value, ",")
	kind, base64 := strings.CutSuffix(strings.TrimPrefix(head, "data:"), ";base64")
	if !ok || !strings.HasPrefix(head, "data:") || len(kind) > 100 {
		return value
	}
	size := len(data)
	if base64 {
		data = strings.TrimRight(data, "=")
		size = len(data)/4*3 + len(data)%4*3/4
	}
	if kind == "" {
		kind = "text/plain"
	}
	return fmt.Sprintf("%s, %d bytes", kind, size)
}

// frameworkOf returns the framework that the value of "format" names.
func frameworkOf(value string) string {
	for _, known := range [...]struct{ short, name string }{
		{"pt", "PyTorch"}, {"tf", "TensorFlow"}, {"flax", "Flax"}, {"np", "NumPy"}, {"numpy", "NumPy"}, {"jax", "JAX"},
		{"mlx", "MLX"}, {"paddle", "Paddle"},
	} {
		if value == known.short {
			return known.name + " (" + value + ")"
		}
	}
	return value
}
