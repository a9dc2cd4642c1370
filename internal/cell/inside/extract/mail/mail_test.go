package mail

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

var roomy = document.Limits{Entries: 100, UnpackedBytes: 1 << 20}

func tryOpen(s string, lim document.Limits) (*Message, error) {
	return Open(context.Background(), strings.NewReader(s), int64(len(s)), lim)
}

// within is one line for each file: a picture or a document, and its bytes.
func within(t *testing.T, message string) []string {
	t.Helper()
	m, err := tryOpen(message, roomy)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i, e := range m.Embedded() {
		what := "document"
		if e.Picture {
			what = "picture"
		}
		if e.Withheld != "" {
			out = append(out, what+" "+string(e.Withheld))
			continue
		}
		b, err := m.Unpack(i)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(b)) > e.Size {
			t.Errorf("%d bytes come out of a file that promised %d", len(b), e.Size)
		}
		out = append(out, fmt.Sprintf("%s %q", what, b))
	}
	return out
}

func part(fields, body string) string {
	if fields != "" {
		fields += "\r\n"
	}
	return "\r\n--b\r\n" + fields + "\r\n" + body
}

func multipart(parts ...string) string {
	return "From: a\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed;\r\n\tboundary=\"b\"\r\n\r\npreamble" + strings.Join(parts, "") + "\r\n--b--\r\nepilogue\r\n"
}

const b64 = "Content-Transfer-Encoding: base64"

