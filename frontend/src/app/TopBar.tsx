import {
  ArrowLeft,
  ArrowRight,
  ChevronDown,
  Settings as Cog,
  Info,
  Keyboard,
  Package,
  PanelLeft,
  Search,
} from "lucide-react";
import { Access_Trust } from "../api/conch_pb";
import { Button } from "../ui/Button";
import { KeyHint } from "../ui/KeyHint";
import { Logo } from "../ui/Logo";
import { Menu, type MenuItem } from "../ui/Menu";
import { MiddleTruncate } from "../ui/MiddleTruncate";
import { openDialog } from "../window/dialogs";
import { keys, readable, withKey } from "../window/keys";
import { goToRepository } from "../window/place";
import { setSetting, themes, useSettings, zooms } from "../window/settings";
import { toggleSidebar, useDrawer, useNarrow } from "../window/sidebar";
import { goBack, goForward, useTrail } from "../window/trail";
import { canZoom } from "../window/zoom";
import {
  refuseMissingGpus,
  selectCode,
  selectOverrides,
  selectStrictGpu,
  selectTrust,
  takeConfigs,
  trustRepository,
} from "../workspace/trust";
import { selectBare, useWorkspace, type WorkspaceState } from "../workspace/workspace";
import { EngineMenu } from "./EngineMenu";
import { NoticesMenu } from "./NoticesMenu";
import { usePalette } from "./paletteState";
import { RepositoryMenu } from "./RepositoryMenu";
import { ServerMenu } from "./ServerMenu";
import css from "./TopBar.module.css";

/** What is permitted in the open repository. Trust is asked about where there is code to run. */
function useAccessItems(): MenuItem[] {
  const open = useWorkspace((state) => (state.repository?.roots.length ?? 0) > 0);
  const hasCode = useWorkspace(selectCode).length > 0;
  const trust = useWorkspace(selectTrust);
  const overrides = useWorkspace(selectOverrides);
  const strictGpu = useWorkspace(selectStrictGpu);
  if (!open) return [];
  const trusted = trust === Access_Trust.TRUSTED;
  const trusting: MenuItem = {
    label: "Trust this repository",
    note: "Its models may run code of their own",
    checked: trusted,
    needs: "app",
    onSelect: () => void trustRepository(!trusted),
  };
  return [
    ...(hasCode || trust !== Access_Trust.UNSPECIFIED ? [trusting] : []),
    {
      label: "Take configs from clients",
      note: "Load requests may bring configs and files",
      checked: overrides,
      needs: "app",
      onSelect: () => void takeConfigs(!overrides),
    },
    {
      label: "Refuse models whose GPUs are missing",
      note: "As Triton does, instead of running them on what is here",
      checked: strictGpu,
      needs: "app",
      onSelect: () => void refuseMissingGpus(!strictGpu),
    },
  ];
}

/** A size of everything; keys go from one to the next. */
const sizeItem = (percent: number, now: number): MenuItem => ({
  label: `Text size: ${percent} %`,
  checked: percent === now,
  shortcut: percent === 100 ? readable(keys.normalSize) : undefined,
  onSelect: () => setSetting("zoom", percent),
});

/** In a browser the size is the browser's. */
const browserSize: MenuItem = {
  label: "Text size",
  note: `Use the zoom of the browser: ${readable(keys.larger)} and ${readable(keys.smaller)}`,
  disabled: true,
  onSelect: () => undefined,
};

function SettingsMenu() {
  const zoom = useSettings((settings) => settings.zoom);
  const access = useAccessItems();
  const theme = useSettings((settings) => settings.theme);
  const narrow = useNarrow();
  const sidebar = useSettings((settings) => settings.sidebar) && !narrow;
  return (
    <Menu
      align="end"
      trigger={<Button look="ghost" aria-label="Settings" icon={<Cog />} />}
      groups={[
        themes.map(({ value, label }) => ({
          label,
          checked: theme === value,
          onSelect: () => setSetting("theme", value),
        })),
        [
          {
            label: "Show the sidebar",
            checked: sidebar,
            shortcut: readable(keys.sidebar),
            onSelect: toggleSidebar,
          },
        ],
        access,
        canZoom() ? zooms.map((percent) => sizeItem(percent, zoom)) : [browserSize],
        [
          {
            label: "Keys",
            icon: <Keyboard />,
            shortcut: readable(keys.keys),
            onSelect: () => openDialog("keys"),
          },
          {
            label: "Installed Python packages",
            icon: <Package />,
            needs: "engine",
            onSelect: () => openDialog("packages"),
          },
          { label: "About Conch", icon: <Info />, onSelect: () => openDialog("about") },
        ],
      ]}
    />
  );
}

/** Nothing before the first answer: it could be wrong. */
const nameOf = (state: WorkspaceState) => (state.seq === 0n ? "" : state.repository?.name || "No repository");

/** The way back from where a definition, a problem or a model took one. */
function Way() {
  const back = useTrail((trail) => trail.back.length > 0);
  const forward = useTrail((trail) => trail.forward.length > 0);
  return (
    <span className={css.way}>
      <Button
        small
        look="ghost"
        aria-label="Back"
        title={withKey("Back", keys.back)}
        icon={<ArrowLeft />}
        disabled={!back}
        onClick={goBack}
      />
      <Button
        small
        look="ghost"
        aria-label="Forward"
        title={withKey("Forward", keys.forward)}
        icon={<ArrowRight />}
        disabled={!forward}
        onClick={goForward}
      />
    </span>
  );
}

/** The way to the list of models where it has no place beside the page. */
function Models() {
  const open = useDrawer((drawer) => drawer.open);
  const bare = useWorkspace(selectBare);
  if (!useNarrow() || bare) return null;
  return (
    <Button
      small
      look="ghost"
      aria-label="Models"
      aria-expanded={open}
      title={withKey("Models", keys.sidebar)}
      icon={<PanelLeft />}
      onClick={toggleSidebar}
    />
  );
}

export function TopBar() {
  const name = useWorkspace(nameOf);
  return (
    <header className={css.top}>
      <div className={css.left}>
        <Models />
        <button
          type="button"
          className={css.logo}
          onClick={() => goToRepository()}
          aria-label="Conch: show the repository"
        >
          <Logo />
          <span>Conch</span>
        </button>
        <RepositoryMenu
          trigger={
            <button type="button" className={css.crumb} title={name}>
              <span className="visually-hidden">Repository </span>
              <b>
                <MiddleTruncate text={name} />
              </b>
              <ChevronDown aria-hidden="true" />
            </button>
          }
        />
        <Way />
      </div>
      <button type="button" className={css.find} onClick={() => usePalette.setState({ open: true })}>
        <Search aria-hidden="true" />
        <span>Go to model, tensor, request, command</span>
        <KeyHint keys={readable(keys.palette)} />
      </button>
      <div className={css.right}>
        <ServerMenu />
        <EngineMenu />
        <NoticesMenu />
        <SettingsMenu />
      </div>
    </header>
  );
}
