package intake

// Config bounds what the API takes. Every field must be set; see Validate.
type Config struct{}
