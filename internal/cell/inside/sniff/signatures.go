package sniff

import (
	"bytes"
	"encoding/binary"

	"blotter/internal/document"
)

// signature is bytes that stand at an offset.
type signature struct {
	at    int
	magic string
	f     document.Format
}

// signatures in their order of precedence.
var signatures = []signature{
	{0, "%PDF-", document.PDF},
	{0, "\x89PNG\r\n\x1a\n", document.PNG},
	{0, "\xff\xd8\xff", document.JPEG},
	{0, "II*\x00", document.TIFF}, {0, "MM\x00*", document.TIFF},
	{0, "II+\x00", document.TIFF}, {0, "MM\x00+", document.TIFF}, // BigTIFF
	{0, "GIF87a", document.GIF}, {0, "GIF89a", document.GIF},
	{0, "PK\x03\x04", document.ZIP}, {0, "PK\x05\x06", document.ZIP}, {0, "PK\x07\x08", document.ZIP},
	{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", document.OLE},
	{0, "{\\rtf", document.RTF}, {0, "\x78\x9f\x3e\x22", document.TNEF},
	{128, "DICM", document.DICOM},
	{0, "\x00\x00\x00\x0cjP  \r\n\x87\n", document.JPEG2000}, {0, "\xff\x4f\xff\x51", document.JPEG2000},
	{0, "8BPS\x00", document.Photoshop}, {0, "II\xbc\x01", document.JPEGXR},
	{0, "\x00\x00\x00\x0cJXL \r\n\x87\n", document.JPEGXL}, {0, "\xff\x0a", document.JPEGXL},
	{0, "\x97JB2\r\n\x1a\n", document.JBIG2},
	{40, " EMF", document.EMF},
	{0, "\xd7\xcd\xc6\x9a", document.WMF}, {0, "\x01\x00\x09\x00\x00\x03", document.WMF}, {0, "\x02\x00\x09\x00\x00\x03", document.WMF},
	{0, "\x01\x00\x09\x00\x00\x01", document.WMF},
	{10, "\x00\x11\x02\xff\x0c\x00", document.PICT}, {522, "\x00\x11\x02\xff\x0c\x00", document.PICT}, // as a file, behind 512 bytes
	{10, "\x11\x01\xa0\x00", document.PICT}, {10, "\x11\x01\x01\x00\x0a", document.PICT}, {10, "\x11\x01\xa1\x00", document.PICT}, // of version 1, with its first order
	{0, "\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3", document.OneNote}, // a section
	{0, "\xa1\x2f\xff\x43\xd9\xef\x76\x4c\x9e\xe2\x10\xea\x57\x22\x76\x5f", document.OneNote}, // a list of them
	{0, "AT&TFORM", document.DjVu}, {0, "%!PS", document.PostScript}, {0, "\x04%!PS", document.PostScript}, {0, "\xc5\xd0\xd3\xc6", document.PostScript},
	{0, "%FDF-", document.FormData}, {4, "Standard Jet DB", document.Database}, {4, "Standard ACE DB", document.Database}, {0, "SQLite format 3\x00", document.Database},
	{0, "EP*\x00", document.OfficeImaging}, {0, "FUJIFILMCCD-RAW", document.CameraRaw}, {0, "\x3a\xde\x68\xb1", document.Paintbrush},
	{0, "\xdb\xa5\x2d\x00", document.OldOffice}, {0, "\x9b\xa5\x21\x00", document.OldOffice}, {0, "\xdc\xa5\x65\x00", document.OldOffice}, // Word 2, 1 and 6
	{0, "\x31\xbe\x00\x00\x00\xab", document.OldOffice}, {0, "\xfe\x37\x00\x1c", document.OldOffice}, {0, "\xfe\x37\x00\x23", document.OldOffice}, // of DOS, of the Macintosh
	{0, "\xed\xde\xad\x0b", document.OldOffice}, {0, "\x0b\xad\xde\xed", document.OldOffice}, {0, "\x01\xfe\x01\x00\x00\x00", document.OldOffice}, // PowerPoint, Works
	{0, "\xffWPC", document.OldOffice}, {4, "BOBO", document.OldOffice}, // WordPerfect, ClarisWorks
	{0, "\x00\x00\x02\x00\x04\x04", document.OldOffice}, {0, "\x00\x00\x02\x00\x06\x04", document.OldOffice}, {0, "\x00\x00\x1a\x00\x00\x10\x04\x00", document.OldOffice}, // 1-2-3
	{0, "\x00\x00\x1a\x00\x02\x10\x04\x00", document.OldOffice}, {0, "\x00\x00\x1a\x00\x03\x10\x04\x00", document.OldOffice}, {0, "\x00\x00\x1a\x00\x05\x10\x04\x00", document.OldOffice},
	{0, "\x0bMSH", document.HL7}, {0, "!BDN", document.Archive}, // framed as it travels; a mailbox of Outlook
	{0, "\x1aE\xdf\xa3", document.Video},                                             // Matroska, WebM
	{0, "\x00\x00\x01\xba", document.Video}, {0, "\x00\x00\x01\xb3", document.Video}, // MPEG
	{0, "FLV\x01", document.Video}, {0, ".RMF", document.Video}, {28, "\x80theora", document.Video}, // the last in Ogg
	{0, "0&\xb2u\x8ef\xcf\x11", document.Video}, // ASF, WMV
	{0, "ID3", document.Audio}, {0, "fLaC", document.Audio}, {0, "OggS", document.Audio},
	{0, "MThd", document.Audio}, {0, "#!AMR", document.Audio}, {0, ".snd", document.Audio},
	{8, "AIFF", document.Audio}, {8, "AIFC", document.Audio}, {0, "caff", document.Audio}, {0, "wvPK", document.Audio}, {0, "MAC ", document.Audio},
	{0, "\xff\xf1", document.Audio}, {0, "\xff\xf9", document.Audio}, // AAC
	{0, "\x7fELF", document.Executable}, {0, "\xcf\xfa\xed\xfe", document.Executable}, {0, "\xce\xfa\xed\xfe", document.Executable},
	{0, "\xca\xfe\xba\xbe", document.Executable}, {0, "\x00asm", document.Executable}, {0, "dex\n", document.Executable},
	{0, "\x4c\x00\x00\x00\x01\x14\x02\x00", document.Executable}, // a Windows shortcut, which runs what it names
	{0, "\x1f\x8b", document.Archive}, {0, "BZh", document.Archive}, {0, "\xfd7zXZ\x00", document.Archive},
	{0, "7z\xbc\xaf\x27\x1c", document.Archive}, {0, "Rar!\x1a\x07", document.Archive}, {0, "\x28\xb5\x2f\xfd", document.Archive},
	{0, "\x04\x22\x4d\x18", document.Archive}, {0, "LZIP", document.Archive}, {0, "!<arch>\n", document.Archive},
	{0, "MSCF", document.Archive}, {0, "xar!", document.Archive}, {0, "\x1f\x9d", document.Archive}, {0, "\x1f\xa0", document.Archive},
	{0, "\x5d\x00\x00", document.Archive}, {257, "ustar", document.Archive},
	{0, "070701", document.Archive}, {0, "070707", document.Archive}, {0, "\x60\xea", document.Archive}, {2, "-lh5-", document.Archive},
	{0, "\xed\xab\xee\xdb", document.Archive}, {0, "Cr24", document.Archive}, {0, "SIT!", document.Archive},
	{0, "#!", document.Script},
}

// binaryFormat goes by signatures at fixed places; UnknownFormat where none is there.
// A bare "MZ", "BM" or ICO header is short enough to be met by chance, so those are
// asked for more.
func binaryFormat(head []byte) document.Format {
	for _, s := range signatures {
		if at(head, s.at, s.magic) {
			return s.f
		}
	}
	switch {
	case at(head, 4, "ftyp"):
		return brandFormat(head)
	case at(head, 4, "moov"), at(head, 4, "mdat"), at(head, 4, "wide"), at(head, 4, "free"):
		return document.Video
	case at(head, 0, "RIFF"):
		return riffFormat(head)
	case at(head, 0, "MZ") && len(head) >= 64:
		return document.Executable
	case at(head, 0, "BM") && len(head) >= 26 && isBMP(head), isBareBMP(head):
		return document.BMP
	case isBareExcel(head):
		return document.OldOffice
	case isPortableMap(head):
		return document.PortableMap
	case at(head, 0, "\x0a") && len(head) >= 128 && (head[1] == 0 || head[1] >= 2 && head[1] <= 5) && head[2] <= 1 && (head[3] == 1 || head[3] == 2 || head[3] == 4 || head[3] == 8) && head[64] == 0:
		return document.Paintbrush
	case isFlash(head):
		return document.Flash
	case isBareDICOM(head):
		return document.DICOM
	case (at(head, 0, "\x00\x00\x01\x00") || at(head, 0, "\x00\x00\x02\x00")) && len(head) >= 22 && head[4] > 0 && head[5] == 0 && head[9] == 0:
		return document.ICO
	case len(head) > 188*2 && head[0] == 0x47 && head[188] == 0x47 && head[376] == 0x47:
		return document.Video // MPEG transport stream
	case len(head) >= 4 && head[0] == 0xff && head[1] >= 0xe0 && head[1] < 0xfe && head[1]&0x06 != 0 && head[2]&0xf0 != 0xf0 && head[2]&0x0c != 0x0c:
		return document.Audio // MPEG audio frame
	}
	return document.UnknownFormat
}

func at(head []byte, i int, magic string) bool {
	return len(head) >= i+len(magic) && string(head[i:i+len(magic)]) == magic
}

// isBMP checks the header that follows: its length is one of those in use, and the pixels
// begin behind it. Some writers say that they begin elsewhere; those are known by their one
// plane and the bits of their pixels.
func isBMP(head []byte) bool {
	le := binary.LittleEndian
	n, start := le.Uint32(head[14:]), le.Uint32(head[10:])
	switch n {
	case 12:
		return start >= 14+n
	case 16, 40, 52, 56, 64, 108, 124:
		return start >= 14+n || len(head) >= 30 && le.Uint16(head[26:]) == 1 && isDepth(le.Uint16(head[28:]))
	}
	return false
}

// isBareBMP knows a bitmap without the header of a file by the other, of 40 bytes: one plane,
// bits in use, and a size that pictures have.
func isBareBMP(head []byte) bool {
	le := binary.LittleEndian
	if len(head) < 40 || le.Uint32(head) != 40 || le.Uint16(head[12:]) != 1 || !isDepth(le.Uint16(head[14:])) || le.Uint32(head[16:]) > 3 {
		return false
	}
	w, h := int32(le.Uint32(head[4:])), int32(le.Uint32(head[8:]))
	return w > 0 && w < 1<<16 && h != 0 && h < 1<<16 && h > -1<<16
}

func isDepth(bits uint16) bool {
	switch bits {
	case 1, 2, 4, 8, 16, 24, 32:
		return true
	}
	return false
}

// isBareExcel knows a sheet outside a compound file, as Excel 2 to 4 wrote them and some
// programs still do: its first record and the kind of sheet that it says it is.
func isBareExcel(head []byte) bool {
	if len(head) < 8 || head[0] != 9 {
		return false
	}
	switch binary.LittleEndian.Uint16(head[1:]) {
	case 0x0400, 0x0602, 0x0604, 0x0808, 0x1008:
	default:
		return false
	}
	switch kind := binary.LittleEndian.Uint16(head[6:]); kind {
	case 5, 0x10, 0x20, 0x40, 0x100:
		return head[3] == 0
	}
	return false
}

// isPortableMap knows a bitmap of Netpbm: P, a digit, and its width behind a space or a
// comment.
func isPortableMap(head []byte) bool {
	if len(head) < 8 || head[0] != 'P' || head[1] < '1' || head[1] > '7' || !bytes.ContainsRune([]byte(" \t\r\n"), rune(head[2])) {
		return false
	}
	rest := bytes.TrimLeft(head[3:], " \t\r\n")
	return len(rest) > 0 && (rest[0] == '#' || rest[0] >= '0' && rest[0] <= '9' || bytes.HasPrefix(rest, []byte("WIDTH")))
}

// isFlash knows a film by its three letters, its version and a length below 16 MiB,
// whose last byte is zero: no text goes on like that.
func isFlash(head []byte) bool {
	return (at(head, 0, "FWS") || at(head, 0, "CWS") || at(head, 0, "ZWS")) && len(head) >= 8 && head[3] > 0 && head[3] <= 60 && head[7] == 0
}

// isBareDICOM knows a data set without the preamble that files should have: its first
// element is of group 2 or 8, with the two letters of its type or with a short length.
func isBareDICOM(head []byte) bool {
	if len(head) < 12 || head[0] != 2 && head[0] != 8 || head[1] != 0 || head[2] > 0x18 || head[3] != 0 {
		return false
	}
	switch string(head[4:6]) {
	case "UL", "UI", "OB", "SH", "CS", "LO", "DA":
		return true
	}
	return head[0] == 8 && head[4] > 0 && head[4] <= 64 && head[5] == 0 && head[6] == 0 && head[7] == 0
}

// brandFormat tells the members of the ISO base media family apart.
func brandFormat(head []byte) document.Format {
	if len(head) < 12 {
		return document.UnknownFormat
	}
	switch string(head[8:12]) {
	case "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "mif2", "msf1", "miaf", "heif":
		if n := binary.BigEndian.Uint32(head); bytes.Contains(head[:min(uint32(len(head)), max(n, 12))], []byte("avif")) {
			return document.AVIF
		}
		return document.HEIC
	case "avif", "avis":
		return document.AVIF
	case "jp2 ", "jpx ", "jpm ":
		return document.JPEG2000
	case "crx ":
		return document.CameraRaw
	case "M4A ", "M4B ", "M4P ":
		return document.Audio
	}
	return document.Video
}

func riffFormat(head []byte) document.Format {
	switch {
	case at(head, 8, "WEBP"):
		return document.WebP
	case at(head, 8, "AVI "):
		return document.Video
	case at(head, 8, "WAVE"), at(head, 8, "RMID"):
		return document.Audio
	}
	return document.UnknownFormat
}

// pdfWithin finds a PDF header behind junk, as Acrobat does: within 1024 bytes.
func pdfWithin(head []byte) bool {
	i := bytes.Index(head[:min(len(head), 1024+len("%PDF-"))], []byte("%PDF-"))
	return i >= 0
}
