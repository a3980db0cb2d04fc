// Package keychain keeps secrets in the keychain of the operating system: the Secret Service of Linux desktops, Keychain of
// macOS, the Credential Manager of Windows. It has the form of [secret.Keychain].
//
// Which programs may read what is there, the system decides: on Linux and Windows every process of the user while it is
// unlocked.
package keychain
