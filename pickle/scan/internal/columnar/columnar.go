// Extension types of Arrow and Parquet files.

// Package columnar finds the extension types in the schemas of Arrow and Parquet files. Some of
// them are pickles, which readers load.
package columnar

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/weightools/safetensors/pickle"
	"github.com/weightools/safetensors/pickle/scan/internal/evidence"
	"github.com/weightools/safetensors/pickle/scan/internal/flatbuf"
)

// The rules of this package.
const (
	RuleType   pickle.Rule = "arrow-extension-type"
	RulePickle pickle.Rule = "arrow-pickled-type"
)

// Numbers of fields in the schema of Arrow's messages.
const (
	messageType    = 1 // fields of Message
	messageHeader  = 2
	isSchema       = 1 // a value of messageType
	schemaFields   = 1 // fields of Schema
	schemaMetadata = 2
	fieldChildren  = 5 // fields of Field
	fieldMetadata  = 6
	keyName        = 0 // fields of KeyValue
	keyValue       = 1
	mostName       = 1000
	mostValue      = 1 << 20
)

// known are the extension types whose metadata is not executed, or their first parts.
var known = []string{"arrow.bool8", "arrow.fixed_shape_tensor", "arrow.variable_shape_tensor", "arrow.json",
	"arrow.opaque", "arrow.uuid", "arrow.parquet.variant", "arrow.timestamp_with_offset", "parquet.variant", "pandas.",
	"geoarrow.", "ogc.", "polars.", "duckdb.", "lance."}

// A reader collects what is found in schemas.
type reader struct {
	*evidence.Report
	pickles [][]byte
}

// message examines a message of a stream at an offset, which may be a schema.
func (r *reader) message(f *flatbuf.File, at int64) error {
	m, err := f.Root(at)
	if err != nil {
		return err
	}
	kind, err := m.Byte(messageType)
	if err != nil || kind != isSchema {
		return err
	}
	schema, err := m.Table(messageHeader)
	if err != nil {
		return err
	}
	return r.schema(schema)
}

// schema examines the fields of a schema. They are nested; a field that occurs in itself is a
// cycle, which the budget ends.
func (r *reader) schema(schema flatbuf.Table) error {
	type open struct {
		table flatbuf.Table
		field int
		depth int
	}
	const deepest, most = 100, 100_000
	todo := []open{{schema, schemaFields, 0}}
	if err := r.metadata(schema, schemaMetadata); err != nil {
		return err
	}
	for len(todo) > 0 {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		err := o.table.Tables(o.field, func(field flatbuf.Table) error {
			if o.depth >= deepest || len(todo) >= most {
				return flatbuf.ErrInvalid
			}
			todo = append(todo, open{field, fieldChildren, o.depth + 1})
			return r.metadata(field, fieldMetadata)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// metadata examines the keys and values of a field or schema.
func (r *reader) metadata(t flatbuf.Table, field int) error {
	name, value := "", ""
	err := t.Tables(field, func(pair flatbuf.Table) error {
		key, err := pair.Text(keyName, mostName)
		if err != nil {
			return err
		}
		switch key {
		case "ARROW:extension:name":
			name, err = pair.Text(keyValue, mostName)
		case "ARROW:extension:metadata":
			value, err = pair.Text(keyValue, mostValue)
		default:
			var other string
			if other, err = pair.Text(keyValue, evidence.MostText); err == nil {
				r.Keep(key, []byte(other), 0)
			}
		}
		return err
	})
	if err == nil && name != "" {
		r.extension(name, value)
	}
	return err
}

// extension reports an extension type. The type "arrow.py_extension_type" is a pickle, which
// PyArrow loaded until version 14 (CVE-2023-47248).
func (r *reader) extension(name, value string) {
	switch {
	case strings.HasPrefix(name, "arrow.py_extension_type"):
		r.Find(RulePickle, pickle.Error, 0, "an extension type of a column is a pickle, which older versions of PyArrow load")
	case isPickle(value):
		r.Find(RulePickle, pickle.Warning, 0, "the extension type %.100q of a column contains a pickle", name)
	case !isKnown(name):
		r.Find(RuleType, pickle.Warning, 0, "the extension type %.100q of a column is one of a library", name)
		return
	default:
		return
	}
	r.pickles = append(r.pickles, []byte(value))
}

// isPickle reports whether a value begins like a pickle, or like one in Base64.
func isPickle(value string) bool {
	return len(value) > 2 && (value[0] == 0x80 && value[1] <= 5 || strings.HasPrefix(value, "gAS") ||
		value[0] == '(' || value[0] == 'c' && strings.Contains(value, "\n"))
}

// isKnown reports whether the metadata of an extension type is not executed.
func isKnown(name string) bool {
	for _, k := range known {
		if name == k || strings.HasSuffix(k, ".") && strings.HasPrefix(name, k) {
			return true
		}
	}
	return false
}

// schemaText examines a schema in Base64, as Parquet files contain it.
func (r *reader) schemaText(text []byte, spend func(int64) bool) error {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil {
		return errors.Join(flatbuf.ErrInvalid, err)
	}
	return r.stream(flatbuf.NewFile(bytes.NewReader(b), int64(len(b)), spend), 0)
}
