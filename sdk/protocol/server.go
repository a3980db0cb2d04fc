package protocol

import (
	"context"
	"errors"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// envelope is what the outer message adds to the largest inner one.
const envelope = 64

// NewServer is a gRPC server with the limits of this package. It fits go-plugin's ServeConfig.
func NewServer(opts []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(opts,
		grpc.MaxRecvMsgSize(MaxMessage+envelope), grpc.MaxSendMsgSize(MaxMessage+envelope))...)
}

// server answers calls from another process.
type server struct {
	pb.UnimplementedPreparerServer
	impl preparer.Preparer
}

func (s *server) Describe(ctx context.Context, in *pb.DescribeRequest) (*pb.DescribeResponse, error) {
	m, err := s.describe(in)
	if err != nil {
		return &pb.DescribeResponse{Result: &pb.DescribeResponse_Fault{Fault: encodeFault(err)}}, nil
	}
	return &pb.DescribeResponse{Result: &pb.DescribeResponse_Description{Description: m}}, nil
}

func (s *server) describe(in *pb.DescribeRequest) (*pb.Descriptor, error) {
	if err := known(in.ProtoReflect()); err != nil {
		return nil, err
	}
	d, err := describe(s.impl)
	if err != nil {
		return nil, err
	}
	return EncodeDescriptor(d)
}

func (s *server) Prepare(ctx context.Context, in *pb.PrepareRequest) (*pb.PrepareResponse, error) {
	m, err := s.prepare(ctx, in)
	var refusal *preparer.Refusal
	switch {
	case ctx.Err() != nil:
		return nil, status.FromContextError(ctx.Err()).Err()
	case errors.As(err, &refusal):
		return &pb.PrepareResponse{Result: &pb.PrepareResponse_Refusal{Refusal: &pb.Refusal{
			Code: clip(refusal.Code), Text: clip(refusal.Text), Hint: clip(refusal.Hint),
		}}}, nil
	case err != nil:
		return &pb.PrepareResponse{Result: &pb.PrepareResponse_Fault{Fault: encodeFault(err)}}, nil
	}
	return &pb.PrepareResponse{Result: &pb.PrepareResponse_Layout{Layout: m}}, nil
}

func (s *server) prepare(ctx context.Context, in *pb.PrepareRequest) (*pb.Layout, error) {
	if err := known(in.ProtoReflect()); err != nil {
		return nil, err
	}
	r, err := DecodeRequest(in.GetRequest())
	if err != nil {
		return nil, err
	}
	layout, err := prepare(ctx, s.impl, r)
	if err != nil {
		return nil, err
	}
	return EncodeLayout(layout)
}
