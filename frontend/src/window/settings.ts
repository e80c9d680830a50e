import { create } from "zustand";
import { clients } from "../api/client";
import { onLeave } from "../api/leaving";

export type Theme = "system" | "light" | "dark";

/** As the menu of settings and the palette offer them. */
export const themes: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: "Theme: as the system" },
  { value: "light", label: "Theme: light" },
  { value: "dark", label: "Theme: dark" },
];

export interface Settings {
  theme: Theme;
  /** Pixels by the name of a split. */
  panes: Record<string, number>;
  sidebar: boolean;
  /** The size of everything in the desktop window, in percent. */
  zoom: number;
  /** The execution accelerator of ONNX models that name none and are on no GPU of NVIDIA; "" for the processor. The app reads it when an engine starts. */
  accelerator: string;
}

/** In which sizes everything can be shown, in percent. app/desktop/zoomrange.go has their ends. */
export const zooms: readonly number[] = [80, 90, 100, 110, 125, 150, 175, 200];

const defaults: Settings = { theme: "system", panes: {}, sidebar: true, zoom: 100, accelerator: "" };

/** What the window remembers between runs, kept by the app. */
export const useSettings = create<Settings>(() => defaults);

/** Takes what the app kept; a value of the wrong shape is left out rather than trusted. */
export function parseSettings(values: Record<string, string>): Partial<Settings> {
  const found: Partial<Settings> = {};
  const theme = parse(values.theme);
  if (theme === "light" || theme === "dark" || theme === "system") found.theme = theme;
  const sidebar = parse(values.sidebar);
  if (typeof sidebar === "boolean") found.sidebar = sidebar;
  const zoom = parse(values.zoom);
  if (typeof zoom === "number" && zooms.includes(zoom)) found.zoom = zoom;
  const accelerator = parse(values.accelerator);
  if (typeof accelerator === "string") found.accelerator = accelerator;
  const panes = parse(values.panes);
  if (panes !== null && typeof panes === "object") {
    found.panes = Object.fromEntries(
      Object.entries(panes).filter((pane): pane is [string, number] => Number.isFinite(pane[1])),
    );
  }
  return found;
}

function parse(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Takes what the app kept, but for what is changed here before the answer comes. */
export async function loadSettings(): Promise<void> {
  const before = useSettings.getState();
  const { values } = await clients.workspace.getSettings({});
  const now = useSettings.getState();
  const kept = Object.entries(parseSettings(values)).filter(([key]) => {
    const name = key as keyof Settings;
    return now[name] === before[name];
  });
  useSettings.setState(Object.fromEntries(kept));
}

/** What the app has not been sent yet. */
let waiting: Record<string, string> = {};
let sending = false;

async function sendWaiting(): Promise<void> {
  const values = waiting;
  waiting = {};
  if (Object.keys(values).length === 0) return;
  try {
    await clients.workspace.setSettings({ values });
  } catch {
    // A setting that was not kept is not worth a message: it still holds for this window.
  }
}

/** A desktop window that closes tells its page nothing, so a change is sent at once. Those that come before the answer go together. */
async function send(): Promise<void> {
  if (sending) return;
  sending = true;
  while (Object.keys(waiting).length > 0) await sendWaiting();
  sending = false;
}

/** Changes a setting here and in the app. */
export function setSetting<K extends keyof Settings>(key: K, value: Settings[K]): void {
  useSettings.setState({ [key]: value } as Pick<Settings, K>);
  waiting[key] = JSON.stringify(value);
  void send();
}

/** Sends what waits when the page is left. */
export const followSettings = (): (() => void) => onLeave(() => void sendWaiting());

export const paneSize = (name: string): number | undefined => useSettings.getState().panes[name];

export function setPaneSize(name: string, pixels: number): void {
  const { panes } = useSettings.getState();
  if (panes[name] !== pixels) setSetting("panes", { ...panes, [name]: pixels });
}
