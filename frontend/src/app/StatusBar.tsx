import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Engine_State, ModelState, Notice_Level } from "../api/conch_pb";
import { cx } from "../lib/cx";
import { count, rate } from "../lib/format";
import { useReach, useWhyOff } from "../ui/reach";
import { openDialog } from "../window/dialogs";
import { goToRepository } from "../window/place";
import { draftsIn } from "../workspace/drafts";
import { selectAsksTrust } from "../workspace/trust";
import {
  asSentence,
  selectBare,
  selectNothingOpen,
  selectReach,
  useWorkspace,
  type WorkspaceState,
} from "../workspace/workspace";
import { engineStatus, port, remoteOutage, wantsRestart } from "./engine";
import css from "./StatusBar.module.css";

function Problems() {
  const repository = useWorkspace((state) => state.repository);
  const bare = useWorkspace(selectBare);
  const failed = useWorkspace(modelsIn(ModelState.FAILED, ModelState.DIED));
  const untrusted = useWorkspace(modelsIn(ModelState.UNTRUSTED));
  const asked = useWorkspace(selectAsksTrust); // the banner says it
  const reach = useReach();
  const elsewhere = useWorkspace((state) => state.engine?.remote !== undefined);
  const serves = useWhyOff("engine") === undefined || elsewhere; // the repository here is none of its
  if (!repository || bare) return null;
  const { errors, warnings, away, trouble } = repository;
  const sound = errors + warnings + failed + untrusted === 0 && (serves || !reach);
  const tone = (name: string | undefined) => (reach ? name : css.old);
  if (away)
    return (
      <span className={css.err} title={trouble}>
        ▲ Repository away
      </span>
    );
  return (
    <>
      {failed > 0 && errors === 0 && (
        <Models tone={tone(css.err)} title="The overview lists them first, with the reasons">
          ▲ {count(failed, "model")} failed
        </Models>
      )}
      {untrusted > 0 && !asked && (
        <Models tone={tone(css.warn)} title="They run code of the repository, which is not trusted">
          {count(untrusted, "model")} {untrusted === 1 ? "waits" : "wait"} for trust
        </Models>
      )}
      {(sound || errors > 0 || warnings > 0) && (
        <button type="button" className={css.problems} onClick={() => goToRepository("problems")}>
          {sound && (
            <span className={tone(css.ok)}>{reach ? "No problems" : "No problems, as last known"}</span>
          )}
          {errors > 0 && <span className={tone(css.err)}>▲ {count(errors, "error")}</span>}
          {warnings > 0 && <span className={tone(css.warn)}>{count(warnings, "warning")}</span>}
        </button>
      )}
    </>
  );
}

/** Counts the models in a state: also those whose configs have no problem, such as one whose part was unloaded. */
const modelsIn =
  (...wanted: ModelState[]) =>
  ({ models }: WorkspaceState): number => {
    let found = 0;
    for (const { state } of models.values()) if (wanted.includes(state)) found++;
    return found;
  };

type ModelsProps = {
  readonly tone: string | undefined;
  readonly title: string;
  readonly children: ReactNode;
};

/** Says how many models need attention, and leads to them. */
function Models({ tone, title, children }: ModelsProps) {
  return (
    <button type="button" className={css.problems} title={title} onClick={() => goToRepository()}>
      <span className={tone}>{children}</span>
    </button>
  );
}

/** Why models serve nothing, where nothing but a restart may help. While the engine comes back, the note says so. */
function EngineOutage() {
  const nothingOpen = useWorkspace(selectNothingOpen);
  const connection = useWorkspace((state) => state.connection);
  const why = useWorkspace((state) => selectReach(state).engine);
  const reason = useWorkspace((state) => state.engine?.reason);
  const down = useWorkspace((state) => wantsRestart(state.engine));
  if (!why || !down || nothingOpen || connection !== "live") return null;
  return (
    <span className={css.err} title={reason}>
      ▲ {why}
    </span>
  );
}

/** What is edited and not saved; it outlives the window. */
function Unsaved() {
  const unsaved = useWorkspace((state) => draftsIn(state).length);
  const isKept = useWorkspace((state) => state.keeping?.level !== Notice_Level.ERROR);
  if (unsaved === 0) return null;
  return (
    <button
      type="button"
      className={css.problems}
      title={`${isKept ? "They are kept when Conch is closed. " : ""}Problems are counted in the texts as they are now, saved or not.`}
      onClick={() => openDialog("unsaved")}
    >
      {count(unsaved, "unsaved text")}
    </button>
  );
}

/** Unsaved texts are not kept as usual: said for as long as it is so. */
function Keeping() {
  const trouble = useWorkspace((state) => state.keeping);
  if (!trouble) return null;
  const lost = trouble.level === Notice_Level.ERROR;
  return (
    <button
      type="button"
      className={cx(css.problems, lost ? css.err : css.warn)}
      title={trouble.text}
      onClick={() => openDialog("unsaved")}
    >
      {lost ? "▲ Unsaved texts at risk" : "▲ Unsaved texts kept elsewhere"}
    </button>
  );
}

/** Charts and lists lack what is not written: said for as long as it is so. */
function Unwritten() {
  const trouble = useWorkspace((state) => state.unwritten);
  if (!trouble) return null;
  return (
    <span className={css.warn} title={trouble.text}>
      ▲ History not written
    </span>
  );
}

/** What the watcher and hot reload do now; a reason takes the place of the note while the engine is not ready. */
function Note() {
  const engine = useWorkspace((state) => state.engine);
  const watchNote = useWorkspace((state) => state.repository?.watchNote ?? "");
  const connection = useWorkspace((state) => state.connection);
  const nothingOpen = useWorkspace(selectNothingOpen);
  if (connection === "refused") return <span className={css.note}>The token of this page is not valid</span>;
  if (connection === "lost")
    return <span className={css.note}>The workbench does not answer; trying again</span>;
  // What is wrong with an engine that is down is in a banner, with the way out.
  if (!engine || nothingOpen || wantsRestart(engine)) return <span className={css.note} />;
  if (engine.state !== Engine_State.READY) {
    const text = remoteOutage(engine) ?? (asSentence(engine.reason) || engineStatus(engine, connection).word);
    return (
      <span className={cx(css.note, css.warn)} title={asSentence(engine.reason) || text}>
        <TriangleAlert aria-hidden="true" />
        {text}
      </span>
    );
  }
  const text = [engine.reloadNote, watchNote].filter(Boolean).join(" · ");
  return (
    <span className={css.note} title={text}>
      {text}
    </span>
  );
}

function Ports() {
  const engine = useWorkspace((state) => state.engine);
  if (!engine) return null;
  const ports: [string, string][] = [
    ["HTTP", engine.httpAddress],
    ["gRPC", engine.grpcAddress],
    ["Metrics", engine.metricsAddress],
  ];
  return ports
    .filter(([, address]) => address !== "")
    .map(([name, address]) => (
      <span key={name} className={css.port} title={address}>
        {name} {port(address)}
      </span>
    ));
}

export function StatusBar() {
  const requests = useWorkspace((state) => rate(state.engine?.requestsPerSecond ?? 0));
  const measured = useWhyOff("engine") === undefined;
  return (
    <footer className={css.status} role="contentinfo" aria-label="Status">
      <EngineOutage />
      <Problems />
      <Unsaved />
      <Keeping />
      <Unwritten />
      <Note />
      <span className={css.right}>
        <Ports />
        <span className={css.rate}>{measured ? requests : "–"} req/s</span>
      </span>
    </footer>
  );
}
