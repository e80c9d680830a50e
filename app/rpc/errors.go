package rpc

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"syscall"

	"connectrpc.com/connect"
	"google.golang.org/grpc/status"

	"conch/app/answers"
	"conch/app/api"
	"conch/app/conversion"
	"conch/app/enginehost"
	"conch/app/servers"
	"conch/app/single"
	"conch/app/store"
	"conch/app/trial"
	"conch/app/upload"
	"conch/app/workspace"
	"conch/configedit/folder"
	"conch/repo"
	"conch/repo/layout"
	"conch/repo/write"
)

// errInternal is what people see of a mistake in Conch; the log has the details.
var errInternal = errors.New("something went wrong inside Conch; the log has the details")

// table lists the API's codes for errors of the app. The first that matches counts. The errors' texts
// are for people.
var table = []struct {
	is   error
	code connect.Code
}{
	{workspace.ErrNothingOpen, connect.CodeFailedPrecondition},
	{enginehost.ErrNotReady, connect.CodeUnavailable},
	{workspace.ErrUntold, connect.CodeUnimplemented},
	{workspace.ErrUnknownConfig, connect.CodeFailedPrecondition},
	{workspace.ErrOtherServer, connect.CodeFailedPrecondition},
	{workspace.ErrNoServer, connect.CodeNotFound},
	{servers.ErrNone, connect.CodeNotFound},
	{store.ErrNotFound, connect.CodeNotFound},
	{answers.ErrGone, connect.CodeNotFound},
	{upload.ErrGone, connect.CodeNotFound},
	{upload.ErrUnfit, connect.CodeFailedPrecondition},
	{conversion.ErrGone, connect.CodeNotFound},
	{conversion.ErrUnfit, connect.CodeFailedPrecondition},
	{conversion.ErrMoved, connect.CodeFailedPrecondition},
	{trial.ErrFailed, connect.CodeFailedPrecondition},
	{layout.ErrOutside, connect.CodePermissionDenied},
	{workspace.ErrNoModel, connect.CodeNotFound},
	{workspace.ErrOtherRepository, connect.CodeFailedPrecondition},
	{context.Canceled, connect.CodeCanceled},
	{context.DeadlineExceeded, connect.CodeDeadlineExceeded},
}

// fileTable does the same for the operating system's errors about files.
var fileTable = []struct {
	is   error
	code connect.Code
}{
	{fs.ErrInvalid, connect.CodeInvalidArgument},
	{fs.ErrNotExist, connect.CodeNotFound},
	{fs.ErrExist, connect.CodeAlreadyExists},
	{fs.ErrPermission, connect.CodePermissionDenied},
	{syscall.ENAMETOOLONG, connect.CodeInvalidArgument},
	{syscall.EISDIR, connect.CodeFailedPrecondition},
	{syscall.ENOTDIR, connect.CodeFailedPrecondition},
	{syscall.ELOOP, connect.CodeFailedPrecondition},
	{syscall.EROFS, connect.CodePermissionDenied},
	{syscall.ENOSPC, connect.CodeResourceExhausted},
}

// apiError gives an error its code. ok is false for an unexpected error.
func apiError(err error) (_ *connect.Error, ok bool) {
	var done *connect.Error
	if errors.As(err, &done) {
		return done, true
	}
	var several *upload.SeveralError
	if errors.As(err, &several) {
		return severalModels(several), true
	}
	var library *trial.LibraryError
	if errors.As(err, &library) {
		return libraryWords(library), true
	}
	for _, row := range table {
		if errors.Is(err, row.is) {
			return connect.NewError(row.code, err), true
		}
	}
	var elsewhere *single.ElsewhereError
	if errors.As(err, &elsewhere) {
		return connect.NewError(connect.CodeFailedPrecondition, elsewhere), true
	}
	var refused *repo.NotARepositoryError
	if errors.As(err, &refused) {
		return notARepository(refused), true
	}
	var away *workspace.AwayError
	if errors.As(err, &away) {
		return folderAway(away), true
	}
	var file *write.Error
	if errors.As(err, &file) {
		return connect.NewError(fileCode(err), file), true
	}
	var history *store.Error
	if errors.As(err, &history) {
		return connect.NewError(connect.CodeFailedPrecondition, history), true
	}
	var met *fs.PathError
	if errors.As(err, &met) {
		return connect.NewError(fileCode(err), write.Explain("read", met.Path, err)), true
	}
	if st, isStatus := status.FromError(err); isStatus {
		// The codes have the same numbers. The engine's message is passed on unchanged.
		return connect.NewError(connect.Code(st.Code()), errors.New(st.Message())), true
	}
	return connect.NewError(connect.CodeInternal, errInternal), false
}

