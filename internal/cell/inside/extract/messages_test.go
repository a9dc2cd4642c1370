package extract

import (
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"blotter/internal/cell/inside/cfb"
)

// Messages lie in messages in every way that mail programs have, and their pictures are found.
func TestMessagesWithin(t *testing.T) {
	der := func(tag byte, parts ...string) string {
		body := strings.Join(parts, "")
		return string([]byte{tag, 0x83, byte(len(body) >> 16), byte(len(body) >> 8), byte(len(body))}) + body
	}
	kind := func(last string) string { return "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07" + last }
	signed := func(held string) string {
		return der(0x30, kind("\x02"), der(0xa0, der(0x30, der(2, "\x01"), der(0x31), der(0x30, kind("\x01"), der(0xa0, der(4, held))), der(0x31))))
	}
	encrypted := der(0x30, kind("\x03"), der(0xa0, der(0x30)))
	part := func(kind, body string) string {
		return "--b\nContent-Type: " + kind + "\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(body)) + "\n"
	}
	mail := func(parts ...string) string {
		return "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Join(parts, "") + "--b--\n"
	}
	attribute := func(id uint32, body string) string {
		b := binary.LittleEndian.AppendUint32([]byte{2}, id)
		return string(append(binary.LittleEndian.AppendUint32(b, uint32(len(body))), body...)) + "\x00\x00"
	}
	winmail := func(files ...string) string {
		all := "\x78\x9f\x3e\x22\x01\x00"
		for _, f := range files {
			all += attribute(0x00069002, strings.Repeat("\x00", 14)) + attribute(0x0006800f, f)
		}
		return all
	}
	picture := func(w int) string { return string(gray(t, w, w, 9)) }
	outlook, err := cfb.NewStorage("Root Entry", cfb.NewStream("__properties_version1.0", make([]byte, 32)),
		cfb.NewStorage("__attach_version1.0_#00000000", cfb.NewStream("__substg1.0_37010102", []byte(winmail(picture(5)))))).File(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		doc  string
		want []string
	}{
		"all ways": {mail(part("application/ms-tnef", winmail(picture(2), winmail(picture(3)), "noise")), part("application/pkcs7-mime", signed(mail(part("image/png", picture(4))))),
			part("application/octet-stream", string(outlook)), part("application/pkcs7-mime", encrypted)),
			[]string{"[1 1] frame 2×2", "[1 2 1] frame 3×3", "[1 3] document sniff.unsupported_format", "[2 1] image 4×4", "[3 1 1] frame 5×5", "[4] document extract.encrypted"}},
		"signed alone":  {signed(mail(part("image/png", picture(4)))), []string{"[1] image 4×4"}},
		"winmail alone": {winmail(picture(6)), []string{"[1] frame 6×6"}},
	} {
		holds(t, name, []byte(c.doc), c.want, 9)
	}
}

// holds wants the assets of a document and those within it, whose pixels are all of one level.
func holds(t *testing.T, name string, doc []byte, want []string, level uint8) {
	t.Helper()
	src, err := openNest(doc, nestLimits)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if got := found(src); !slices.Equal(got, want) {
		t.Errorf("%s: found\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for i, it := range src.Assets() {
		if it.Withheld == "" && levelOf(t, src, i) != level {
			t.Errorf("%s: asset %d is another picture", name, i+1)
		}
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
}
