// Package enginepb is the engine's private protocol with the workbench, generated from engine.proto.
package enginepb
