// Files over a budget, in generated variants, and files that have to be safe.

package scan

import (
	"bytes"
	"fmt"
	"image"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/weightools/safetensors/pickle"
)

// Instructions without an effect before the payload: it is found, or the file is not analyzed
// completely.
func TestVariantsBudget(t *testing.T) {
	n := 0
	for _, filler := range []string{"I1\n0", "N0", "K\x010", "(1", "]0", "}0", "N2" + "00", "(l0", "U\x01a0", "G\x00\x00\x00\x00\x00\x00\x00\x000", "Vtext\n0", "Nq\x000", "I00\n0"} {
		for _, times := range []int{300, 1000, 1001, 20_000, 110_000} {
			for _, s := range []*Scanner{{}, {MaxOpcodes: 50_000}, {MaxMemory: 1 << 20}} {
				for _, how := range sorted(payloads) {
					payload := payloads[how]
					n++
					if n%11 != 0 { // a part of the variants: they take time
						continue
					}
					name := variantNames[n%len(variantNames)]
					r := scanned(t, s, []byte(strings.Repeat(filler, times)+payload), name)
					if r.Verdict != pickle.Dangerous && (r.Complete || !r.Limited || r.Verdict != pickle.Suspicious) {
						t.Errorf("%q %d times, %s, as %s with %d is %s, %v, complete %v (%s)", filler, times, how, name, s.MaxOpcodes, r.Format, r.Verdict, r.Complete, rules(r))
					}
					if s.MaxOpcodes == 0 && s.MaxMemory == 0 && r.Verdict != pickle.Dangerous {
						t.Errorf("%q %d times, %s, as %s is %s, %v (%s)", filler, times, how, name, r.Format, r.Verdict, rules(r))
					}
				}
			}
		}
	}
}

// Legacy checkpoints whose values exceed the memory budget are not analyzed completely, and what
// is in them is found.
func TestVariantsLegacyOverBudget(t *testing.T) {
	const head = "\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}q\x00."
	n := 0
	for _, unit := range []string{"]0", "]", "(", "}", "N", "h\x05", ")", "K\x01", "X\x01\x00\x00\x00a", "]q\x06"} {
		for _, post := range []string{"", "t", "l", "1", "0"} {
			for _, payload := range []string{"cposix\nsystem\nX\x04\x00\x00\x00true\x85R.", "}.", "N.\x80\x02]q\x00."} {
				body := "\x80\x02ccollections\nOrderedDict\nq\x05" + "0(" + strings.Repeat(unit, 30_000) + post + payload
				b := head + body + "\x80\x02]q\x00."
				for _, wrap := range sorted(wraps) {
					in := wraps[wrap]
					if n++; n%21 != 0 {
						continue
					}
					name := "model" + []string{".pt", ".pth", ".ckpt", ".pkl", ".bin", "", ".txt", ".safetensors"}[n/21%8]
					r := scanned(t, &Scanner{MaxMemory: 1 << 18}, in(t, name, b), name)
					hit := r.Limited || !r.Complete
					if hit && (r.Complete || r.Verdict < pickle.Suspicious) || strings.Contains(payload, "posix") && r.Verdict < pickle.Suspicious {
						t.Errorf("%q and %q in %s as %s is %s, %v, complete %v (%s)", unit, post, wrap, name, r.Format, r.Verdict, r.Complete, rules(r))
					}
					if strings.Contains(payload, "posix") && !imported(r, "posix.system") && r.Complete {
						t.Errorf("%q and %q in %s as %s does not import posix.system: %v", unit, post, wrap, name, r.Findings)
					}
				}
			}
		}
	}
}

