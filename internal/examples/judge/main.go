// Command judge compares redacted example documents with the truth by their pixels: how
// many values were destroyed, which words leaked, which were lost.
//
//	go run ./internal/examples/judge out/demo/redacted/0001 …
package main

import (
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"blotter/internal/examples"
	"blotter/internal/truth"
	"blotter/receipt"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

func run(dirs []string, w io.Writer) error {
	all, err := examples.All()
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		body, err := os.ReadFile(filepath.Join(dir, "result.json"))
		if err != nil {
			return err
		}
		var r receipt.Result
		if err := json.Unmarshal(body, &r); err != nil {
			return err
		}
		e, ok := examples.Of(all, r.Input.SHA256)
		if !ok {
			return fmt.Errorf("%s is no result of an example", dir)
		}
		for _, a := range r.Assets {
			if err := judge(w, dir, e, a); err != nil {
				return err
			}
		}
	}
	return nil
}

func judge(w io.Writer, dir string, e examples.Example, a receipt.ResultAsset) error {
	picture, ok := e.Picture(int(a.Page), int(a.Frame))
	if !ok || a.Derivative == nil {
		fmt.Fprintf(w, "%s asset %d (%s): not judged, %s %s\n", e.Name, a.Index, a.Kind, a.Status, a.Reason)
		return nil
	}
	img, err := open(filepath.Join(dir, a.Derivative.File))
	if err != nil {
		return err
	}
	v := picture.Judge(truth.Redacted{Image: img})
	fmt.Fprintf(w, "%s asset %d (%s): %d of %d values destroyed, %d of %d words lost\n",
		e.Name, a.Index, a.Kind, v.Destroyed, v.Secret, v.Lost, v.Kept)
	if len(v.Leaks) > 0 {
		fmt.Fprintf(w, "  leaked: %s\n", strings.Join(v.Leaks, " "))
	}
	if len(v.Losses) > 0 {
		fmt.Fprintf(w, "  lost: %s\n", strings.Join(v.Losses, " "))
	}
	return nil
}

func open(path string) (image.Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}
