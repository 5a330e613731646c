// hf.js: how it reads config.json.

package compat

import (
	"slices"
	"strings"

	"github.com/weightools/safetensors/internal/jsonscan"
)

// A hfjsConfig is a QuantizationConfig. Values of unexpected types are skipped; hf.js may throw or compute
// anything.
type hfjsConfig struct {
	present     bool
	method      string
	bits        float64
	load4bit    bool
	expertBits  float64
	format      string
	groups      []hfjsGroup
	ignore      []string
	unconverted []string

	mlx     hfjsMLX
	mlxOK   bool
	modules map[string]hfjsModule
}

// A hfjsGroup is one of config_groups.
type hfjsGroup struct {
	format  string
	targets []string
	bits    float64
}

// A hfjsMLX is a MlxQuantizationParameters.
type hfjsMLX struct {
	bits float64
	mode string
}

// A hfjsModule is a module with settings.
type hfjsModule struct {
	hfjsMLX
	ok bool // the module is packed in a known way
}

// readHFJSConfig is fetchModelConfig and getModelQuantizationConfig.
func readHFJSConfig(text []byte) hfjsConfig {
	root, err := jsonscan.Parse(text) // JSON.parse rejects NaN, too
	if err != nil || len(text) > 10_000_000 {
		return hfjsConfig{}
	}
	inner := root.Get("text_config")
	for _, v := range []jsonscan.Value{root, inner} {
		q, mlx := v.Get("quantization"), true
		if !isHFJSMLX(q) {
			q = v.Get("quantization_config")
			mlx = isHFJSMLX(q)
		}
		if q.Kind() == jsonscan.Object {
			c := parseHFJSConfig(q, mlx)
			c.readExpert(root, inner, q)
			return c
		}
	}
	return hfjsConfig{}
}

// parseHFJSConfig reads a QuantizationConfig.
func parseHFJSConfig(q jsonscan.Value, mlx bool) hfjsConfig {
	c := hfjsConfig{present: true}
	m := q.Pick("quant_method", "bits", "load_in_4bit", "format", "config_groups", "ignore", "modules_to_not_convert")
	method, _ := m[0].Str()
	c.method = strings.ToLower(method)
	c.bits = float(m[1])
	c.load4bit, _ = m[2].Bool()
	c.format, _ = m[3].Str()
	for _, g := range m[4].Members() {
		format, _ := g.Get("format").Str()
		c.groups = append(c.groups, hfjsGroup{format, words(g.Get("targets")), float(g.Get("weights").Get("num_bits"))})
	}
	c.ignore = words(m[5])
	c.unconverted = words(m[6])
	if mlx {
		c.method = "mlx"
		c.mlx, c.mlxOK = readHFJSMLX(q)
		c.modules = make(map[string]hfjsModule)
		for name, m := range q.Members() {
			switch m.Kind() {
			case jsonscan.False:
				c.modules[name] = hfjsModule{}
			case jsonscan.Object:
				w, ok := readHFJSMLX(m)
				c.modules[name] = hfjsModule{w, ok}
			}
		}
	}
	return c
}

// readExpert reads quantConfig.expert_dtype ?? expertDtype ?? quantConfig.store_dtype. A value that is not a string
// ends the search without a width.
func (c *hfjsConfig) readExpert(root, inner, q jsonscan.Value) {
	for _, v := range []jsonscan.Value{q.Get("expert_dtype"), root.Get("expert_dtype"), inner.Get("expert_dtype"),
		q.Get("store_dtype")} {
		if k := v.Kind(); k != 0 && k != jsonscan.Null {
			word, _ := v.Str()
			c.expertBits = narrow(strings.ToLower(word))
			return
		}
	}
}

// narrow is bitsFromFormatString, for a string in lower case. Formats that are not in its list, such as fp8 or
// fp6, have no width and count as not packed.
func narrow(format string) float64 {
	for _, word := range []string{"nvfp4", "mxfp4", "fp4", "int4", "uint4", "nf4"} {
		if strings.Contains(format, word) {
			return 4
		}
	}
	if strings.Contains(format, "int2") {
		return 2
	}
	return 0
}

