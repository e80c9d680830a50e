/**
 * Where everything that floats over the window hangs: menus, tips, dialogs. It is a landmark, so that a screen reader
 * finds what is outside the panes, and one place, so that a menu in a dialog is not hidden with what lies under it.
 */
export const floating = (): HTMLElement => document.getElementById("floating") ?? document.body;
