// FlatBuffers: tables of fields, which refer to each other by offsets.

// Package flatbuf reads FlatBuffers without their descriptions. Each reference is checked before it
// is followed.
package flatbuf

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/weightools/safetensors/internal/bytesio"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
)

// ErrInvalid says that the data is not a valid FlatBuffer.
var ErrInvalid = errors.New("the data is not a valid FlatBuffer")

// A File is a file with a FlatBuffer, whose offsets count from the beginning. It must not
// be used concurrently.
type File struct {
	Size  int64
	Spend func(int64) bool // takes work from a budget

	window *bytesio.Window
	last   int64 // the offset that was read last
}

// NewFile returns a File of the given size.
func NewFile(r io.ReaderAt, size int64, spend func(int64) bool) *File {
	return &File{Size: size, Spend: spend, window: bytesio.NewWindow(r, size)}
}

// bytes returns n bytes at an offset.
func (f *File) bytes(at int64, n int) ([]byte, error) {
	cost := int64(4)
	if at < f.last || at > f.last+bytesio.WindowSize {
		cost = 60 // reading elsewhere than before costs more
	}
	f.last = at
	if !f.Spend(cost) {
		return nil, evidence.ErrBudget
	}
	if at < 0 || at+int64(n) > f.Size {
		return nil, ErrInvalid
	}
	return f.window.At(at, n)
}

// Uint32 returns the number at an offset.
func (f *File) Uint32(at int64) (int64, error) {
	b, err := f.bytes(at, 4)
	if err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint32(b)), nil
}

// A Table is a table. The zero Table has no fields.
type Table struct {
	f      *File
	at     int64
	vtable int64
	size   int64 // of the vtable
}

// Root returns the outermost table of a FlatBuffer that begins at an offset.
func (f *File) Root(at int64) (Table, error) {
	to, err := f.Uint32(at)
	if err != nil {
		return Table{}, err
	}
	return f.table(at + to)
}

// table returns the table at an offset.
func (f *File) table(at int64) (Table, error) {
	b, err := f.bytes(at, 4)
	if err != nil {
		return Table{}, err
	}
	t := Table{f: f, at: at, vtable: at - int64(int32(binary.LittleEndian.Uint32(b)))}
	if b, err = f.bytes(t.vtable, 2); err != nil {
		return Table{}, err
	}
	if t.size = int64(binary.LittleEndian.Uint16(b)); t.size < 4 || t.vtable+t.size > f.Size {
		return Table{}, ErrInvalid
	}
	return t, nil
}

// field returns the offset of a field's value, or 0 if the table does not have it.
func (t Table) field(i int) (int64, error) {
	entry := int64(4 + 2*i)
	if t.f == nil || entry+2 > t.size {
		return 0, nil
	}
	b, err := t.f.bytes(t.vtable+entry, 2)
	if err != nil {
		return 0, err
	}
	if at := int64(binary.LittleEndian.Uint16(b)); at > 0 {
		return t.at + at, nil
	}
	return 0, nil
}

// Byte returns a field of one byte, or 0.
func (t Table) Byte(i int) (byte, error) {
	at, err := t.field(i)
	if err != nil || at == 0 {
		return 0, err
	}
	b, err := t.f.bytes(at, 1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// Int32 returns a field of four bytes, or 0.
func (t Table) Int32(i int) (int32, error) {
	at, err := t.field(i)
	if err != nil || at == 0 {
		return 0, err
	}
	v, err := t.f.Uint32(at)
	return int32(v), err
}

// target returns the offset to which a field refers, or 0.
func (t Table) target(i int) (int64, error) {
	at, err := t.field(i)
	if err != nil || at == 0 {
		return 0, err
	}
	to, err := t.f.Uint32(at)
	return at + to, err
}

// Table returns a field that is a table. It has no fields if the table does not have it.
func (t Table) Table(i int) (Table, error) {
	at, err := t.target(i)
	if err != nil || at == 0 {
		return Table{}, err
	}
	return t.f.table(at)
}

// Text returns the beginning of a field that is a string or a vector of bytes.
func (t Table) Text(i, most int) (string, error) {
	at, err := t.target(i)
	if err != nil || at == 0 {
		return "", err
	}
	n, err := t.f.Uint32(at)
	if err != nil {
		return "", err
	}
	if at+4+n > t.f.Size {
		return "", ErrInvalid
	}
	most = int(min(n, int64(most)))
	if !t.f.Spend(int64(most) / 8) {
		return "", evidence.ErrBudget
	}
	b, err := t.f.bytes(at+4, most)
	return string(b), err
}

// Tables calls see for the tables in a field that is a vector.
func (t Table) Tables(i int, see func(Table) error) error {
	at, err := t.target(i)
	if err != nil || at == 0 {
		return err
	}
	n, err := t.f.Uint32(at)
	if err != nil {
		return err
	}
	if at+4+4*n > t.f.Size {
		return ErrInvalid
	}
	for entry := at + 4; entry < at+4+4*n; entry += 4 {
		to, err := t.f.Uint32(entry)
		if err != nil {
			return err
		}
		inner, err := t.f.table(entry + to)
		if err == nil {
			err = see(inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
