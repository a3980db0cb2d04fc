// Package extension is a third party's extension for Understudy, an agent that nobody sells: a package of data in the
// directory package, made with nothing but `greenroom extension`, and a stand-in for the agent in the directory client.
// README.md leads through it, and the test does what stands there. No key lies here: each run makes its own.
package extension
