// Package acceptance is the ladder that the work of a session climbs: the agent claims that it is done, a check found
// nothing against it, a person accepted it. Only a person reaches the last step, and it covers the turn that they name:
// work after it begins at the bottom again. Whoever drives a session claims each turn that has finished. Nothing here checks
// or reviews any work, and nothing climbs by itself.
package acceptance
