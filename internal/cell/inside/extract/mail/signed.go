package mail

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"io"

	"blotter/internal/cell/inside/ber"
	"blotter/internal/cell/inside/extract/catalogue"
	"blotter/internal/document"
	"blotter/internal/reason"
)

// OpenSigned opens a message of S/MIME that is signed or packed as a whole (CMS, RFC 5652 and
// 3274): the message in it is within. No signature is judged. The error is
// extract.malformed, extract.truncated, extract.ratio_limit or extract.unpacked_limit.
func OpenSigned(ctx context.Context, r io.ReaderAt, size int64, lim document.Limits) (*Message, error) {
	data := make([]byte, size)
	n, err := r.ReadAt(data, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, reason.Because(reason.SourceUnreadable, err)
	}
	held, packed, err := enveloped(data[:n])
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, reason.Because(reason.ExtractTruncated, err)
	case err != nil:
		return nil, reason.Because(reason.ExtractMalformed, err)
	case packed:
		if held, err = unpacked(held, lim); err != nil {
			return nil, err
		}
	}
	m := &Message{most: lim.Entries, entries: 1, extra: document.Metadata} // certificates
	if len(held) > 0 {
		m.add(file{encoded: held})
	}
	return m, errors.Join(ctx.Err(), m.judge(lim))
}

// packedKind is the identifier of data that is packed, and neither signed nor encrypted.
const packedKind = "\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x09"

// enveloped is what a message of CMS holds: nothing where the signature stands apart from
// what it signs.
func enveloped(b []byte) (held []byte, packed bool, err error) {
	outer, err := list(b) // what it is, and the rest
	if err != nil || len(outer) < 2 || outer[0].Tag != ber.Object || outer[1].Tag != ber.Explicit0 {
		return nil, false, orMalformed(err)
	}
	packed = string(outer[0].Content) == packedKind
	inner, err := list(outer[1].Content) // version, algorithms, what it holds, and who signed
	if err != nil || len(inner) < 3 {
		return nil, packed, orMalformed(err)
	}
	content, err := values(inner[2].Content) // of which kind, and the bytes
	if err != nil || len(content) < 1 || content[0].Tag != ber.Object {
		return nil, packed, orMalformed(err)
	}
	if len(content) == 1 {
		return nil, packed, nil
	}
	inside, _, short, err := ber.Next(content[1].Content)
	if short {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, packed, err
	}
	held, err = inside.String()
	return held, packed, err
}

// orMalformed is the error, or that of a structure that lacks something.
func orMalformed(err error) error {
	if err != nil {
		return err
	}
	return ber.ErrMalformed
}

// list reads a sequence.
func list(b []byte) ([]ber.Value, error) {
	v, _, short, err := ber.Next(b)
	switch {
	case err != nil:
		return nil, err
	case short:
		return nil, io.ErrUnexpectedEOF
	case v.Tag != ber.Sequence || !v.Made:
		return nil, ber.ErrMalformed
	}
	return values(v.Content)
}

// values are those that stand one behind the other; a few, in all that is read here.
func values(b []byte) (out []ber.Value, err error) {
	const most = 16
	for len(b) > 0 && len(out) < most {
		v, rest, short, err := ber.Next(b)
		if short {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		out, b = append(out, v), rest
	}
	return out, nil
}

// unpacked inflates, after it was measured.
func unpacked(b []byte, lim document.Limits) ([]byte, error) {
	dense := max(catalogue.DensityFrom, int64(lim.Ratio)*int64(len(b)))
	n, err := inflate(b, min(dense, lim.UnpackedBytes), io.Discard)
	switch {
	case n > dense:
		return nil, reason.Because(reason.ExtractRatio, errors.New("mail: packed too densely"))
	case n > lim.UnpackedBytes:
		return nil, reason.Because(reason.ExtractUnpacked, errors.New("mail: packed message too large"))
	case err != nil:
		return nil, reason.Because(reason.ExtractMalformed, err)
	}
	var out bytes.Buffer
	out.Grow(int(n))
	_, err = inflate(b, n, &out)
	return out.Bytes(), err
}

// inflate unpacks at most one byte more than most.
func inflate(b []byte, most int64, to io.Writer) (int64, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return 0, err
	}
	return io.Copy(to, io.LimitReader(z, most+1))
}
