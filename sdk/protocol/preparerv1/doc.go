// Package preparerv1 is generated from preparer.proto. It promises nothing beyond the wire format: adapters are written
// against package preparer, and only authors in other languages and the converters of package protocol look here.
package preparerv1
