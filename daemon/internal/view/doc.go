// Package view shows what core answers to a person: sessions, overlays, trees, adapters. It reads values and writes
// text; it asks core nothing and changes nothing. Paths below the user's home are shortened to ~, values of secret
// variables are masked, and characters that could steer a terminal are replaced in everything that is shown.
package view
