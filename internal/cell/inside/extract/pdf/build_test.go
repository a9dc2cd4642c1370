package pdf

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"blotter/internal/document"
)

var roomy = document.Limits{Assets: 100, Pages: 100, Entries: 100, AssetPixels: 4e6, TotalPixels: 1e8, PageObjects: 500_000, TotalObjects: 2_000_000, DrawnPixels: 8e9, PageDPI: 100, UnpackedBytes: 64 << 20, Filters: 5}

// engine is shared by the tests of this package: compiling PDFium takes seconds.
var engine *Engine

func TestMain(m *testing.M) {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	if engine, err = Start(filepath.Join(dir, "blotter-test-wazero")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := engine.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// parts are the numbered objects of a PDF; 1 must be the catalog.
type parts map[int]string

// stream makes an object of a dictionary's entries and data.
func stream(dict, data string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(data), data)
}

// write lays the objects out with a cross-reference table. trailer is added to the
// trailer's dictionary.
func (o parts) write(trailer string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var numbers []int
	for n := range o {
		numbers = append(numbers, n)
	}
	sort.Ints(numbers)
	at := map[int]int{}
	for _, n := range numbers {
		at[n] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", n, o[n])
	}
	start := b.Len()
	last := numbers[len(numbers)-1]
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", last+1)
	for n := 1; n <= last; n++ {
		if _, ok := at[n]; ok {
			fmt.Fprintf(&b, "%010d 00000 n \n", at[n])
		} else {
			b.WriteString("0000000000 65535 f \n")
		}
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", last+1, trailer, start)
	return b.Bytes()
}

// onePage is a document of one page of 200×100 points with the font F and the
// resources given; more objects are numbered from 10.
func onePage(page, content, resources string, more parts) []byte {
	o := parts{
		1: "<</Type/Catalog/Pages 2 0 R>>",
		2: "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		3: "<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F 5 0 R>>" + resources + ">>" + page + ">>",
		4: stream("", content),
		5: "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	for n, s := range more {
		o[n] = s
	}
	return o.write("")
}

const box = "/MediaBox[0 0 200 100]"

// rawImage is a gray image of w×h pixels.
func rawImage(w, h int, extra, pix string) string {
	return stream(fmt.Sprintf("/Type/XObject/Subtype/Image/Width %d/Height %d/ColorSpace/DeviceGray/BitsPerComponent 8%s", w, h, extra), pix)
}

// quarters is a 4×4 picture whose upper left quarter is black on gray.
var quarters = strings.Repeat("\x00\x00\x80\x80", 2) + strings.Repeat("\x80\x80\x80\x80", 2)
