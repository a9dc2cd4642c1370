package intaketest

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

const schemas = "#/components/schemas/"

// schema is the part of JSON Schema that the service's document uses.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Format, Pattern      string
	Enum                 []any
	Minimum, Maximum     *float64
	Required             []string
	Properties           map[string]*schema
	Items                *schema
	AdditionalProperties any // a schema, false, or absent
}

// valid says in which respect a body is not what its schema asks for; "" where it is.
func (a *attack) valid(s *schema, body []byte) string {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return "no JSON: " + err.Error()
	}
	return a.check(s, v, "body")
}

func (a *attack) check(s *schema, v any, at string) string {
	if s == nil {
		return ""
	}
	if s.Ref != "" {
		s = a.resolve(s)
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		return fmt.Sprintf("%s: %v is not one of %v", at, v, s.Enum)
	}
	switch v := v.(type) {
	case map[string]any:
		return a.checkObject(s, v, at)
	case []any:
		for i, item := range v {
			if wrong := a.check(s.Items, item, fmt.Sprintf("%s[%d]", at, i)); wrong != "" {
				return wrong
			}
		}
		return ofType(s, at, "array")
	case string:
		return checkString(s, v, at)
	case float64:
		return checkNumber(s, v, at)
	case bool:
		return ofType(s, at, "boolean")
	}
	return at + ": null"
}

func (a *attack) resolve(s *schema) *schema {
	found, ok := a.doc.Components.Schemas[strings.TrimPrefix(s.Ref, schemas)]
	if !ok {
		a.Fatalf("%s leads nowhere", s.Ref)
	}
	return found
}

func ofType(s *schema, at string, is ...string) string {
	if s.Type == "" || slices.Contains(is, s.Type) {
		return ""
	}
	return fmt.Sprintf("%s: %s where %s is described", at, is[0], s.Type)
}

func (a *attack) checkObject(s *schema, v map[string]any, at string) string {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			return at + ": without " + name
		}
	}
	for name, member := range v {
		described, ok := s.Properties[name]
		if !ok && (s.AdditionalProperties == false || (s.Properties != nil && s.AdditionalProperties == nil)) {
			return at + ": with " + name + ", which is not described"
		}
		if wrong := a.check(described, member, at+"."+name); wrong != "" {
			return wrong
		}
	}
	return ofType(s, at, "object")
}

func checkString(s *schema, v, at string) string {
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) {
		return fmt.Sprintf("%s: %q has not the form %s", at, v, s.Pattern)
	}
	if _, err := time.Parse(time.RFC3339, v); s.Format == "date-time" && err != nil {
		return fmt.Sprintf("%s: %q is no time", at, v)
	}
	return ofType(s, at, "string")
}

func checkNumber(s *schema, v float64, at string) string {
	if (s.Minimum != nil && v < *s.Minimum) || (s.Maximum != nil && v > *s.Maximum) {
		return fmt.Sprintf("%s: %v is out of range", at, v)
	}
	if v == math.Trunc(v) {
		return ofType(s, at, "integer", "number")
	}
	return ofType(s, at, "number")
}
