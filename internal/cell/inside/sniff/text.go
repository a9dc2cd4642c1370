package sniff

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"blotter/internal/document"
)

// textFormat tells kinds of text apart; UnknownFormat for what is no text.
func textFormat(head []byte) document.Format {
	text := decoded(head)
	if text == nil {
		return document.UnknownFormat
	}
	lower := bytes.ToLower(bytes.TrimLeft(text, " \t\r\n"))
	starts := func(prefixes ...string) bool {
		for _, p := range prefixes {
			if bytes.HasPrefix(lower, []byte(p)) {
				return true
			}
		}
		return false
	}
	switch {
	case starts("<?php", "@echo off", "<script", "#!", "<%@", "<job"):
		return document.Script
	case starts("<?xml", "<!--", "<svg", "<!doctype svg", "<xdp:xdp"):
		return marked(lower)
	case starts(`{\rtf`): // behind blanks; suites read it all the same
		return document.RTF
	case starts(htmlStarts...):
		return document.HTML
	case starts("mime-version:", "from:") && bytes.Contains(lower, []byte("multipart/related")) && bytes.Contains(lower, []byte("content-location:")):
		return document.MHTML
	case isHL7(lower):
		return document.HL7
	case starts("begin:vcard", "begin:vcalendar"):
		return document.Card
	case starts("{", "[") && bytes.Contains(lower, []byte(`"resourcetype"`)):
		return document.FHIR
	case isMessage(lower):
		return document.EML
	case len(lower) == 0:
		return document.Empty
	}
	return document.PlainText
}

// isHL7 knows a message of version 2, or a batch of them, by its first segment: three
// letters, and the marks that it cuts its fields with.
func isHL7(lower []byte) bool {
	const marks = 5
	if len(lower) < 3+marks || !bytes.HasPrefix(lower, []byte("msh")) && !bytes.HasPrefix(lower, []byte("fhs")) && !bytes.HasPrefix(lower, []byte("bhs")) {
		return false
	}
	return !bytes.ContainsAny(lower[3:3+marks], "abcdefghijklmnopqrstuvwxyz0123456789 \r\n")
}

// messageFields are the header fields that tell a message from other text of that form
// (RFC 5322 and MIME); surely are those that no other text begins with.
var (
	messageFields = []string{"from", "to", "cc", "subject", "date", "message-id", "received", "return-path", "mime-version",
		"content-type", "delivered-to", "reply-to", "sender", "dkim-signature", "authentication-results", "arc-seal"}
	surely = []string{"message-id", "received", "return-path", "mime-version", "content-type", "delivered-to", "dkim-signature", "arc-seal", "x-mozilla-status"}
)

// isMessage looks at the header that a message begins with: fields, lines that go on with
// one, and an empty line at the end, which may lie behind the head. It takes one field
// that says so surely, or three.
func isMessage(lower []byte) bool {
	lines := bytes.Split(lower, []byte("\n"))
	if bytes.HasPrefix(lower, []byte("from ")) && len(lines) > 1 {
		lines = lines[1:] // a mailbox's mark
	}
	known, sure := 0, 0
	for i, l := range lines {
		l = bytes.TrimSuffix(l, []byte("\r"))
		name, _, field := bytes.Cut(l, []byte(":"))
		switch {
		case len(l) == 0, !field && i == len(lines)-1: // the end, or where the head is cut
			return sure > 0 || known >= 3
		case l[0] == ' ' || l[0] == '\t':
			if i == 0 {
				return false
			}
			continue
		case !field || bytes.ContainsAny(name, " \t<>{}"):
			return false
		}
		if slices.Contains(messageFields, string(name)) {
			known++
		}
		if slices.Contains(surely, string(name)) {
			sure++
		}
	}
	return sure > 0 || known >= 3
}

// htmlStarts are the elements that a page may begin with: those of the WHATWG's MIME
// sniffing standard, section 7.1, but for scripts, which are called so.
var htmlStarts = []string{"<!doctype html", "<html", "<head", "<body", "<title", "<meta", "<link", "<style", "<iframe",
	"<table", "<div", "<font", "<form", "<h1", "<p>", "<p ", "<a ", "<b>", "<br"}

// marked looks past declarations and comments for the element that matters.
func marked(lower []byte) document.Format {
	switch {
	case bytes.Contains(lower, []byte("<xdp:xdp")):
		return document.XFA
	case bytes.Contains(lower, []byte("<svg")):
		return document.SVG
	case bytes.Contains(lower, []byte("<html")), bytes.Contains(lower, []byte("<!doctype html")):
		return document.HTML
	}
	return document.XML
}

// decoded returns the head as text without its byte order mark, UTF-16 cut to its
// ASCII part; nil where it holds control characters or is not UTF-8, whose last
// character may be cut off.
func decoded(head []byte) []byte {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return asText(head)
	}
	head = asText(head)
	for _, b := range head {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != 0x1b || b == 0x7f {
			return nil
		}
	}
	for cut := 0; cut < utf8.UTFMax && cut <= len(head); cut++ {
		if utf8.Valid(head[:len(head)-cut]) {
			return head
		}
	}
	return latin1(head)
}

// latin1 accepts old text in an eight-bit code: mostly ASCII.
func latin1(head []byte) []byte {
	high := 0
	for _, b := range head {
		if b >= 0x80 {
			high++
		}
	}
	if high*4 > len(head) {
		return nil
	}
	return head
}
