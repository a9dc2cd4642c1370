package document

// ParseSource reads what String writes.
func ParseSource(s string) (Source, bool) { return valueOf(sourceNames, s) }

// Sources lists every layer in its order.
func Sources() []Source {
	out := make([]Source, 0, len(sourceNames))
	for s := ByPattern; s <= ByModel; s++ {
		out = append(out, s)
	}
	return out
}
