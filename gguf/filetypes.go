// Names for the mixtures of types in files.

package gguf

// A FileType is the value of general.file_type: what a program that wrote the file called its mixture of types.
type FileType uint32

// fileTypes has the name of each file type, and the type that most of its tensors have. The numbers are those of enum
// llama_ftype in llama.h; 4 to 6 and 33 to 35 were removed.
var fileTypes = map[FileType]struct {
	name string
	main Type
}{
	0: {"F32", 0}, 1: {"F16", 1}, 2: {"Q4_0", 2}, 3: {"Q4_1", 3}, 7: {"Q8_0", 8}, 8: {"Q5_0", 6}, 9: {"Q5_1", 7},
	10: {"Q2_K", 10}, 11: {"Q3_K_S", 11}, 12: {"Q3_K_M", 11}, 13: {"Q3_K_L", 11}, 14: {"Q4_K_S", 12}, 15: {"Q4_K_M",
		12},
	16: {"Q5_K_S", 13}, 17: {"Q5_K_M", 13}, 18: {"Q6_K", 14}, 19: {"IQ2_XXS", 16}, 20: {"IQ2_XS", 17}, 21: {"Q2_K_S",
		10},
	22: {"IQ3_XS", 21}, 23: {"IQ3_XXS", 18}, 24: {"IQ1_S", 19}, 25: {"IQ4_NL", 20}, 26: {"IQ3_S", 21}, 27: {"IQ3_M",
		21},
	28: {"IQ2_S", 17}, 29: {"IQ2_M", 22}, 30: {"IQ4_XS", 23}, 31: {"IQ1_M", 29}, 32: {"BF16", 30}, 36: {"TQ1_0", 34},
	37: {"TQ2_0", 35}, 38: {"MXFP4_MOE", 39}, 39: {"NVFP4", 40}, 40: {"Q1_0", 41}, 41: {"Q2_0", 42},
}

// String returns the name, such as "Q4_K_M", and "" for an undefined file type.
func (t FileType) String() string { return fileTypes[t].name }

// FileType returns general.file_type, and false if it is missing or no number.
func (h *Header) FileType() (FileType, bool) {
	v, ok := h.Find("general.file_type")
	n, isInt := v.Uint()
	if !ok || !isInt || n >= 1<<32 {
		return 0, false
	}
	return FileType(n), true
}
