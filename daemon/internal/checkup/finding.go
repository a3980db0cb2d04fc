package checkup

// Finding is one thing that was looked at.
type Finding struct {
	Level   Level  `json:"level"`
	Subject string `json:"subject"`
	Text    string `json:"text"`
	Hint    string `json:"hint,omitempty"`
}

// Level says how a thing is.
type Level string

// The levels.
const (
	Fine   Level = "fine"
	Notice Level = "notice" // works, and should be known
	Wrong  Level = "wrong"  // does not work
)
