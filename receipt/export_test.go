package receipt

// ParseResult and MatchResult give the fuzz tests the halves of CheckResult.
var ParseResult = parseResult

// MatchResult compares a result with an event.
func MatchResult(r Result, e Event) { _ = r.matches(e) }

// Rebuild takes a receipt apart and builds it again from its parts alone.
func Rebuild(data []byte) ([]byte, error) {
	p, err := parse(data)
	if err != nil {
		return nil, err
	}
	envelope, err := canonical(dsse{
		Payload:     p.envelope.Payload,
		PayloadType: PayloadType,
		Signatures:  []signature{{KeyID: p.envelope.KeyID, Sig: p.envelope.Signature}},
	})
	if err != nil {
		return nil, err
	}
	return Build(envelope, p.index, p.hashes, p.signed)
}
