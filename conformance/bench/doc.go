// Package bench measures what sessions of the real adapters cost, and guards it. Every figure stands beside a floor: plain
// calls of package os that make, read or remove the same tree, taken in turns with it in the same run, so that a busy or
// slow machine slows both. What has no noise is held to numbers: writes, inodes, allocations, calls of adapters, memory.
//
// TestSpeed... are the guards. They assert ratios with room for a noisy machine; what is aimed at, and what was measured,
// stands in docs/performance.md. Benchmark... print the figures. With the race detector, which slows our code and not the
// system's, ratios are printed only.
package bench
