// What the converter does to tensors.

package origin

import (
	"fmt"
	"strings"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/edit/arrange"
)

// An operation is what is done to each element.
type operation int

const (
	keep operation = iota
	addOne
	negExp // -exp(x)
)

// numbers are sizes of the model, by the keys of GGUF after the name of the architecture.
type numbers func(key string) int64

// transforms are the arrangements by their names in the map. For names that are not here, the order stays.
var transforms = map[string]func(t *safetensors.Tensor, to string, n numbers) (*safetensors.Tensor, error){
	"transpose": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) {
		return arrange.Transpose(t, -2, -1)
	},
	"rope_halves(heads)": func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
		return arrange.Pairs(t, n("attention.head_count"))
	},
	"rope_halves(kv_heads)": func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
		return arrange.Pairs(t, n.headsOf(t))
	},
	"first_half": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) { return half(t, 0, 0) },
	"second_half": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) {
		return half(t, 0, 1)
	},
	"first_half_of_each_expert": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) {
		return half(t, 1, 0)
	},
	"second_half_of_each_expert": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) {
		return half(t, 1, 1)
	},
	"even_rows": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) {
		return everyOther(t, 1, 0)
	},
	"odd_rows": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) {
		return everyOther(t, 1, 1)
	},
	"interleaved": func(t *safetensors.Tensor, to string, _ numbers) (*safetensors.Tensor, error) {
		if strings.Contains(to, "gate") {
			return everyOther(t, len(t.Shape)-1, 0)
		}
		return everyOther(t, len(t.Shape)-1, 1)
	},
	"qkv_by_head":  byHead,
	"qkv_by_group": byGroup,
	"wqkv_q": func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
		return groupOf(t, n, 0)
	},
	"wqkv_k": func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
		return groupOf(t, n, 1)
	},
	"wqkv_v": func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
		return groupOf(t, n, 2)
	},
	"rope_halves": func(t *safetensors.Tensor, to string, n numbers) (*safetensors.Tensor, error) {
		if strings.Contains(to, "attn_k.") {
			return arrange.Pairs(t, n.headsOf(t))
		}
		return arrange.Pairs(t, n("attention.head_count"))
	},
	"mla_k_b":  func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) { return latent(t, n, 0) },
	"mla_v_b":  func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) { return latent(t, n, 1) },
	"qkvz_qkv": mixed,
	"qkvz_z": func(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
		parts, err := mixedParts(t, n)
		if err != nil {
			return nil, err
		}
		return parts[3], nil
	},
	"drop_first_rows(2)": func(t *safetensors.Tensor, _ string, _ numbers) (*safetensors.Tensor, error) {
		return t.Slice(safetensors.From(2))
	},
}

// kv returns the number of heads for keys and values.
func (n numbers) kv() int64 {
	if kv := n("attention.head_count_kv"); kv > 0 {
		return kv
	}
	return n("attention.head_count")
}

// headsOf returns the number of heads for keys that have the rows of a tensor. Models whose layers differ in it have
// an array of them in the metadata.
func (n numbers) headsOf(t *safetensors.Tensor) int64 {
	size, heads := n("attention.key_length"), n("attention.head_count")
	if size <= 0 && heads > 0 {
		size = n("embedding_length") / heads
	}
	if size <= 0 || len(t.Shape) == 0 {
		return n.kv()
	}
	return t.Shape[0] / size
}

// apply arranges the tensors that a GGUF tensor is made of, and says what is done to each element.
func apply(how, to string, from []*safetensors.Tensor, n numbers) (*safetensors.Tensor, operation, error) {
	t, op := from[0], keep
	for step := range strings.SplitSeq(how, "+") {
		var err error
		switch step {
		case "", "reshape", "pad_rows":
		case "add_one":
			op = addOne
		case "neg_exp":
			op = negExp
		case "stack":
			t, err = arrange.Stack(to, from...)
		default:
			do := transforms[step]
			if do == nil {
				return nil, op, fmt.Errorf("origin: %s is not undone", step)
			}
			t, err = do(t, to, n)
		}
		if err != nil {
			return nil, op, err
		}
	}
	return t, op, nil
}

