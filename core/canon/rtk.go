package canon

// RTKName is the name of the text about rtk: as a document, and as a section of the instructions.
const RTKName = "rtk"

// RTK is what a session is told of rtk, for a file of its own. A set of texts without it has none: "".
func (s *Set) RTK() string {
	text, _ := s.Policy(RTKName)
	return text
}
