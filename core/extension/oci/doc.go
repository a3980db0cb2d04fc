// Package oci brings extension packages into the layout of the Open Container Initiative and back: a directory of blobs
// that are named by their digest, as registries keep them. The package is a manifest with a layer for each file; its
// signature is a manifest of its own that refers to it. The rules of packages are those of package extension.
//
// It speaks to no registry, and writes nothing: who has a layout of [Layout] writes it. Every blob is held to its digest when it is
// read.
package oci
