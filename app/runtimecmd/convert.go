package runtimecmd

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"

	"conch/app/api"
)

// ConvertTools says which tools for conversions are here. Only the fields about tools are set.
func (p Program) ConvertTools(ctx context.Context) (*api.DescribeConversionResponse, error) {
	out, err := p.run(ctx, "conversion", "tools")
	if err != nil {
		return nil, err
	}
	tools := &api.DescribeConversionResponse{}
	if err := protojson.Unmarshal(out, tools); err != nil {
		return nil, fmt.Errorf("read which tools there are: %w", err)
	}
	return tools, nil
}

// InstallConverter installs the tools and tells what happens. When ctx ends, or after an error of each, nothing is left of them.
func (p Program) InstallConverter(ctx context.Context, each func(*api.ConversionEvent) error) error {
	return stream(ctx, p, newEvent, each, "conversion", "install")
}

// Convert does the order in a folder, tells what happens, and returns the report.
func (p Program) Convert(ctx context.Context, dir string, each func(*api.ConversionEvent) error) (report *api.ConversionReport, err error) {
	err = stream(ctx, p, newEvent, func(e *api.ConversionEvent) error {
		if e.Report != nil {
			report = e.Report
			return nil
		}
		return each(e)
	}, "conversion", "run", dir)
	if err == nil && report == nil {
		err = errors.New("the conversion ended without a report")
	}
	return report, err
}

func newEvent() *api.ConversionEvent { return &api.ConversionEvent{} }
