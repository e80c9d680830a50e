//go:build desktop

package desktop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/wailsapp/wails/v2"
	"github.com/wailsapp/wails/v2/pkg/options"
	"github.com/wailsapp/wails/v2/pkg/options/assetserver"
	"github.com/wailsapp/wails/v2/pkg/options/linux"
	"github.com/wailsapp/wails/v2/pkg/runtime"
)

// Available reports whether this build has a window.
func Available() bool { return true }

// window is the one window of a process.
type window struct {
	opts    Options
	api     *late
	backend *Backend
	closing *closing
	native  *Native
	err     error // why the workbench did not start
	// started starts the workbench once, and waits for it.
	started func() (*Backend, error)
}

// devices is where the system has its GPUs.
const devices = "/dev/dri"

// Run shows the window until it is closed.
func Run(opts Options) error {
	if !HasDisplay() {
		return ErrNoDisplay
	}
	if err := paintPlain(devices); err != nil {
		slog.Default().Warn("the page is drawn by OpenGL in software, which is slow", "error", err)
	}
	if err := setMissing(small); err != nil {
		slog.Default().Warn("the page keeps more memory than it needs", "error", err)
	}
	w := &window{opts: opts, api: newLate(), native: &Native{drops: newDropped(), alone: &alone{}}, started: sync.OnceValues(opts.Start)}
	loadPlainEGL(devices)
	mute := loadMute()
	go func() { _, _ = w.started() }() // beside the start of the toolkit
	if err := openLibraries(mute); err != nil {
		return w.notShown(err)
	}
	err := wails.Run(&options.App{
		Title:     "Conch",
		Width:     firstWidth,
		Height:    firstHeight,
		MinWidth:  leastWidth,
		MinHeight: leastHeight,
		// Before the page paints, the desktop's own background shows, light or dark as the desktop is.
		BackgroundColour: options.NewRGBA(0, 0, 0, 0),
		AssetServer:      &assetserver.Options{Assets: opts.Files, Middleware: mount(w.api, w.native.drops, slog.Default())},
		Menu:             w.menu(),
		OnStartup:        w.start,
		OnDomReady:       func(context.Context) { w.native.alone.set(nil) },
		OnBeforeClose:    w.beforeClose,
		OnShutdown:       w.shutdown,
		Bind:             []any{w.native},
		DragAndDrop:      &options.DragAndDrop{EnableFileDrop: true},
		Linux: &linux.Options{
			ProgramName: "conch",
			// With Never, a program that takes a picture of the window hangs. Always costs a second at
			// the start.
			WebviewGpuPolicy: linux.WebviewGpuPolicyOnDemand,
		},
	})
	if err != nil {
		return w.notShown(fmt.Errorf("show the window: %w", err))
	}
	return w.err
}

// notShown ends a workbench whose window was not shown, for a reason.
func (w *window) notShown(reason error) error {
	backend, err := w.started()
	if err != nil {
		return reason
	}
	return errors.Join(reason, backend.Close())
}

// start is called once there is a window.
func (w *window) start(ctx context.Context) {
	w.native.ctx = ctx
	runtime.OnFileDrop(ctx, func(_, _ int, paths []string) { w.native.drops.take(paths) })
	revive()
	go w.closeAtEnd(ctx)
	backend, err := w.started()
	if err != nil {
		w.err = err
		w.api.set(failed(err))
		_, _ = runtime.MessageDialog(ctx, runtime.MessageDialogOptions{Type: runtime.ErrorDialog, Title: "Conch", Message: unformatted(err.Error())})
		runtime.Quit(ctx)
		return
	}
	w.closing = &closing{
		risk: backend.Risk, alone: w.native.alone, close: backend.Close, end: w.opts.End,
		ask:  func(question string) bool { return ask(ctx, question) },
		tell: func(text string) { tell(ctx, text) },
	}
	w.backend = backend
	w.api.set(backend.API)
	if p, ok := readPlace(backend.Place); ok {
		w.move(ctx, p)
	}
	backend.Announce(func() { raise(ctx) })
}

// raise brings the window to the front, wherever it is.
func raise(ctx context.Context) {
	runtime.WindowShow(ctx)
	runtime.WindowUnminimise(ctx) // shows the window, minimised or not
}

// closeAtEnd closes the window, as its user would, when the program gets a signal to end.
func (w *window) closeAtEnd(ctx context.Context) {
	select {
	case <-w.opts.End:
		runtime.Quit(ctx)
	case <-ctx.Done():
	}
}

func (w *window) move(ctx context.Context, p place) {
	if p.Maximised {
		runtime.WindowMaximise(ctx)
		return
	}
	runtime.WindowSetSize(ctx, p.Width, p.Height)
	if screens, err := runtime.ScreenGetAll(ctx); err == nil && fits(p, screens) {
		runtime.WindowSetPosition(ctx, p.X, p.Y)
	}
}

// fits reports whether the window's title would be on a screen: screens may change between runs.
func fits(p place, screens []runtime.Screen) bool {
	for _, s := range screens {
		if p.X >= 0 && p.Y >= 0 && p.X+100 < s.Size.Width && p.Y+100 < s.Size.Height {
			return true
		}
	}
	return false
}

func (w *window) beforeClose(ctx context.Context) (prevent bool) {
	if w.backend == nil {
		return false
	}
	var p place
	p.Width, p.Height = runtime.WindowGetSize(ctx)
	p.X, p.Y = runtime.WindowGetPosition(ctx)
	p.Maximised = runtime.WindowIsMaximised(ctx)
	soon(func() {
		if err := w.backend.SavePlace(p.String()); err != nil {
			slog.Warn("the window's place is not remembered", "error", err)
		}
	})
	return !w.closing.may()
}

// ask asks a person, who answers yes or no.
func ask(ctx context.Context, question string) bool {
	answer, err := runtime.MessageDialog(ctx, runtime.MessageDialogOptions{
		Type: runtime.QuestionDialog, Title: "Conch", Message: unformatted(question),
		Buttons: []string{"Yes", "No"}, DefaultButton: "No", CancelButton: "No",
	})
	return err == nil && answer == "Yes"
}

// tell shows a text until a person closes it or the window closes.
func tell(ctx context.Context, text string) {
	_, _ = runtime.MessageDialog(ctx, runtime.MessageDialogOptions{Type: runtime.ErrorDialog, Title: "Conch", Message: unformatted(text)})
}

// unformatted escapes a text for GTK, which treats it as a format.
func unformatted(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// shutdown ends the workbench. Run returns its error, so that the terminal shows what is lost.
func (w *window) shutdown(context.Context) {
	if w.backend == nil {
		return
	}
	if err := w.closing.finish(); err != nil {
		w.err = fmt.Errorf("end the workbench: %w", err)
	}
}
