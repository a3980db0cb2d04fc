// Package client finds out about the program that an adapter describes: where its executable is, which version it has,
// which of the tools that it needs are there, and where the user's homes of it are. It reads an environment that it is
// given, never that of its process. The only program that it runs is the client, to ask for its version. How a client is
// given a process group of its own stands here too, for whoever starts one.
package client
