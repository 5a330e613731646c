// Templates of published models, and of security advisories.

package jinja

import (
	"strings"
	"testing"
)

// judged returns the findings in a template.
func judged(text string) []Finding {
	found, _ := Judge([]byte(text), true, func(int) bool { return true })
	return found
}

func TestEscapes(t *testing.T) {
	for _, text := range []string{
		`{{ ''.__class__ }}`, `{{ ''["__class__"] }}`, `{{ ''|attr("__class__") }}`, `{{ ''|attr("\x5f\x5fclass\x5f\x5f") }}`,
		`{{ ''|attr("__cl" "ass__") }}`, `{{ ''|attr("__cl" ~ "ass__") }}`, `{{ ''["__cl"+"ass__"] }}`,
		`{%- set a = lipsum -%}{{ a.__globals__ }}`, `{{ "{0.__class__}".format(x) }}`, `{{ x|map(attribute="__class__") }}`,
		`{{ ''|attr(["_"*2,"class","_"*2]|join) }}`, `{% set c = "_" %}{{ ''[c~c~"class"~c~c] }}`,
		`{{ ''['__ssalc__'[::-1]] }}`, `{{ ()|attr(dict(__cla=1,ss__=2)|join) }}`, `{{ (lipsum|string|list).pop(18) }}`,
		`{{ x. __class__ }}`, `{% if ''.__class__ %}{% endif %}`, `{{ cycler.__init__.__globals__.os.popen('id').read() }}`,
		`{{ self._TemplateReference__context }}`, `{{ ''|attr(x) }}`, `{{ ''["\137\137class\137\137"] }}`,
		`{{ [1,2,{"a":{"b":x.__class__}}] }}`, `{{"}}".__class__}}`, "{# {{ #}{{ x.__class__ }}", `{{ x.ｍro.__ｃlass__ }}`,
		`{{ x["gi_frame"] }}`, `{{ (x|select|first).gi_frame.f_globals }}`, `{{ popen("id") }}`, `{{ getattr(x, y) }}`,
		`{{ x|attr("%c%cclass%c%c"|format(95,95,95,95)) }}`, `{{ [].append.__self__ }}`, `{%set x=().__class__%}`,
		`{% for v in ['%s%s'|format('__cla','ss__')] %}{{ x[v] }}{% endfor %}`,
		`{% with a = 1, v = '%s%s' % ('__cla','ss__') %}{{ x[v] }}{% endwith %}`,
		`{% set a, v = 1, '{}{}'.format('__cla','ss__') %}{{ x[v] }}`,
		`{% macro m(v='%s%s'|format('__cla','ss__')) %}{{ x[v] }}{% endmacro %}{{ m() }}`,
		`{{ ['@']|attr('format')(x) }}`, `{{ x['format_map'](y) }}`, `{{ x|sum(y) }}`, `{{ x|sum(attribute=y, start=[]) }}`,
		`{{ x|join(',', y) }}`, `{{ x|join(d=',', attribute=y) }}`, `{{ x|sort(true, false, y) }}`,
		`{{ x|unique(f((1, 2)), y) }}`,
	} {
		if len(judged(text)) == 0 {
			t.Errorf("%s: nothing found", text)
		}
	}
	for _, text := range []string{
		`{% raw %}{{ x.__class__ }}{% endraw %}`, `__class__ {{ x }}`, `{# x.__class__ #}`, `{{ x.class }}`, `{{ "class" }}`,
		`{{ messages[loop.index0 + 1]["role"] }}`, `{% for _ in range(3) %}{{ _ }}{% endfor %}`, `{{ "__media__" }}`,
		`{{ x["a"]["b"] + "c" }}`, `{{ dict(a=1) }}`, `{{ x|join("_") }}`, `{{ "{:d} {}".format(x, y) }}`, `{{ prompt.format(x) }}`,
		`{{ x|sum }}`, `{{ x|sum("size") }}`, `{{ x|join(f(1, 2)) }}`, `{{ x|sort(true) }}`, `{{ x|min(y)[0] }}`, strings.Repeat(`{{ x[`, 10) + `{{`,
	} {
		if found := judged(text); len(found) > 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// Loops over constant ranges multiply if they are nested, and not one after the other.
func TestLoops(t *testing.T) {
	for text, busy := range map[string]bool{
		`{% for i in range(1000000) %}{% for j in range(1000000) %}x{% endfor %}{% endfor %}`:      true,
		`{%- for i in range(1, 10_000, 2) -%}{% for j in range(9000) %}x{% endfor %}{% endfor %}`:  true,
		`{% for i in range(99999999999999999999999) if i %}x{% endfor %}`:                          true,
		`{% for i in range(100000) %}x{% endfor %}{% for j in range(100000) %}x{% endfor %}`:       false,
		`{% for i in range(100000) %}{% for m in messages %}x{% endfor %}{% endfor %}`:             false,
		`{% for i in range(0, n) %}{% for m in range(messages|length) %}x{% endfor %}{% endfor %}`: false,
		`{% for i in range(5, 1000000000, 1000000) %}x{% endfor %}`:                                false,
		`range(1000000) range(1000000)`: false,
	} {
		found := judged(text)
		if got := len(found) == 1 && found[0].Level == Busy; got != busy || !busy && len(found) > 0 {
			t.Errorf("%s: %v", text, found)
		}
	}
}

// Python's str.format reads any attribute that the text names, so the text has to be one of the template.
func TestFormatsOfComputedTexts(t *testing.T) {
	n := 0
	for _, text := range []string{
		`('{0.'~u~'}')`, `'{0.@@}'.replace('@','_')`, `('{0.@@}'|replace('@','_'))`, `['{0.@@}'|replace('@','_')][0]`,
		`({'k':'{0.@@}'|replace('@','_')})`, `d.k`, `d['k']`, `x|first|string`, `f()`, `'{0.%s}' % k`, `('{0.', k, '}')|join`,
		`'}xx.0{'[::-1]`, `'{0.@@}'.translate(k)`,
	} {
		for _, call := range []string{`(%s).format(lipsum)`, `(%s).format_map(x)`, `(%s)|attr('format')(lipsum)`,
			`(%s)['format'](lipsum)`, `(%s) .format (lipsum)`} {
			for _, place := range []string{`{{ %s }}`, `{% if %s %}{% endif %}`, `{%%- set y = %s -%%}`, `{{ g(%s)|trim }}`} {
				place = strings.ReplaceAll(place, "%%", "%")
				s := strings.Replace(place, "%s", strings.Replace(call, "%s", text, 1), 1)
				if n++; len(judged(s)) == 0 {
					t.Errorf("%s: nothing found", s)
				}
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d variants", n)
	}
}