// drawn returns a picture in a format.
func drawn(t testing.TB, format string) string {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 300, 200), palette.Plan9)
	for i := range img.Pix {
		img.Pix[i] = byte(i * i / 77)
	}
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{img, img}, Delay: []int{1, 1}})
	case "webp": // lossless, with a chunk of odd size
		b.WriteString("RIFF\x1a\x00\x00\x00WEBPVP8L\x05\x00\x00\x00\x2f\x00\x00\x00\x00\x00abcd\x00\x00\x00\x00")
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A picture is safe if it is complete, and otherwise never safe.
func TestPictures(t *testing.T) {
	for _, format := range []string{"png", "jpeg", "gif", "webp"} {
		whole := drawn(t, format)
		r := scanned(t, new(Scanner), []byte(whole), "logo."+format)
		if r.Verdict != pickle.Safe || !r.Complete || r.Format != format || len(r.Findings) > 0 {
			t.Fatalf("%s: %s, %v: %v", format, r.Format, r.Verdict, r.Findings)
		}
		for n := 13; n < len(whole); n += max(len(whole)/200, 1) {
			if r := scanned(t, new(Scanner), []byte(whole[:n]), "logo."+format); r.Verdict != pickle.Unanalysed {
				t.Errorf("%s, cut to %d: %v (%s)", format, n, r.Verdict, rules(r))
			}
		}
		for what, tt := range map[string]struct {
			more string
			want pickle.Verdict
		}{
			"a byte": {"x", pickle.Unanalysed}, "a picture": {whole, pickle.Unanalysed}, "a pickle": {evil, pickle.Dangerous},
			"a zip": {string(zipped(t, file{"m/data.pkl", evil})), pickle.Dangerous}, "a zip of text": {string(zipped(t, file{"a.txt", "a"})), pickle.Suspicious},
		} {
			if r := scanned(t, new(Scanner), []byte(whole+tt.more), "logo."+format); r.Verdict != tt.want {
				t.Errorf("%s and %s: %v (%s)", format, what, r.Verdict, rules(r))
			}
		}
	}
}

// The files of a healthy repository are safe: none is left unanalysed.
func TestHealthyRepository(t *testing.T) {
	array := npyArray("'<f4'", "(1,)") + "1234"
	for name, content := range map[string]string{
		"README.md":               "---\nlicense: apache-2.0\ntags:\n- text-generation\n---\n# Model\n\n```python\nfrom transformers import AutoModel\nimport torch\n```\n",
		"LICENSE":                 strings.Repeat("Permission is hereby granted, free of charge.\n", 200),
		".gitattributes":          "*.safetensors filter=lfs diff=lfs merge=lfs -text\n",
		"config.json":             `{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64}`,
		"generation_config.json":  `{"_from_model_config": true, "bos_token_id": 1}`,
		"tokenizer.json":          `{"version": "1.0", "added_tokens": [{"id": 0, "content": "<s>"}], "model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}}`,
		"special_tokens_map.json": `{"bos_token": "<s>"}`,
		"vocab.txt":               "[PAD]\n[UNK]\n!\n\"\n#\n$\nthe\n的\né\n",
		"merges.txt":              "#version: 0.2\nĠ t\nĠ a\nh e\n",
		"requirements.txt":        "torch>=2\nnumpy\n",
		"logo.png":                drawn(t, "png"), "figure.jpg": drawn(t, "jpeg"), "demo.gif": drawn(t, "gif"), "banner.webp": drawn(t, "webp"),
		"model.safetensors":            string(safetensorsFile(t, map[string]string{"format": "pt"})),
		"model.safetensors.index.json": `{"metadata": {"total_size": 4}, "weight_map": {"a": "model.safetensors"}}`,
		"pytorch_model.bin":            string(checkpoint(t)), "arrays.npz": string(zipped(t, file{"a.npy", array})), "a.npy": array,
		"empty": "",
	} {
		for where, b := range map[string][]byte{"": []byte(content), " in a zip": zipped(t, file{"r/" + name, content}), " in a tar": tarred(t, file{"r/" + name, content})} {
			r := scanned(t, new(Scanner), b, name+map[bool]string{true: ".archive"}[where != ""])
			if r.Verdict != pickle.Safe || !r.Complete || r.Unanalysed || r.Evidence != pickle.Safe {
				t.Errorf("%s%s is %s, %v, complete %v: %s", name, where, r.Format, r.Verdict, r.Complete, fmt.Sprint(r.Findings))
			}
		}
	}
}
