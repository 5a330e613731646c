// Dtypes on the command line.

package cli

import (
	"github.com/weightools/safetensors"
)

// Spelled returns a dtype by one of its names. Unknown names are kept, since files can contain them.
func Spelled(s string) safetensors.Dtype {
	if d, ok := safetensors.ParseDtype(s); ok {
		return d
	}
	return safetensors.Dtype(s)
}

// UnknownDtypeError returns the error for a flag value that is not a dtype.
func UnknownDtypeError(flag, dtype string) error {
	return UnknownValue(flag, dtype, DtypeNames())
}

// DtypeNames returns the names of all dtypes.
func DtypeNames() (names []string) {
	for d := range safetensors.Dtypes() {
		names = append(names, string(d))
	}
	return names
}
