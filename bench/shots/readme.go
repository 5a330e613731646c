// The picture of the README: small, with a palette of the most frequent colors.

package main

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/chromedp"
)

// takeReadme writes the overview of the model to the named file.
func takeReadme(b *browser, program, work, name string) error {
	name, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	targets, err := makeModel(work)
	if err != nil {
		return err
	}
	if err := os.Chdir(work); err != nil { // so that the page shows a short path
		return err
	}
	targets[0] = filepath.Base(targets[0])
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	address, err := serve(ctx, program, targets)
	if err != nil {
		return err
	}
	steps := []chromedp.Action[chromedp.Void]{
		chromedp.EmulateViewport(1200, 780), chromedp.Navigate(address),
		chromedp.WaitVisible(chromedp.CSS(".treemap .box")),
		chromedp.WaitVisible(chromedp.CSS(".ok-wash")), chromedp.Sleep(scene{slow: true}.rest()),
	}
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		return err
	}
	shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&out, reduce(full, 64)); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o666)
}

// reduce returns the picture in its n most frequent colors.
func reduce(full image.Image, n int) image.Image {
	counts := map[color.RGBA]int{}
	bounds := full.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[color.RGBAModel.Convert(full.At(x, y)).(color.RGBA)]++
		}
	}
	most := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	palette := make(color.Palette, 0, n)
	for _, c := range most[:min(n, len(most))] {
		palette = append(palette, c)
	}
	small := image.NewPaletted(bounds, palette)
	draw.Draw(small, bounds, full, bounds.Min, draw.Src)
	return small
}
