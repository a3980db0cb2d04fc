package protocol

import (
	"context"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Client is an adapter in another process.
type Client struct{ stub pb.PreparerClient }

// NewClient makes a client of a connection.
func NewClient(c grpc.ClientConnInterface) *Client { return &Client{stub: pb.NewPreparerClient(c)} }

// Describe asks the adapter what it is.
func (c *Client) Describe(ctx context.Context) (preparer.Descriptor, error) {
	out, err := c.stub.Describe(ctx, &pb.DescribeRequest{}, limits()...)
	if err != nil {
		return preparer.Descriptor{}, remote(ctx, err)
	}
	if err := known(out.ProtoReflect()); err != nil {
		return preparer.Descriptor{}, err
	}
	switch r := out.GetResult().(type) {
	case *pb.DescribeResponse_Description:
		return DecodeDescriptor(r.Description)
	case *pb.DescribeResponse_Fault:
		return preparer.Descriptor{}, decodeFault(r.Fault)
	}
	return preparer.Descriptor{}, &UnknownError{What: "result of describe"}
}

// Prepare asks the adapter for a layout.
func (c *Client) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	m, err := EncodeRequest(r)
	if err != nil {
		return nil, err
	}
	out, err := c.stub.Prepare(ctx, &pb.PrepareRequest{Request: m}, limits()...)
	if err != nil {
		return nil, remote(ctx, err)
	}
	if err := known(out.ProtoReflect()); err != nil {
		return nil, err
	}
	switch r := out.GetResult().(type) {
	case *pb.PrepareResponse_Layout:
		return DecodeLayout(r.Layout)
	case *pb.PrepareResponse_Refusal:
		if err := known(r.Refusal.ProtoReflect()); err != nil {
			return nil, err
		}
		return nil, &preparer.Refusal{
			Code: clip(r.Refusal.GetCode()), Text: clip(r.Refusal.GetText()), Hint: clip(r.Refusal.GetHint()),
		}
	case *pb.PrepareResponse_Fault:
		return nil, decodeFault(r.Fault)
	}
	return nil, &UnknownError{What: "result of prepare"}
}

// limits hold for each call, since go-plugin lifts those of the connection.
func limits() []grpc.CallOption {
	return []grpc.CallOption{
		grpc.MaxCallRecvMsgSize(MaxMessage + envelope), grpc.MaxCallSendMsgSize(MaxMessage + envelope),
	}
}

// remote gives an error of gRPC a type where it has one here. Others stay, for the host to tell a crash by.
func remote(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case status.Code(err) == codes.ResourceExhausted:
		return &LimitError{What: "bytes of a message", Limit: MaxMessage}
	case status.Code(err) == codes.DeadlineExceeded:
		return context.DeadlineExceeded
	case status.Code(err) == codes.Canceled:
		return context.Canceled
	}
	return err
}
