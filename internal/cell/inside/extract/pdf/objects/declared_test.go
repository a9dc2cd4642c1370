package objects

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// tabled is a file of objects 1 to n with a table in letters, and more behind the trailer.
func tabled(trailer string, all ...string) string {
	b := "%PDF-1.7\n"
	rows := "0000000000 65535 f \n"
	for i, o := range all {
		rows += fmt.Sprintf("%010d 00000 n \n", len(b))
		b += fmt.Sprintf("%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	return fmt.Sprintf("%sxref\n0 %d\n%strailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", b, len(all)+1, rows, len(all)+1, trailer, len(b))
}

// packedFile keeps its catalogue and its tree of pages in an object stream, and has a
// table that is a stream.
func packedFile(count int) string {
	tree := fmt.Sprintf("<</Type/Pages/Count %d>>", count)
	catalogue := "<</Type/Catalog/Pages 2 0 R>>"
	head := fmt.Sprintf("1 0 2 %d ", len(catalogue))
	b := "%PDF-1.7\n"
	at := len(b)
	b += stream(3, fmt.Sprintf("/Type/ObjStm/N 2/First %d/Filter/FlateDecode", len(head)), deflate([]byte(head+catalogue+tree)))
	table := len(b)
	var rows []byte
	for _, r := range [][3]int{{0, 0, 0}, {2, 3, 0}, {2, 3, 1}, {1, at, 0}, {1, table, 0}} {
		rows = append(binary.BigEndian.AppendUint32(append(rows, byte(r[0])), uint32(r[1])), byte(r[2]))
	}
	up := make([]byte, 0, len(rows)+5)
	for i := 0; i < len(rows); i += 6 { // each row less the one above
		up = append(up, 2)
		for k := range 6 {
			c := rows[i+k]
			if i > 0 {
				c -= rows[i-6+k]
			}
			up = append(up, c)
		}
	}
	b += stream(4, "/Type/XRef/W[1 4 1]/Size 5/Root 1 0 R/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 6>>", deflate(up))
	return fmt.Sprintf("%sstartxref\n%d\n%%%%EOF", b, table)
}

// What the newest tables say is found, and nothing where they lead nowhere.
func TestDeclaredPages(t *testing.T) {
	const catalogue = "<</Type/Catalog/Pages 2 0 R>>"
	plain := tabled("", catalogue, "<</Type/Pages/Count 7>>")
	later := func(prev string) string { // a revision with another tree
		at := len(plain)
		tree := "2 0 obj\n<</Type/Pages/Count 9>>\nendobj\n"
		return fmt.Sprintf("%s%sxref\n2 1\n%010d 00000 n \ntrailer\n<</Root 1 0 R/Prev %s>>\nstartxref\n%d\n%%%%EOF", plain, tree, at, prev, at+len(tree))
	}
	first := fmt.Sprint(strings.Index(plain, "xref\n0"))
	for name, c := range map[string]struct {
		file string
		want int
	}{
		"in letters":             {plain, 7},
		"as a stream":            {packedFile(8), 8},
		"a later revision":       {later(first), 9},
		"a ring of tables":       {later(fmt.Sprint(len(plain) + len("2 0 obj\n<</Type/Pages/Count 9>>\nendobj\n"))), 0},
		"a count elsewhere":      {tabled("", catalogue, "<</Count 3 0 R>>", "6"), 6},
		"more than PDFium takes": {tabled("", catalogue, "<</Count 2147483647>>"), 0},
		"locked":                 {tabled("/Encrypt<</V 1>>", catalogue, "<</Count 7>>"), 0},
		"no table":               {strings.Replace(plain, "startxref", "startyref", 1), 0},
		"a table elsewhere":      {strings.Replace(plain, "startxref\n", "startxref\n1", 1), 0},
		"an object elsewhere":    {strings.Replace(plain, "2 0 obj", "3 0 obj", 1), 0},
		"no tree":                {tabled("", "<<>>"), 0},
		"lines without end":      {strings.Replace(plain, "xref\n0 3", "xref\n0 999999999", 1), 0},
		"empty":                  {"", 0},
	} {
		if got := DeclaredPages([]byte(c.file)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func FuzzDeclaredPages(f *testing.F) {
	f.Add([]byte(tabled("", "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 7>>")))
	f.Add([]byte(packedFile(8)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n := DeclaredPages(b); n < 0 || n >= maxDeclared {
			t.Errorf("%d pages", n)
		}
	})
}
