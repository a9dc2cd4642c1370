package receipt

// Matches compares result.json with the event that was signed for the job, and nothing
// beside it; receipt.file_differs says what is not the same. CheckResult also compares
// the files.
func Matches(e Event, resultJSON []byte) error {
	r, err := parseResult(resultJSON)
	if err != nil {
		return err
	}
	return r.matches(e)
}
