// Command corpustruth turns the annotations of public sets into truth files for blotter
// eval, beside copies of their images. The sets themselves are not part of this project.
//
//	go run ./scripts/corpustruth -funsd DIR -sroie DIR -presidio DIR -out DIR
//
// None of the sets was annotated for personal data, so what can be derived is narrow:
//
//   - FUNSD (noisy scanned forms; images/*.png, annotations/*.json). Words of headers and
//     questions are to keep. Answers to questions that plainly ask for a name, date, number
//     or address are to destroy; all other words may go either way.
//   - SROIE (scanned receipts; img/*.jpg, box/*.csv, key/*.json). Words of the date and the
//     address are to destroy, words without a digit elsewhere are to keep, the company and
//     whatever holds a digit may go either way. Lines are cut into words by their letters.
//   - Presidio's test x-rays (*.png, truth/*.truth.json): burned-in names and dates. They
//     say nothing of what must stay.
//
// Boxes of people are wider than ink; they are drawn in by a tenth of their height.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"path/filepath"
	"strings"

	"blotter/internal/truth"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "corpustruth:", err)
		os.Exit(1)
	}
}

// set is a kind of annotations: which images a directory holds, and what is known of one.
type set struct {
	kind   string
	images string // pattern below the directory
	words  func(image string) ([]truth.Word, error)
}

var sets = map[string]set{
	"funsd":    {"funsd", "images/*.png", funsd},
	"sroie":    {"sroie", "img/*.jpg", sroie},
	"presidio": {"presidio-xray", "*.png", presidio},
}

func run(args []string) error {
	flags := flag.NewFlagSet("corpustruth", flag.ContinueOnError)
	dirs := map[string]*string{}
	for name := range sets {
		dirs[name] = flags.String(name, "", "directory of "+name)
	}
	out := flags.String("out", "", "directory to write into; made where it is missing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("-out must name a directory")
	}
	for name, dir := range dirs {
		if *dir == "" {
			continue
		}
		n, err := convert(sets[name], *dir, filepath.Join(*out, name))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("%s: %d images\n", name, n)
	}
	return nil
}

// convert writes the images of a set that have annotations, with their truth.
func convert(s set, dir, out string) (int, error) {
	images, err := filepath.Glob(filepath.Join(dir, s.images))
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(out, 0o700); err != nil {
		return 0, err
	}
	n := 0
	for _, path := range images {
		words, err := s.words(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // an image without annotations
		}
		if err != nil {
			return n, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		if err := write(s.kind, path, out, words); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func write(kind, path, out string, words []truth.Word) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	size, _, err := image.DecodeConfig(strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	d := truth.Document{Schema: truth.Schema, Kind: kind, Language: "en", Pictures: []truth.Picture{
		{Frame: 1, Width: size.Width, Height: size.Height, Words: inside(words, size.Width, size.Height)},
	}}
	file, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return err
	}
	if _, err := truth.Parse(file); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	to := filepath.Join(out, filepath.Base(path))
	return errors.Join(os.WriteFile(to, body, 0o600), os.WriteFile(to+truth.Suffix, file, 0o600))
}

// inside leaves out words that lie outside the image or enclose nothing.
func inside(words []truth.Word, width, height int) []truth.Word {
	var out []truth.Word
	for _, w := range words {
		b := w.Box()
		if b.W > 1 && b.H > 1 && b.X >= 0 && b.Y >= 0 && b.X+b.W <= width+1 && b.Y+b.H <= height+1 {
			out = append(out, w)
		}
	}
	return out
}

// word draws a box of people in to where its ink ought to be.
func word(text string, x0, y0, x1, y1 float64) truth.Word {
	in := (y1 - y0) / 10
	if x1-x0 <= 3*in {
		in = 0
	}
	return truth.Word{Text: text, Quad: truth.Rect(x0+in, y0+in, x1-in, y1-in), Want: truth.Either}
}

func readJSON(path string, into any) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(body, into)
}
