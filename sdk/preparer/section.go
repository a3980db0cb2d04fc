package preparer

// Sections say which root keys of a configuration of the user's belong to which kind. Those that none of them has are
// [ModelSettings], also keys that a later client may bring; the report of inherited items has of them what a section of
// that kind names.
type Sections []Section

// Section is the keys of one kind.
type Section struct {
	// Kind is "" for keys that come along in any case.
	Kind Kind
	Keys []string
	// Items is the one of Keys whose children are the items, where they can be chosen by name.
	Items string
	// Off is a switch that is set to false when not all of the kind comes along, because it brings things of the kind that
	// stand in no file of the user's. With OffForNone, when nothing of it does.
	Off        KeyPath
	OffForNone bool
	// Report are the key paths, as [ParseKey] reads them, of what the report of inherited items has; nil for Keys.
	Report []string
	// Displaced are more of these: those that give way to a model endpoint.
	Displaced []string
}

// Carried is the input that is such a configuration.
func (s Sections) Carried(in Input) Input {
	for _, section := range s {
		report := section.Report
		if report == nil {
			report = section.Keys
		}
		if section.Kind != "" && len(report) > 0 {
			in = in.Carrying(section.Kind, report...)
		}
		if len(section.Displaced) > 0 {
			in = in.CarryingDisplaced(section.Kind, section.Displaced...)
		}
	}
	return in
}

// Edits take out what does not come along. What keep names stays whatever was chosen.
func (s Sections) Edits(in Inherit, keep ...string) []Edit {
	var named, gone, off []Edit
	for _, section := range s {
		some := in[section.Kind].Mode == Only && section.Items != ""
		if some {
			named = append(named, in.Keep(section.Kind, Key(section.Items))...)
		}
		switch {
		case section.Kind == "" || some || in.All(section.Kind):
			keep = append(keep, section.Keys...)
		default:
			gone = append(gone, DeleteAll(section.Keys...)...)
		}
		if section.Off != nil && !in.All(section.Kind) && !(some && section.OffForNone) {
			off = append(off, Set(section.Off, Bool(false)))
		}
	}
	if !in.All(ModelSettings) {
		gone = []Edit{Keep(Key(), keep...)}
	}
	return append(append(named, gone...), off...)
}

// DeleteAll removes what stands at key paths, as [ParseKey] reads them.
func DeleteAll(paths ...string) []Edit {
	var edits []Edit
	for _, path := range paths {
		edits = append(edits, Delete(ParseKey(path)))
	}
	return edits
}

// SwitchOff sets what stands at key paths, as [ParseKey] reads them, to false.
func SwitchOff(paths ...string) []Edit {
	var edits []Edit
	for _, path := range paths {
		edits = append(edits, Set(ParseKey(path), Bool(false)))
	}
	return edits
}
