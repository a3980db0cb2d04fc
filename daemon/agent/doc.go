// Package agent is the workspace agent: one harness (a client that Greenroom has an adapter for), and what a person set it
// up with: a plan with a default model and fallbacks, instructions, skills and tools. It validates agents and says which
// plan a session of one gets. It stores nothing and knows no client by name.
//
// Model plans reach sessions through agents only, or through a plan that a person names for one session. There is no plan
// for all sessions.
package agent
