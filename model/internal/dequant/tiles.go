// Scales in the layout of matrix units.

package dequant

import (
	"fmt"

	"github.com/weightools/safetensors"
	"github.com/weightools/safetensors/internal/clamp"
)

// Tiled returns scales with so many rows and columns that are stored in tiles of 128 rows and 4 columns: each has 32 times
// the 4 columns of rows that are 32 apart. Rows and columns are padded to whole tiles. (torchao 0.18:
// prototype/mx_formats/utils.py from_blocked; NVIDIA cuBLAS: "1D block scaling factors layout")
func Tiled(t *safetensors.Tensor, d safetensors.Dtype, rows, cols int64) (Fill, error) {
	high, wide := clamp.CeilDiv(rows, 128), clamp.CeilDiv(cols, 4)
	p, err := As(t, d, 512)
	if err != nil || p.Rows != clamp.Mul(high, wide) {
		return nil, fmt.Errorf("its scales %s are not in tiles of 128 by 4 for %d by %d", t.ShapeString(), rows, cols)
	}
	return func(dst []float32, b Box) error {
		first, last := b.Col/4, (b.Col+b.Cols-1)/4
		memory := floats.Get().(*[most]float32)
		defer floats.Put(memory)
		for done := int64(0); done < b.Rows; { // one row of tiles at a time
			row := b.Row + done
			n := min(128-row%128, b.Rows-done)
			for tile := first; tile <= last; {
				k := min(last-tile+1, most/512)
				values := memory[:k*512]
				if err := p.Fill(values, Box{row/128*wide + tile, k, 0, 512}); err != nil {
					return err
				}
				for c := max(tile*4, b.Col); c < min((tile+k)*4, b.Col+b.Cols); c++ {
					at := (c/4-tile)*512 + c%4
					for r := row % 128; r < row%128+n; r++ {
						dst[(done+r-row%128)*b.Cols+c-b.Col] = values[at+r%32*16+r/32*4]
					}
				}
				tile += k
			}
			done += n
		}
		return nil
	}, nil
}
