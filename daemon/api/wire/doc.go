// Package wire is the daemon's HTTP interface in Go, generated from openapi.yaml: its types, a server for who implements its
// operations, and a client that answers with what came. Programs in Go want package client, which is made of this one and
// answers with plans, agents and problems.
//
// Nothing here is written by hand but this text. What a field means is said in the document.
package wire
