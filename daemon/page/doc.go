// Package page is the page that a person uses in a browser: plans, agents and sessions of one data directory, beside the
// interface for programs and with the same rules.
//
// It is made on the server and has no script: every action is a form, a check shows its stages by an answer that grows
// while it runs, and the policy of its content allows nothing but its own style sheet. Nobody comes in without the
// daemon's token or a link that is good once, for which the browser gets a cookie that it sends for this page alone. What
// changes something has to come from the page itself, with a word that only the page knows, and to this machine by a name
// that is always its own. No answer holds a credential: a person types one in, and from then on sees that it is there.
//
// It knows no client by name: which there are, and what they take, is what their adapters say. It chooses no plan for
// anything that did not name one, and makes no agent of a plan.
package page
