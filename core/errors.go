package core

import "github.com/greenroom-agents/greenroom/core/internal/fault"

// Error is the error type of this package: a stable code, what was being done, to what, and how to mend it. Its message
// holds no secret and no absolute path of the user's; its Hint is apart from the message.
type Error = fault.Error

// Code is a stable class of error. It works with errors.Is.
type Code = fault.Code

// The codes.
const (
	ErrInvalid          = fault.Invalid               // the session or the configuration is not usable
	ErrCwdMissing       = fault.CwdMissing            // the working directory does not exist or is no directory
	ErrUnknownProvider  = fault.UnknownProvider       // no adapter serves the provider
	ErrBusy             = fault.Busy                  // another operation on the session did not end in time
	ErrRunning          = fault.Running               // a client runs in the session
	ErrPoisoned         = fault.Poisoned              // an earlier operation hangs in the file system, and holds the session
	ErrDeadline         = fault.Deadline              // the time was up
	ErrRefused          = fault.Refused               // the adapter cannot serve the request
	ErrAdapterMissing   = fault.AdapterMissing        // there is no binary at the adapter's path
	ErrAdapterDigest    = fault.AdapterDigest         // the adapter's binary is not the pinned one
	ErrAdapterProtocol  = fault.AdapterProtocol       // the adapter speaks no version of the contract that this host speaks
	ErrAdapterHandshake = fault.AdapterHandshake      // the adapter did not begin as adapters do
	ErrAdapterTimeout   = fault.AdapterTimeout        // the adapter did not start or answer in time
	ErrAdapterCrashed   = fault.AdapterCrashed        // the adapter ended while it was asked
	ErrAdapterFailed    = fault.AdapterFailed         // the adapter crashed three times in a row, and is not started again
	ErrAdapterFault     = fault.AdapterFault          // the adapter answered something that is no answer
	ErrAdapterLimit     = fault.AdapterLimit          // a message to or from the adapter was too large
	ErrLayoutRefused    = fault.LayoutRefused         // the adapter's layout breaks the policy of the host
	ErrUnparsable       = fault.Unparsable            // a file of the user's does not parse
	ErrConfigDependency = fault.ConfigDependency      // a file of the user's names another one that is not there
	ErrUnreadable       = fault.Unreadable            // a file of the user's cannot be read
	ErrNotRegular       = fault.NotRegular            // something that is no regular file stands where one must
	ErrLinkRefused      = fault.LinkRefused           // a link stands where none may
	ErrConflict         = fault.Conflict              // another session, or a person, holds what would be changed
	ErrLoginConflict    = fault.LoginConflict         // two versions of a login, and nothing says which is newer
	ErrInputsChanged    = fault.InputsChanged         // the user's files change faster than they can be read
	ErrCheckFailed      = fault.CheckFailed           // the prepared session is not what the client needs
	ErrStateWrite       = fault.StateWrite            // a directory cannot be written to
	ErrStateFull        = fault.StateFull             // no space is left
	ErrCorrupt          = fault.Corrupt               // a record does not match its digest
	ErrUnknownSchema    = fault.UnknownSchema         // a record was written by another version
	ErrSessionMismatch  = fault.SessionMismatch       // the session exists for another provider or directory
	ErrNotFound         = fault.NotFound              // there is no such session
	ErrIncomplete       = fault.Incomplete            // the session has to be prepared again before it can be launched
	ErrClientMissing    = fault.ClientMissing         // no client was found that could be started
	ErrClosed           = fault.Closed                // the host was closed
	ErrCatalog          = fault.CatalogFailed         // the host's commands cannot be listed
	ErrCommand          = fault.CommandUnavailable    // a projection requires, or a session asks for, a command that it does not have
	ErrProjection       = fault.ProjectionUnavailable // what commands a session has cannot be known, so it has none
	ErrProfile          = fault.Profile               // the host's deployment profile or a pack of it is at fault
	ErrSnapshot         = fault.Snapshot              // the skills that the client unpacks itself are not what can be kept
	ErrHandshake        = fault.Handshake             // the client refused a step of its start, does not know it, or ended
	ErrSkillsMissing    = fault.SkillsMissing         // the client does not list a skill of ours, or a directory of skills is not there
	ErrTranscript       = fault.Transcript            // a conversation cannot be brought into a session; nothing of it was changed
	ErrUntrusted        = fault.Untrusted             // a release is signed by nobody whom the trust policy believes
	ErrTampered         = fault.Tampered              // the bytes of a release are not the ones that were signed
	ErrRevoked          = fault.Revoked               // a release, or the key that signed it, was revoked
	ErrExpired          = fault.Expired               // a release is past its time
	ErrDowngrade        = fault.Downgrade             // a release is older than one that was there before
	ErrIncompatible     = fault.Incompatible          // a release is for another version of the host
	ErrPackage          = fault.PackageRules          // an extension package breaks a rule of its format
	ErrNotInstalled     = fault.NotInstalled          // no such release is installed
	ErrTrustPolicy      = fault.TrustPolicy           // the trust policy cannot be used
	ErrArtefact         = fault.Artefact              // a program that the session needs is not there, or not what was pinned
	ErrInternal         = fault.Internal              // a fault of Greenroom's
)

// CodeOf is the code of an error of this package, ErrInternal for another one, and "" for nil.
func CodeOf(err error) Code { return fault.CodeOf(err) }