// notARepository says why a folder cannot be opened, and what to open instead.
func notARepository(refused *repo.NotARepositoryError) *connect.Error {
	out := connect.NewError(connect.CodeInvalidArgument, refused)
	if refused.Suggestion != "" {
		if detail, err := connect.NewErrorDetail(&api.OpenInstead{Path: refused.Suggestion}); err == nil {
			out.AddDetail(detail)
		}
	}
	return out
}

// folderAway lets the page take the message away once the folder is back.
func folderAway(away *workspace.AwayError) *connect.Error {
	out := connect.NewError(connect.CodeFailedPrecondition, away)
	if detail, err := connect.NewErrorDetail(&api.FolderAway{}); err == nil {
		out.AddDetail(detail)
	}
	return out
}

// severalModels names the files of which a model each can be made.
func severalModels(several *upload.SeveralError) *connect.Error {
	out := connect.NewError(connect.CodeFailedPrecondition, several)
	if detail, err := connect.NewErrorDetail(&api.SeveralModels{Files: several.Files}); err == nil {
		out.AddDetail(detail)
	}
	return out
}

// libraryWords hands on what a library said, for those who look into it.
func libraryWords(told *trial.LibraryError) *connect.Error {
	out := connect.NewError(connect.CodeFailedPrecondition, told)
	if detail, err := connect.NewErrorDetail(&api.LibraryWords{Library: "ONNX Runtime", Text: told.Words}); err == nil {
		out.AddDetail(detail)
	}
	return out
}

func fileCode(err error) connect.Code {
	for _, row := range fileTable {
		if errors.Is(err, row.is) {
			return row.code
		}
	}
	return connect.CodeInternal
}

func invalid(err error) error { return connect.NewError(connect.CodeInvalidArgument, err) }

// guard converts the errors of every call.
type guard struct{ log *slog.Logger }

var _ connect.Interceptor = (*guard)(nil)

func (g *guard) WrapUnary(next connect.UnaryFunc) connect.UnaryFunc {
	return func(ctx context.Context, r connect.AnyRequest) (connect.AnyResponse, error) {
		answer, err := next(ctx, r)
		if err != nil {
			return nil, g.translate(r.Spec(), err)
		}
		return answer, nil
	}
}

func (g *guard) WrapStreamingClient(next connect.StreamingClientFunc) connect.StreamingClientFunc {
	return next
}

func (g *guard) WrapStreamingHandler(next connect.StreamingHandlerFunc) connect.StreamingHandlerFunc {
	return func(ctx context.Context, conn connect.StreamingHandlerConn) error {
		if err := next(ctx, conn); err != nil {
			return g.translate(conn.Spec(), err)
		}
		return nil
	}
}

func (g *guard) translate(spec connect.Spec, err error) error {
	out, expected := apiError(err)
	if text := folder.Text(out.Message()); text != out.Message() { // it has the name of a file
		renamed := connect.NewError(out.Code(), errors.New(text))
		for _, detail := range out.Details() {
			renamed.AddDetail(detail)
		}
		out = renamed
	}
	if !expected {
		g.log.Error("a call failed", "call", spec.Procedure, "error", err)
	}
	return out
}

func stack() string { return string(debug.Stack()) }
