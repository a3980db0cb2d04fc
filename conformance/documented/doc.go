// Package documented holds the adapters of clients that no package registry has to what their vendors document: a
// session is prepared through the adapter's process, and what stands on the disk and in the overlay is compared with
// the documented shapes. It shows nothing of the client itself. It holds tests only.
package documented
