import { useQuery } from "@tanstack/react-query";
import { BookOpen, FolderOpen, FolderUp, Plus, RotateCw, Server } from "lucide-react";
import { useEffect } from "react";
import { clients } from "../../api/client";
import { moment } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Logo } from "../../ui/Logo";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { useReach } from "../../ui/reach";
import { Spinner } from "../../ui/Spinner";
import { openDialog } from "../../window/dialogs";
import { ErrorBox } from "../../workspace/ErrorBox";
import { openExamples, openRepository, tryOpenRepository } from "../../workspace/openRepository";
import { selectNothingOpen, useWorkspace, type WorkspaceState } from "../../workspace/workspace";
import css from "./welcome.module.css";

const EXAMPLE = `model_repository/
  digits/
    config.pbtxt
    1/
      model file`;

const selectTrouble = (state: WorkspaceState) => state.repository?.trouble ?? "";
/** The folder is there and can take models. */
const selectCanCreate = (state: WorkspaceState) => {
  const { repository } = state;
  return repository !== undefined && repository.roots.length > 0 && !repository.readOnly;
};

/** What could not be opened, where it can be tried again. */
const selectWanted = ({ repository }: WorkspaceState) => {
  const [path, ...others] = repository?.wanted ?? [];
  return path !== undefined && others.length === 0 ? path : "";
};

/** A folder that comes back is opened by itself, as one that was away while it was open. */
const TRY_AGAIN_MS = 2_000;

function useTryAgain(wanted: string): void {
  const reach = useReach();
  useEffect(() => {
    if (wanted === "" || !reach) return;
    let busy = false;
    const tryAgain = async () => {
      if (busy) return;
      busy = true;
      await tryOpenRepository(wanted);
      busy = false;
    };
    const timer = setInterval(() => void tryAgain(), TRY_AGAIN_MS);
    return () => clearInterval(timer);
  }, [wanted, reach]);
}

function Recent() {
  const roots = useWorkspace((state) => state.repository?.roots);
  const { data } = useQuery({
    queryKey: ["recent", roots ?? []],
    queryFn: ({ signal }) => clients.workspace.listRecent({}, { signal }),
  });
  const others = data?.repositories.filter(({ path }) => !roots?.includes(path)) ?? [];
  if (others.length === 0) return null;
  return (
    <nav className={css.recent} aria-label="Opened recently">
      <h2>Opened recently</h2>
      {others.slice(0, 6).map(({ path, opened }) => (
        <button key={path} type="button" onClick={() => void openRepository(path)}>
          <MiddleTruncate text={path} />
          <time>{moment(opened)}</time>
        </button>
      ))}
    </nav>
  );
}

function Actions({ instead, welcome }: { instead: string; welcome: boolean }) {
  const canCreate = useWorkspace(selectCanCreate);
  const wanted = useWorkspace(selectWanted);
  return (
    <div className={css.actions}>
      {wanted !== "" && (
        <Button look="primary" needs="app" icon={<RotateCw />} onClick={() => void openRepository(wanted)}>
          Try again
        </Button>
      )}
      {instead !== "" && (
        <Button look="primary" needs="app" icon={<FolderUp />} onClick={() => void openRepository(instead)}>
          Open {instead.slice(instead.lastIndexOf("/") + 1) || instead}
        </Button>
      )}
      <Button
        look={instead === "" && wanted === "" ? "primary" : "plain"}
        needs="app"
        icon={<FolderOpen />}
        onClick={() => openDialog("openRepository")}
      >
        Open a repository
      </Button>
      {welcome && (
        <Button needs="app" icon={<BookOpen />} onClick={() => void openExamples()}>
          Open the examples
        </Button>
      )}
      {welcome && (
        <Button needs="app" icon={<Server />} onClick={() => openDialog("server", "")}>
          Show a running server
        </Button>
      )}
      {canCreate && instead === "" && (
        <Button needs="app" icon={<Plus />} onClick={() => openDialog("newModel")}>
          New model
        </Button>
      )}
    </div>
  );
}

function Card() {
  const trouble = useWorkspace(selectTrouble);
  const instead = useWorkspace((state) => state.repository?.suggestion ?? "");
  const welcome = useWorkspace(selectNothingOpen);
  const wanted = useWorkspace(selectWanted);
  useTryAgain(wanted);
  return (
    <div className={css.card}>
      <div>
        <Logo size={32} />
        <h1>{welcome ? "Welcome to Conch" : "No models to show"}</h1>
        {welcome && <p>Check, serve and try Triton model repositories on this machine.</p>}
      </div>
      <p className={css.trouble} role="status">
        {trouble}
        {wanted !== "" && " It opens by itself when it is back. Its unsaved texts are kept."}
      </p>
      <pre className={css.example} role="img" aria-label="Example of a model repository">
        {EXAMPLE}
      </pre>
      <Actions instead={instead} welcome={welcome} />
      <Recent />
    </div>
  );
}

/** What the window shows while there are no models: why, and the way on. */
export function Welcome() {
  const connection = useWorkspace((state) => state.connection);
  const heard = useWorkspace((state) => state.seq > 0n);
  if (heard) {
    return (
      <main className={css.page}>
        <Card />
      </main>
    );
  }
  return (
    <main className={css.page} style={{ placeItems: "center" }}>
      <div style={{ margin: "auto", maxWidth: 420 }}>
        {connection === "lost" ? (
          <ErrorBox
            title="No answer from the workbench"
            error="The page cannot reach the program that serves it. If it was stopped, start it again. This page tries again by itself."
          />
        ) : (
          <Spinner label="Opening the repository" />
        )}
      </div>
    </main>
  );
}
