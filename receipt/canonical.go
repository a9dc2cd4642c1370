package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
)

// canonical writes v as RFC 8785 JSON: no white space, members sorted by the UTF-16
// code units of their names, strings escaped as ECMAScript does. Only what the format
// needs is supported: a number must be an integer within ±(2^53−1), and a string must
// be text, because encoding/json silently writes U+FFFD for bytes that are not UTF-8.
func canonical(v any) ([]byte, error) {
	loose, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(loose))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		return nil, err
	}
	return appendValue(make([]byte, 0, len(loose)), tree)
}

// decodeCanonical reads into v, a pointer to a struct, and demands that data is exactly
// what canonical writes for it: unknown, repeated, reordered or misspelt members,
// white space and trailing bytes all change the bytes.
func decodeCanonical(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	again, err := canonical(v)
	if err != nil {
		return err
	}
	if !bytes.Equal(again, data) {
		return errors.New("not in canonical form (RFC 8785)")
	}
	return nil
}

func appendValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case string:
		return appendString(b, v)
	case json.Number:
		return appendInteger(b, v)
	case []any:
		return appendArray(b, v)
	case map[string]any:
		return appendObject(b, v)
	}
	return nil, fmt.Errorf("a %T has no canonical form", v)
}

func appendInteger(b []byte, n json.Number) ([]byte, error) {
	i, err := strconv.ParseInt(n.String(), 10, 64)
	if err != nil || i > maxInteger || i < -maxInteger {
		return nil, errors.New("a number that is no integer within 2^53−1")
	}
	return strconv.AppendInt(b, i, 10), nil
}

func appendArray(b []byte, list []any) (_ []byte, err error) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, v); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendObject(b []byte, m map[string]any) (_ []byte, err error) {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return slices.Compare(utf16.Encode([]rune(x)), utf16.Encode([]rune(y)))
	})
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendString(b, name); err != nil {
			return nil, err
		}
		b = append(b, ':')
		if b, err = appendValue(b, m[name]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// shortEscapes are the control characters that ECMAScript writes with a letter.
var shortEscapes = map[rune]string{
	'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`,
}

func appendString(b []byte, s string) ([]byte, error) {
	b = append(b, '"')
	for _, r := range s {
		short, special := shortEscapes[r]
		switch {
		case r == '\uFFFD':
			return nil, errors.New("a string that is not UTF-8")
		case special:
			b = append(b, short...)
		case r < 0x20:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"'), nil
}
