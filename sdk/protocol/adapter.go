package protocol

import (
	"context"
	"errors"
	"fmt"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Adapter is an adapter as a host sees it, in this process or in another. Prepare returns a *[preparer.Refusal] for a
// request that a person can mend, and else one of the errors of this package, the error of the context, or an error of
// the connection.
type Adapter interface {
	Describe(ctx context.Context) (preparer.Descriptor, error)
	Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error)
}

var (
	_ Adapter = (*Local)(nil)
	_ Adapter = (*Client)(nil)
)

// Local is an adapter in this process behind the same encoding, limits and refusals as one in another process, so that
// neither side can see or change what the other holds.
type Local struct{ impl preparer.Preparer }

// InProcess makes a Local.
func InProcess(p preparer.Preparer) *Local { return &Local{impl: p} }

// Describe asks the adapter what it is.
func (l *Local) Describe(ctx context.Context) (preparer.Descriptor, error) {
	return await(ctx, func() (preparer.Descriptor, error) {
		d, err := describe(l.impl)
		if err != nil {
			return preparer.Descriptor{}, err
		}
		m, err := EncodeDescriptor(d)
		if err != nil {
			return preparer.Descriptor{}, err
		}
		return DecodeDescriptor(m)
	})
}

// Prepare asks the adapter for a layout. It returns when ctx is done, also when the adapter does not.
func (l *Local) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	sent, err := EncodeRequest(r)
	if err != nil {
		return nil, err
	}
	return await(ctx, func() (*preparer.Layout, error) {
		r, err := DecodeRequest(sent)
		if err != nil {
			return nil, err
		}
		layout, err := prepare(ctx, l.impl, r)
		if err != nil {
			return nil, local(ctx, err)
		}
		m, err := EncodeLayout(layout)
		if err != nil {
			return nil, err
		}
		return DecodeLayout(m)
	})
}

// local gives an error the form that it would have after crossing a wire.
func local(ctx context.Context, err error) error {
	var refusal *preparer.Refusal
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &refusal):
		return &preparer.Refusal{Code: clip(refusal.Code), Text: clip(refusal.Text), Hint: clip(refusal.Hint)}
	}
	return decodeFault(encodeFault(err))
}

// await runs f and stops waiting for it when ctx is done.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		r.v, r.err = f()
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// describe and prepare call the adapter and turn a panic into an error.
func describe(p preparer.Preparer) (d preparer.Descriptor, err error) {
	defer recovered(&err)
	return p.Describe(), nil
}

func prepare(ctx context.Context, p preparer.Preparer, r preparer.Request) (l *preparer.Layout, err error) {
	defer recovered(&err)
	return p.Prepare(ctx, r)
}

func recovered(err *error) {
	if v := recover(); v != nil {
		*err = &PanicError{Text: clip(fmt.Sprint(v))}
	}
}