// half returns a half of a tensor along an axis.
func half(t *safetensors.Tensor, axis, which int) (*safetensors.Tensor, error) {
	parts, err := arrange.Cut(t, axis, 1, 1)
	if err != nil {
		return nil, err
	}
	return parts[which], nil
}

// everyOther returns every other element of an axis, from the given one on.
func everyOther(t *safetensors.Tensor, axis int, first int64) (*safetensors.Tensor, error) {
	if axis < 0 || axis >= len(t.Shape) {
		return nil, fmt.Errorf("origin: %s has too few dimensions", t.ShapeString())
	}
	ranges := make([]safetensors.Range, axis+1)
	ranges[axis] = safetensors.From(first)
	ranges[axis].Step = 2
	return t.Slice(ranges...)
}

// byHead returns rows that are stored as queries, keys and values of each head as all queries, all keys, all values.
func byHead(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
	return ungroup(t, n("attention.head_count"), 1)
}

// byGroup returns rows that are stored for each head of keys and values: its queries, keys, values.
func byGroup(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
	kv := n.kv()
	if kv <= 0 {
		return nil, fmt.Errorf("origin: the number of heads is unknown")
	}
	return ungroup(t, kv, n("attention.head_count")/kv)
}

func ungroup(t *safetensors.Tensor, groups, queries int64) (*safetensors.Tensor, error) {
	parts, err := arrange.CutGroups(t, groups, queries, 1, 1)
	if err != nil {
		return nil, err
	}
	return arrange.Join(t.Name, 0, parts...)
}

// groupOf returns the queries, the keys or the values of rows that are stored for each head of keys and values.
func groupOf(t *safetensors.Tensor, n numbers, which int) (*safetensors.Tensor, error) {
	kv := n.kv()
	if kv <= 0 {
		return nil, fmt.Errorf("origin: the number of heads is unknown")
	}
	parts, err := arrange.CutGroups(t, kv, n("attention.head_count")/kv, 1, 1)
	if err != nil {
		return nil, err
	}
	return parts[which], nil
}

// latent returns the part of a compressed matrix that makes keys, with the axes of each head exchanged, or the part
// that makes values.
func latent(t *safetensors.Tensor, n numbers, which int) (*safetensors.Tensor, error) {
	heads, rope := n("attention.head_count"), n("rope.dimension_count")
	keys, values := n("attention.key_length_mla")-rope, n("attention.value_length_mla")
	if keys <= 0 || values <= 0 || len(t.Shape) != 2 {
		return nil, fmt.Errorf("origin: the sizes of the heads are unknown")
	}
	apart, err := arrange.Reshape(t, heads, keys+values, t.Shape[1])
	if err != nil {
		return nil, err
	}
	parts, err := arrange.Cut(apart, 1, keys, values)
	if err != nil {
		return nil, err
	}
	if which == 0 {
		return arrange.Transpose(parts[0], 1, 2)
	}
	return parts[1], nil
}

// mixed returns the queries, keys and values of a matrix that has them, and gates, for each head of keys.
func mixed(t *safetensors.Tensor, _ string, n numbers) (*safetensors.Tensor, error) {
	parts, err := mixedParts(t, n)
	if err != nil {
		return nil, err
	}
	return arrange.Join(t.Name, 0, parts[:3]...)
}

func mixedParts(t *safetensors.Tensor, n numbers) ([]*safetensors.Tensor, error) {
	keys, width, values := n("ssm.group_count"), n("ssm.state_size"), n("ssm.inner_size")
	if keys <= 0 || width <= 0 || values <= 0 || values%keys != 0 {
		return nil, fmt.Errorf("origin: the numbers of heads are unknown")
	}
	return arrange.CutGroups(t, keys, width, width, values/keys, values/keys)
}