func TestParts(t *testing.T) {
	for _, c := range []struct {
		name, message string
		want          []string
	}{
		{"text alone", "From: a\nSubject: b\n\nhello\n", nil},
		{"a picture alone", "Content-Type: image/png\n" + b64 + "\n\naGVs\nbG8=\n", []string{`picture "hello"`}},
		{"attached and shown", multipart(
			part("Content-Type: text/plain", "text"),
			part("Content-Type: image/jpeg; name=x.jpg\r\nContent-ID: <x>\r\n"+b64, "aGVsbG8="),
			part("Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=x.pdf\r\n"+b64, "JVBERi0="),
			part("Content-Type: TEXT/Plain\r\nContent-Disposition: attachment", "notes"),
			part("Content-Type: text/vcard", "BEGIN:VCARD"),
		), []string{`picture "hello"`, `document "%PDF-"`, `document "notes"`, `document "BEGIN:VCARD"`}},
		{"forwarded", multipart(part("Content-Type: message/rfc822", "Subject: x\r\n\r\ny")), []string{`document "Subject: x\r\n\r\ny"`}},
		{"digest", strings.Replace(multipart(part("", "Subject: x\r\n\r\ny")), "multipart/mixed", "multipart/digest", 1), []string{`document "Subject: x\r\n\r\ny"`}},
		{"parts in a part", multipart(part("Content-Type: multipart/related; boundary=c", "--c\r\nContent-Type: image/gif\r\n\r\nGIF\r\n--c--")), []string{`picture "GIF"`}},
		{"a boundary that begins like another", multipart(part("Content-Type: multipart/related; boundary=bb", "--bb\r\nContent-Type: image/gif\r\n\r\nGIF\r\n--bb--"),
			part("Content-Type: image/png", "PNG")), []string{`picture "GIF"`, `picture "PNG"`}},
		{"no end", strings.TrimSuffix(multipart(part("Content-Type: image/gif", "GIF")), "\r\n--b--\r\nepilogue\r\n"), []string{`picture "GIF"`}},
		{"a boundary that is not named", strings.Replace(multipart(part("Content-Type: image/gif", "GIF")), "boundary", "border", 1), []string{`picture "GIF"`}},
		{"a boundary that is nowhere", "Content-Type: multipart/mixed; boundary=z\n\nsomething", []string{`document "something"`}},
		{"a picture called text", multipart(part("Content-Type: text/plain; name=x.jpg\r\n"+b64, "/9j/4AAQ")), []string{`document "\xff\xd8\xff\xe0\x00\x10"`}},
		{"two types", "Content-Type: image/gif\nContent-Type: text/plain\n\nGIF", []string{`picture "GIF"`}},
		{"locked", "Content-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--", []string{"document extract.encrypted"}},
		{"locked in the text", "From: a\n\nhello\n-----BEGIN PGP MESSAGE-----\n\nhQ==\n-----END PGP MESSAGE-----\n", []string{"document extract.encrypted"}},
		{"a part of a message", "Content-Type: message/partial; number=2; total=3\n\nSubject: x\n\ny", []string{"document extract.truncated"}},
		{"a message elsewhere", "Content-Type: message/external-body; access-type=URL\n\nContent-Type: image/gif\n\n", nil},
		{"yEnc in the text", "From: a\n\nsee\n=ybegin line=128 size=4 name=a.gif\nqsp=}\n=yend size=4\n", []string{`picture "GIF\x13"`}},
		{"yEnc that is no text", "From: a\n\nsee\n=ybegin line=128 size=4 name=a.gif\n\x02\x03\n=yend size=4\n", []string{`picture "\xd8\xd9"`}},
		{"a signature that holds what it signs", multipart(part("Content-Type: application/pkcs7-signature", cms(signedKind, "hello"))), []string{fmt.Sprintf("document %q", cms(signedKind, "hello"))}},
		{"locked with S/MIME", multipart(part("Content-Type: application/pkcs7-mime; smime-type=enveloped-data\r\n"+b64, "MIAG")), []string{"document extract.encrypted"}},
		{"signed", multipart(part("Content-Type: text/plain", "x"), part("Content-Type: application/pkcs7-signature; name=smime.p7s\r\n"+b64, "MIAG")), nil},
		{"signed as a whole", "Content-Type: application/x-pkcs7-mime; smime-type=signed-data\r\n" + b64 + "\r\n\r\naGVsbG8=", []string{`document "hello"`}},
		{"a file called a signature", multipart(part("Content-Type: application/pgp-signature\r\n"+b64, "JVBERi0=")), []string{`document "%PDF-"`}},
		{"signed with OpenPGP", multipart(part("Content-Type: application/pgp-signature", "-----BEGIN PGP SIGNATURE-----\n")), nil},
		{"winmail.dat", multipart(part("Content-Type: application/ms-tnef\r\n"+b64, "eJ8+Ig==")), []string{`document "x\x9f>\""`}},
		{"an empty part", multipart(part("Content-Type: application/pdf", " \r\n")), nil},
		{"quoted-printable", "Content-Type: image/gif\nContent-Transfer-Encoding: quoted-printable\n\nG=49F=\n8=3D=3d=zz", []string{`picture "GIF8===zz"`}},
		{"uuencode", "Content-Type: image/gif\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 a.gif\n$1TE&.```\n`\nend\n", []string{`picture "GIF8"`}},
		{"uuencode in the text", "From: a\n\nsee below\nbegin 644 a.gif\n$1TE&.```\n`\nend\nand\nbegin 644 b.gif\n#1TE&\n", []string{`picture "GIF8"`, `picture "GIF"`}},
		{"a data URL", "Content-Type: text/html\n\n<img src=\"data:image/png;base64,aGVs%62G8=\"><a href='data:application/pdf;base64,JVBERi0='>", []string{`picture "hello"`, `document "%PDF-"`}},
		{"a data URL that travels in code", "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<img src=3D\"data:image/png;base64,aGVs=\nbG8=3D\">", []string{`picture "hello"`}},
	} {
		if got := within(t, c.message); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		// Line ends do not matter to what is found, unless they stand in it.
		if strings.Contains(c.name, "forwarded") || c.name == "digest" {
			continue
		}
		if got := within(t, strings.ReplaceAll(c.message, "\r\n", "\n")); !slices.Equal(got, c.want) {
			t.Errorf("%s, with bare line ends:\n%s", c.name, strings.Join(got, "\n"))
		}
	}
}