// isHFJSMLX reports whether a configuration is from MLX: hasValidMlxConfiguration.
func isHFJSMLX(q jsonscan.Value) bool {
	if q.Kind() != jsonscan.Object {
		return false
	}
	said := q.Get("quant_method")
	method, isText := said.Str()
	if k := said.Kind(); k != 0 && !(isText && strings.EqualFold(method, "mlx")) {
		return false
	}
	if _, ok := readHFJSMLX(q); ok && hasMLXFields(q) {
		return true
	}
	for _, m := range q.Members() {
		if _, ok := readHFJSMLX(m); ok && m.Kind() == jsonscan.Object && hasMLXFields(m) {
			return true
		}
	}
	return false
}

// hasMLXFields is hasMlxParameterFields.
func hasMLXFields(v jsonscan.Value) bool {
	return slices.ContainsFunc(v.Pick("bits", "group_size", "mode"), func(m jsonscan.Value) bool { return m.Kind() != 0 })
}

// mlxModes are MLX_MODE_DEFAULTS and the values that parseMlxQuantizationParameters allows.
var mlxModes = map[string]struct{ bits, groups []int64 }{ // the defaults first
	"affine": {[]int64{4, 2, 3, 5, 6, 8}, []int64{64, 32, 128}},
	"mxfp4":  {[]int64{4}, []int64{32}},
	"nvfp4":  {[]int64{4}, []int64{16}},
	"mxfp8":  {[]int64{8}, []int64{32}},
}

// readHFJSMLX is parseMlxQuantizationParameters.
func readHFJSMLX(v jsonscan.Value) (hfjsMLX, bool) {
	members := v.Pick("mode", "bits", "group_size")
	mode, ok := members[0].Str()
	if !ok && members[0].Kind() != 0 {
		return hfjsMLX{}, false
	}
	if !ok {
		mode = "affine"
	}
	mode = strings.ToLower(mode)
	known, ok := mlxModes[mode]
	if !ok {
		return hfjsMLX{}, false
	}
	bits, group := known.bits[0], known.groups[0]
	for i, to := range []*int64{&bits, &group} {
		m := members[1+i]
		if k := m.Kind(); k == 0 || k == jsonscan.Null {
			continue
		}
		if *to, ok = m.Int(); !ok {
			return hfjsMLX{}, false
		}
	}
	return hfjsMLX{float64(bits), mode}, slices.Contains(known.bits, bits) && slices.Contains(known.groups, group)
}

// mlxOf is getMlxQuantizationParameters.
func (c *hfjsConfig) mlxOf(name string) (hfjsMLX, bool) {
	if m, ok := c.modules[moduleOf(name)]; ok {
		return m.hfjsMLX, m.ok
	}
	return c.mlx, c.mlxOK
}

// float returns a number, or 0.
func float(v jsonscan.Value) float64 {
	n, _ := v.Int()
	return float64(n)
}

// words returns the strings of an array.
func words(v jsonscan.Value) (list []string) {
	for e := range v.Elements() {
		if s, ok := e.Str(); ok {
			list = append(list, s)
		}
	}
	return list
}

// globMatch is globMatch: a * matches any characters.
func globMatch(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	last := parts[len(parts)-1]
	if !strings.HasPrefix(s, parts[0]) || !strings.HasSuffix(s, last) {
		return false
	}
	at, end := len(parts[0]), len(s)-len(last)
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s[min(at, len(s)):], part)
		if i < 0 || at+i+len(part) > end {
			return false
		}
		at += i + len(part)
	}
	return at <= end
}

// matchesTarget is matchesCompressedTensorsTarget: a name, or of regular expressions
// those that a glob can be. Any other never matches: neither there nor here is an
// expression run that a stranger wrote.
func matchesTarget(target, module string) bool {
	pattern, ok := strings.CutPrefix(target, "re:")
	if !ok {
		return target == module
	}
	pattern = strings.TrimPrefix(pattern, "^")
	if short, ok := strings.CutSuffix(pattern, "$"); ok {
		pattern = short
	} else {
		pattern += ".*"
	}
	pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, ".*", "*"), `\.`, ".")
	return !strings.ContainsAny(pattern, `\+?()[]{}|^$`) && globMatch(pattern, module)
}
