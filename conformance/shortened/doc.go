// Package shortened looks at what rtk adds to sessions of every provider, and at what is left when it is switched off again:
// sessions are prepared through the adapters' processes, and no client runs. It holds tests only.
package shortened