func TestNotCovered(t *testing.T) {
	always := document.MessageText | document.Metadata
	for name, c := range map[string]struct {
		message string
		want    document.NotCovered
	}{
		"text":               {"Subject: x\n\ny", 0},
		"picture elsewhere":  {"Content-Type: text/html\n\n<IMG alt=x SRC='http://192.0.2.1/x.png'>", document.ExternalImages},
		"finer picture":      {"Content-Type: text/html\n\n<img srcset=\"//192.0.2.1/x.png 2x\">", document.ExternalImages},
		"picture of Word":    {"Content-Type: text/html\n\n<v:imagedata src=\"cid:a\" o:href=\"http://192.0.2.1/x.png\"/>", document.ExternalImages},
		"picture of a host":  {"Content-Type: text/html\n\n<img src=\"file://host/x.png\">", document.ExternalImages},
		"sheet elsewhere":    {"Content-Type: text/html\n\n<style>@import \"https://192.0.2.1/x.css\"</style>", document.ExternalImages},
		"style elsewhere":    {"Content-Type: text/html\n\n<p style=\"background: url(https://192.0.2.1/x.png)\">", document.ExternalImages},
		"link":               {"Content-Type: text/html\n\n<a href='http://192.0.2.1/'>", 0},
		"picture of message": {"Content-Type: text/html\n\n<img src='cid:x'>", 0},
		"body elsewhere":     {"Content-Type: message/external-body\n\nx", document.EmbeddedFiles},
	} {
		m, err := tryOpen(c.message, roomy)
		if err != nil || m.NotCovered() != always|c.want {
			t.Errorf("%s: %v, %v", name, m.NotCovered().Names(), err)
		}
	}
}

func TestLimits(t *testing.T) {
	two := multipart(part("Content-Type: image/gif", "GIF8"), part("Content-Type: image/gif", "GIF8"))
	deep := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
		}
		return b.String() + "Content-Type: image/gif\n\nGIF8"
	}
	for _, c := range []struct {
		name, message string
		lim           document.Limits
		want          reason.Code
	}{
		{"entries", two, document.Limits{Entries: 3, UnpackedBytes: 8}, ""},
		{"entries above", two, document.Limits{Entries: 2, UnpackedBytes: 8}, reason.ExtractEntries},
		{"pictures in the text", "Content-Type: text/html\n\n" + strings.Repeat("<img src=\"data:image/png;base64,aGk=\">", 3), document.Limits{Entries: 2, UnpackedBytes: 99}, reason.ExtractEntries},
		{"bytes above", two, document.Limits{Entries: 4, UnpackedBytes: 7}, reason.ExtractUnpacked},
		{"nesting", deep(maxNesting), roomy, ""},
		{"nesting above", deep(maxNesting + 1), roomy, reason.ExtractDepth},
		{"a mailbox of one", "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nFrom here on\n\nFrom there", roomy, ""},
		{"a mailbox of two", "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\ny\n\nFrom a@b Thu Jan  1 00:00:00 1970\nSubject: y\n\n", roomy, reason.SniffArchive},
	} {
		m, err := tryOpen(c.message, c.lim)
		if reason.Of(err) != c.want {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err == nil && c.name == "entries" {
			if cost := m.Spent(); cost.Entries != 3 || cost.Unpacked != 8 {
				t.Errorf("spent %+v", cost)
			}
		}
	}
}

// Whatever is cut off, what is left is read without an error of ours.
func TestEveryPrefix(t *testing.T) {
	whole := multipart(part("Content-Type: image/png\r\n"+b64, "aGVsbG8="), part("Content-Type: text/html", "<img src='data:image/png;base64,aGVsbG8='>"))
	for n := range len(whole) {
		m, err := tryOpen(whole[:n], roomy)
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		for i := range m.Embedded() {
			if _, err := m.Unpack(i); err != nil {
				t.Fatalf("cut at %d: %v", n, err)
			}
		}
	}
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(multipart(part("Content-Type: image/png\r\n"+b64, "aGVsbG8="), part("Content-Type: message/rfc822", "Subject: x\r\n\r\ny"))))
	f.Add([]byte("Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<img src=3D\"data:image/png;base64,aGVs=\nbG8=3D\">"))
	f.Add([]byte("From a\nFrom: b\n\nbegin 644 a.gif\n$1TE&.```\n`\nend\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Open(context.Background(), bytes.NewReader(b), int64(len(b)), roomy)
		if err != nil {
			if reason.Of(err) == reason.Internal {
				t.Fatal(err)
			}
			return
		}
		if m.Spent().Unpacked > roomy.UnpackedBytes {
			t.Fatal("over the limit")
		}
		for i, e := range m.Embedded() {
			if b, err := m.Unpack(i); err != nil || e.Withheld == "" && int64(len(b)) > e.Size {
				t.Fatalf("file %d: %d bytes of %d, %v", i, len(b), e.Size, err)
			}
		}
	})
}
