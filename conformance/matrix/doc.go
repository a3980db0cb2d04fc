// Package matrix is the compatibility table: which promise is shown on which real client, by which test. It reads the
// results of the tests and renders docs/compatibility.md.
//
// It runs nothing and judges nothing: a cell is ok when its test passed in the results it was given, and an error when no
// such test was in them, so that the table cannot claim what is not tested. The rendering holds the day of the run and
// no machine, so equal runs give equal bytes, and [Undated] leaves out the day for whoever compares two runs.
package matrix
