package compound

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"testing"

	"blotter/internal/document"
	"blotter/internal/reason"
)

// shut is a workbook that Excel's own password encrypts, its records behind the one that says
// so changed with the letters that the password amounts to (package lock has what they are).
func shut(t testing.TB, before, after []byte) []byte {
	t.Helper()
	letters, err := hex.DecodeString("3c5bd417f01f2813f04bb403c473a420")
	if err != nil {
		t.Fatal(err)
	}
	out := join(biff(xlsBegin, u16(0x600, 5)), before, biff(xlsFilePass, u16(0, 0xb359, 0x9a0a)))
	from := len(out)
	out = join(out, after)
	for at := from; at < len(out); {
		n := int(binary.LittleEndian.Uint16(out[at+2:]))
		for i := at + 4; i < at+4+n; i++ {
			out[i] = bits.RotateLeft8(out[i], 5) ^ letters[(i+n)%len(letters)]
		}
		at += 4 + n
	}
	return out
}

// A workbook of which only parts are protected is encrypted with a password that nobody has to
// know: its pictures are found as in any other.
func TestWorkbookBehindExcelsOwnPassword(t *testing.T) {
	drawing := biff(xlsDrawingGroup, rasterBlip(0x6e00, 0xf01e, []byte(png)))
	want := handed(t, open(t, file(t, stream("Workbook", biff(xlsBegin, u16(0x600, 5)), drawing)), document.XLS))
	if want == "" {
		t.Fatal("nothing to find")
	}
	b := file(t, stream("Workbook", shut(t, nil, drawing)))
	if got := handed(t, open(t, b, document.XLS)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	late := file(t, stream("Workbook", shut(t, join(biff(1), biff(2), biff(3), biff(4), biff(5), biff(6), biff(7)), drawing)))
	if _, err := tryOpen(late, document.XLS, roomy); reason.Of(err) != reason.ExtractEncrypted {
		t.Errorf("a record that no program heeds: %v", err)
	}
}
