package strictyaml

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Integer is what Whole can set.
type Integer interface{ ~int | ~int64 }

// Whole takes a whole number between least and most, both included.
func Whole[T Integer](dst *T, least, most T) func(Value) error {
	return func(v Value) error {
		n, err := strconv.ParseInt(v.Text, 10, 64)
		if err != nil || v.List || T(n) < least || T(n) > most || int64(T(n)) != n {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		*dst = T(n)
		return nil
	}
}

// Share takes a number from 0 to 1.
func Share(dst *float64) func(Value) error {
	return func(v Value) error {
		x, err := strconv.ParseFloat(v.Text, 64)
		if err != nil || v.List || !(x >= 0 && x <= 1) {
			return fmt.Errorf("must be a number from 0 to 1")
		}
		*dst = x
		return nil
	}
}

// Bool takes true or false.
func Bool(dst *bool) func(Value) error {
	return func(v Value) error {
		if v.List || (v.Text != "true" && v.Text != "false") {
			return fmt.Errorf("must be true or false")
		}
		*dst = v.Text == "true"
		return nil
	}
}

// Duration takes a time with its unit (ms, s, m, h) between least and most.
func Duration(dst *time.Duration, least, most time.Duration) func(Value) error {
	return func(v Value) error {
		d, err := time.ParseDuration(v.Text)
		if err != nil || v.List || d < least || d > most {
			return fmt.Errorf("must be a time with its unit (such as 90s, 15m or 24h) from %v to %v", least, most)
		}
		*dst = d
		return nil
	}
}

// OneOf takes one of the given words.
func OneOf[T ~string](dst *T, words ...T) func(Value) error {
	return func(v Value) error {
		if v.List || !slices.Contains(words, T(v.Text)) {
			return fmt.Errorf("must be one of %s", join(words))
		}
		*dst = T(v.Text)
		return nil
	}
}

// Text takes a scalar that check accepts; a nil check accepts all.
func Text(dst *string, check func(string) error) func(Value) error {
	return func(v Value) error {
		if v.List {
			return fmt.Errorf("must be a single value")
		}
		if check != nil {
			if err := check(v.Text); err != nil {
				return err
			}
		}
		*dst = v.Text
		return nil
	}
}

// List takes a list whose items check accepts; a nil check accepts all.
func List(dst *[]string, check func(string) error) func(Value) error {
	return func(v Value) error {
		if !v.List {
			return fmt.Errorf("must be a list, such as [] or [one, two]")
		}
		for _, item := range v.Items {
			if check == nil {
				break
			}
			if err := check(item); err != nil {
				return err
			}
		}
		*dst = v.Items
		return nil
	}
}

func join[T ~string](words []T) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}
