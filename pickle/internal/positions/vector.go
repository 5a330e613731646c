// Integers in a file, read in blocks.

// Package positions compares the integers in files that lead to other data with the sizes of that data: the rows and
// columns of sparse matrices, the children in trees, and the offsets of nested tensors.
//
// Libraries in C use such integers without checking them. A wrong one reads or writes memory outside of an array.
package positions

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
)

// A Vector is integers at equal distances in a file.
type Vector struct {
	Source io.ReaderAt
	Offset int64 // of the first integer
	Count  int64
	Step   int64 // bytes from one integer to the next
	Width  int64 // bytes of an integer: 1, 2, 4 or 8
	Signed bool
	Big    bool // the first byte is the most significant
}

// Valid reports whether the width and the distance are possible.
func (v Vector) Valid() bool {
	return (v.Width == 1 || v.Width == 2 || v.Width == 4 || v.Width == 8) && v.Step >= 0 && v.Count >= 0 && v.Offset >= 0
}

// blockSize is the number of bytes that are read at once.
const blockSize = 32 << 10

// Cost returns the cost of reading the vector, in cheap pickle instructions.
func (v Vector) Cost() int64 {
	const bytes, numbers = 128, 8 // at the cost of one instruction
	return 1 + v.Count/numbers + v.Count*min(max(v.Step, v.Width), blockSize)/bytes
}

// Each calls yield with each integer until it returns false. Integers of 64 bits without sign above the greatest int64
// are passed as -1.
func (v Vector) Each(yield func(int64) bool) error {
	perBlock := int64(1)
	if v.Step <= blockSize/2 {
		perBlock = (blockSize-v.Width)/max(v.Step, 1) + 1
	}
	buf := make([]byte, min(v.Count*max(v.Step, 1)+v.Width, blockSize))
	for first := int64(0); first < v.Count; first += perBlock {
		n := min(perBlock, v.Count-first)
		block := buf[:(n-1)*v.Step+v.Width]
		if err := bytesio.ReadFull(v.Source, block, v.Offset+first*v.Step); err != nil {
			return err
		}
		for i := range n {
			if !yield(v.number(block[i*v.Step:])) {
				return nil
			}
		}
	}
	return nil
}

// number returns the integer at the start of b.
func (v Vector) number(b []byte) int64 {
	var order binary.ByteOrder = binary.LittleEndian
	if v.Big {
		order = binary.BigEndian
	}
	switch v.Width {
	case 1:
		if v.Signed {
			return int64(int8(b[0]))
		}
		return int64(b[0])
	case 2:
		if v.Signed {
			return int64(int16(order.Uint16(b)))
		}
		return int64(order.Uint16(b))
	case 4:
		if v.Signed {
			return int64(int32(order.Uint32(b)))
		}
		return int64(order.Uint32(b))
	}
	n := int64(order.Uint64(b))
	if n < 0 && !v.Signed {
		return -1
	}
	return n
}

// from returns the vector without the integers before the given one.
func (v Vector) from(first int64) Vector {
	v.Offset += first * v.Step
	v.Count -= first
	return v
}

// First returns the first n integers, as far as there are any.
func (v Vector) First(n int64) ([]int64, error) {
	var list []int64
	v.Count = min(v.Count, n)
	err := v.Each(func(i int64) bool {
		list = append(list, i)
		return true
	})
	return list, err
}

// Within returns a fault if an integer is less than least, or not less than most.
func (v Vector) Within(what string, least, most int64) (fault string, err error) {
	err = v.Each(func(n int64) bool {
		if n < least || n >= most {
			fault = fmt.Sprintf("%s is %d instead of %d to %d", what, n, least, most-1)
			if most <= least {
				fault = fmt.Sprintf("%s is %d, but there is nothing that it can lead to", what, n)
			}
		}
		return fault == ""
	})
	return fault, err
}
