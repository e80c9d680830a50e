import { FolderX, ServerCrash, Unplug } from "lucide-react";
import { Engine_State } from "../api/conch_pb";
import { moment } from "../lib/format";
import { Banner } from "../ui/Banner";
import { Button } from "../ui/Button";
import { Words } from "../ui/Words";
import { attachServer } from "../workspace/remote";
import { asSentence, selectNothingOpen, useWorkspace } from "../workspace/workspace";
import { engineStatus, restartEngine, wantsRestart } from "./engine";

/** The repository's folder cannot be read: what is shown is as it was, and goes when the folder is back. */
function FolderAway() {
  const why = useWorkspace(({ repository }) => (repository?.away ? repository.trouble : ""));
  if (why === "") return null;
  return (
    <Banner icon={<FolderX aria-hidden="true" />} label="The repository is away">
      <b>The repository is away.</b> {why} Files cannot be saved until it is back.
    </Banner>
  );
}

/** Nothing is heard of the app: what is shown is as it last was. */
function AppLost() {
  const lost = useWorkspace(({ connection }) => connection === "lost");
  if (!lost) return null;
  return (
    <Banner icon={<Unplug aria-hidden="true" />} label="The workbench does not answer">
      <b>The workbench does not answer.</b> What is shown is what was last known; nothing can be loaded, sent
      or saved until it answers. What you type now is kept in this page alone: do not close it. It tries again
      by itself.
    </Banner>
  );
}

/** The engine neither serves nor comes back by itself. */
function EngineDown() {
  const engine = useWorkspace((state) => state.engine);
  const connection = useWorkspace((state) => state.connection);
  const nothingOpen = useWorkspace(selectNothingOpen);
  if (connection !== "live" || nothingOpen || !engine || !wantsRestart(engine)) return null;
  return (
    <Banner
      tone="err"
      icon={<ServerCrash aria-hidden="true" />}
      label="The engine is down"
      actions={
        <Button small onClick={() => void restartEngine()}>
          Restart the engine
        </Button>
      }
    >
      <Words text={engine.reason || `${engineStatus(engine, connection).word}.`} />
    </Banner>
  );
}

/** What is shown is what the server said last. It is asked again by itself, more and more seldom. */
function ServerAway() {
  const engine = useWorkspace((state) => state.engine);
  const live = useWorkspace((state) => state.connection === "live");
  const remote = engine?.remote;
  if (!live || !remote || engine.state === Engine_State.READY || engine.state === Engine_State.STARTING)
    return null;
  return (
    <Banner
      tone="err"
      icon={<ServerCrash aria-hidden="true" />}
      label="The server does not answer"
      actions={
        <>
          <Button small onClick={() => void attachServer("")}>
            Show this machine
          </Button>
          <Button small onClick={() => void restartEngine()}>
            Try now
          </Button>
        </>
      }
    >
      <b>
        {remote.name}{" "}
        {remote.awaySince ? `has not answered since ${moment(remote.awaySince)}` : "does not answer"}.
      </b>{" "}
      <Words text={asSentence(engine.reason)} /> It is tried again by itself. What is shown is what it said
      last.
    </Banner>
  );
}

/** Why what is shown may not be so any more, or cannot be used. */
export const StandingBanners = () => (
  <>
    <AppLost />
    <EngineDown />
    <ServerAway />
    <FolderAway />
  </>
);
