package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blotter/internal/truth"
)

// wants lists words with what is to become of them.
func wants(words []truth.Word) string {
	var out []string
	for _, w := range words {
		s := w.Text + "=" + string(w.Want)
		if w.Type != "" {
			s += "/" + w.Type
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestFUNSD(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "annotations"), 0o700); err != nil {
		t.Fatal(err)
	}
	const file = `{"form":[
	 {"id":0,"label":"question","text":"DATE:","linking":[[0,1]],"words":[{"box":[10,10,50,20],"text":"DATE:"}]},
	 {"id":1,"label":"answer","text":"May 4, 1995","linking":[[0,1]],"words":[{"box":[60,10,80,20],"text":"May"},{"box":[90,10,140,20],"text":"4,"}]},
	 {"id":2,"label":"question","text":"BRAND","linking":[[2,3]],"words":[{"box":[10,30,50,40],"text":"BRAND"}]},
	 {"id":3,"label":"answer","text":"Kent","linking":[[2,3]],"words":[{"box":[60,30,90,40],"text":"Kent"}]},
	 {"id":4,"label":"other","text":"note","linking":[],"words":[{"box":[60,50,90,60],"text":"note"}]}]}`
	if err := os.WriteFile(filepath.Join(dir, "annotations", "a.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	words, err := funsd(filepath.Join(dir, "images", "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := wants(words), "DATE:=keep May=destroy/date 4,=destroy/date BRAND=keep Kent=either note=either"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if words[1].Value != words[2].Value || words[1].Quad[0] != (truth.Point{X: 61, Y: 11}) {
		t.Errorf("got %+v", words[1])
	}
}

func TestReceiptLines(t *testing.T) {
	at := [8]float64{0, 0, 100, 0, 100, 10, 0, 10}
	line := func(text string) string {
		return wants(receiptLine(text, at, "HAPPY MART", "19 MAR 2018", "12, JALAN TAMPOI,JOHOR"))
	}
	for text, want := range map[string]string{
		"19 MAR 2018 18:26": "19=destroy/date MAR=destroy/date 2018=destroy/date 18:26=either",
		"12, JALAN TAMPOI":  "12,=destroy/place JALAN=destroy/place TAMPOI=destroy/place",
		"HAPPY MART":        "HAPPY=either MART=either",
		"TOTAL 8.20":        "TOTAL=keep 8.20=either",
	} {
		if got := line(text); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
	w := receiptLine("AB CDEFG HI", at, "", "", "")
	if got := w[1].Quad[0].X; got < 27 || got > 29 {
		t.Errorf("the second word begins at %v of 100", got)
	}
}
