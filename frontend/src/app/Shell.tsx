import { lazy, Suspense, useEffect } from "react";
import { useShallow } from "zustand/react/shallow";
import { DropHere } from "../features/models/DropHere";
import { NewModelDialog } from "../features/models/NewModelDialog";
import { Sidebar } from "../features/models/Sidebar";
import { UnloadDialog } from "../features/models/UnloadDialog";
import { ConfirmControlDialog } from "../features/servers/ConfirmControlDialog";
import { ServerDialog } from "../features/servers/ServerDialog";
import { TrustBanner } from "../features/trust/TrustBanner";
import { OpenRepositoryDialog } from "../features/welcome/OpenRepositoryDialog";
import { TokenPage } from "../features/welcome/TokenPage";
import { Welcome } from "../features/welcome/Welcome";
import { Drawer } from "../ui/Drawer";
import { ReachContext } from "../ui/reach";
import { usePlace } from "../window/place";
import { Split } from "../window/Split";
import { useSettings } from "../window/settings";
import { closeDrawer, useDrawer, useNarrow } from "../window/sidebar";
import { selectBare, selectReach, useWorkspace } from "../workspace/workspace";
import { tellFirstView } from "./firstView";
import { KeysDialog } from "./KeysDialog";
import { LaterDialogs } from "./LaterDialogs";
import { Palette } from "./Palette";
import { RepositoryPage } from "./RepositoryPage";
import { RestoredBanner } from "./RestoredBanner";
import css from "./Shell.module.css";
import { StandingBanners } from "./StandingBanners";
import { StatusBar } from "./StatusBar";
import { Toasts } from "./Toasts";
import { TopBar } from "./TopBar";
import { UnsavedDialog } from "./UnsavedDialog";
import { useShortcuts } from "./useShortcuts";

/** Editor, graph and request form are most of the program; they come right after the first paint. */
const loadModelPage = () => import("./ModelPage");
const ModelPage = lazy(() => loadModelPage().then(({ ModelPage }) => ({ default: ModelPage })));

function Main() {
  const model = usePlace((place) => place.model);
  return (
    <main className={css.main} tabIndex={-1}>
      <div className={css.page}>
        <StandingBanners />
        <TrustBanner />
        <RestoredBanner />
        <Suspense>{model === "" ? <RepositoryPage /> : <ModelPage key={model} model={model} />}</Suspense>
      </div>
    </main>
  );
}

/** The page without the list of models beside it. */
function MainAlone() {
  return (
    <div className={css.alone}>
      <Main />
      <Toasts />
    </div>
  );
}

function Workbench() {
  const sidebar = useSettings((settings) => settings.sidebar);
  const narrow = useNarrow();
  const drawer = useDrawer(({ open }) => open);
  if (narrow)
    return (
      <>
        <MainAlone />
        <Drawer label="Models" open={drawer} onClose={closeDrawer}>
          <Sidebar />
        </Drawer>
      </>
    );
  if (!sidebar) return <MainAlone />;
  return (
    <Split
      name="sidebar"
      label="Width of the sidebar"
      fixed="first"
      size={264}
      min={190}
      rest={620}
      first={
        <div>
          <Sidebar messages={<Toasts underList />} />
        </div>
      }
      second={<Main />}
    />
  );
}

function WelcomeAlone() {
  return (
    <div className={css.alone}>
      <Welcome />
      <Toasts />
    </div>
  );
}

export function Shell() {
  useShortcuts();
  useEffect(() => void tellFirstView(loadModelPage()).catch(() => undefined), []);
  const bare = useWorkspace(selectBare);
  const refused = useWorkspace((state) => state.connection === "refused");
  const reach = useWorkspace(useShallow(selectReach));
  return (
    <ReachContext value={reach}>
      <div className={css.shell}>
        <TopBar />
        <div className={css.middle}>{refused ? <TokenPage /> : bare ? <WelcomeAlone /> : <Workbench />}</div>
        <StatusBar />
        <Palette />
        <NewModelDialog />
        <DropHere />
        <UnloadDialog />
        <ConfirmControlDialog />
        <ServerDialog />
        <OpenRepositoryDialog />
        <UnsavedDialog />
        <LaterDialogs />
        <KeysDialog />
      </div>
    </ReachContext>
  );
}
