// Package composer reads the composer profile of an extension, tutti.agent.composer.v1, into typed values: which modes of
// permission its agent has and what they mean, by which options of the Agent Client Protocol a host changes model, mode and
// reasoning, which commands begin with a slash, and how a skill is called. What sessions are prepared by is in there too,
// and is read by package runtimeprep.
//
// A profile constrains what an agent offers while it runs, and adds nothing to it: there is no model, mode or command but
// those that the agent names itself.
//
// Invariants:
//   - A field that is not known, stands twice or is of another kind is refused, with its name.
//   - Nothing is approved of itself but in the mode that means full access, and nothing denied of itself but where nothing
//     may be written.
//   - Names that go on a command line cannot be taken for an option or hold a blank.
//
// It reads no file, starts nothing, and shows nothing to anybody.
package composer
