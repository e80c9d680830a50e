import { useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import {
  type PlanDeleteResponse,
  PlanDeleteResponse_Serving as Serving,
  type Version,
} from "../../api/conch_pb";
import { bytes, count } from "../../lib/format";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { Spinner } from "../../ui/Spinner";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { fileOf } from "../../workspace/drafts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { readyVersions } from "../../workspace/VersionMenu";
import { asSentence, openedRepository, useModelSummary } from "../../workspace/workspace";
import { deleteFiles, nameOf, usersOf } from "./deleteFiles";
import css from "./files.module.css";

/** What becomes of a model that is loaded, and goes on serving without a file. */
export const keepsText = (model: string, reload: string | undefined): string =>
  reload === "on-save"
    ? `${model} is loaded, and is loaded again after each change of its files, this one too. If that load fails, what is loaded goes on serving.`
    : `${model} is loaded: what it has read goes on serving until it is loaded again. A load without a file that it needs fails.`;

/** What becomes of what is loaded. */
function servingText(
  model: string,
  path: string,
  plan: PlanDeleteResponse,
  reload: string | undefined,
): string | undefined {
  switch (plan.serving) {
    case Serving.UNLOADS:
      return path === ""
        ? `${model} is loaded, and is unloaded first.`
        : `${model} is loaded, and has no other version: it is unloaded first.`;
    case Serving.OTHER_VERSIONS:
      return `Version ${path} serves. Once it is gone, ${model} is loaded again with the versions that are left.`;
    case Serving.KEEPS:
      return keepsText(model, reload);
    case Serving.ELSEWHERE:
      return "A server elsewhere is shown. Where it serves from this folder, Conch does not unload anything there.";
    default:
      return undefined;
  }
}

function inFlightText({ inFlight, serving }: PlanDeleteResponse): string | undefined {
  if (inFlight === 0n) return undefined;
  if (serving === Serving.OTHER_VERSIONS) {
    const begin =
      inFlight === 1n
        ? "1 request is under way in it and goes on"
        : `${inFlight} requests are under way in it and go on`;
    return `${begin}. A program that opens one of these files meanwhile fails.`;
  }
  if (inFlight === 1n) return "1 request is under way: Conch waits until it is answered.";
  return `${inFlight} requests are under way: Conch waits until they are answered.`;
}

/** What goes with a file, a folder or a model, and who needs it. */
export const usePlan = (model: string, path: string) =>
  useQuery({
    queryKey: ["delete", model, path],
    queryFn: ({ signal }) =>
      clients.editor.planDelete({ model, path, repository: openedRepository() }, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

/** What of the config reads a file. */
export const configText = ({ neededBy }: PlanDeleteResponse): string | undefined =>
  neededBy === "" ? undefined : `The config needs it: ${neededBy}. A load without it fails.`;

/** Who reads what goes. */
function neededText(
  path: string,
  plan: PlanDeleteResponse,
  versions: readonly Version[] = [],
): string | undefined {
  const text = configText(plan);
  if (text) return text;
  const version = readyVersions(versions).find(({ number }) => path.startsWith(`${number}/`));
  return version && `It lies in version ${version.number}, which serves.`;
}

/** What else changes when a model, or what it serves from, goes. */
function usersText(model: string, path: string, plan: PlanDeleteResponse, needed: boolean): string[] {
  const stops = path === "" || plan.serving === Serving.UNLOADS;
  const { ensembles, serving: fallen, callers } = usersOf(model);
  if (!stops)
    return needed && ensembles.length > 0
      ? [
          `${ensembles.length === 1 ? "An ensemble uses" : "Ensembles use"} ${model}: ${ensembles.join(", ")}.`,
        ]
      : [];
  const texts: string[] = [];
  if (fallen.length > 0)
    texts.push(
      `${fallen.length === 1 ? "An ensemble" : "Ensembles"} cannot serve without it: ${fallen.join(", ")}.`,
    );
  const idle = ensembles.filter((name) => !fallen.includes(name));
  if (idle.length > 0) {
    const who =
      idle.length === 1 ? "An ensemble that does not serve now uses" : "Ensembles that do not serve now use";
    texts.push(`${who} it: ${idle.join(", ")}.`);
  }
  if (callers.length > 0) texts.push(`Programs that have called it: ${callers.join(", ")}.`);
  return texts;
}

function Goes({ path, plan }: { path: string; plan: PlanDeleteResponse }) {
  const { place, link, files, trash, copied } = plan;
  const more = plan.count - files.length;
  return (
    <>
      <p className={css.place}>
        <code>{place}</code>
      </p>
      {link !== "" ? (
        <p>
          This is a link to <code>{link}</code>. The link goes, and what it points to stays.
        </p>
      ) : (
        <p>
          {files.length > 0 || path === ""
            ? `${count(plan.count, "file")}, ${bytes(plan.bytes)}:`
            : bytes(plan.bytes)}
        </p>
      )}
      {files.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long list has to be scrolled with the keyboard
        <ul className={css.adding} tabIndex={0} aria-label="Files that go">
          {files.map((file) => (
            <li key={file}>
              <code>{file}</code>
            </li>
          ))}
          {more > 0 && <li>and {count(more, "more file")}</li>}
        </ul>
      )}
      <p className={css.hint}>
        {copied
          ? "It is copied to the trash, which is on another disk, and then removed here: "
          : "It is moved to the trash: "}
        <code>{trash}</code>. Undo in the message that follows puts it back.
      </p>
    </>
  );
}

/** What a person should know before it goes. */
function Consequences({ model, path, plan }: { model: string; path: string; plan: PlanDeleteResponse }) {
  const summary = useModelSummary(model);
  const needed = neededText(path, plan, summary?.versions);
  const texts = [
    servingText(model, path, plan, summary?.reload),
    needed,
    inFlightText(plan),
    ...usersText(model, path, plan, needed !== undefined),
    plan.drafts.length > 0
      ? `Unsaved text of ${plan.drafts.map(fileOf).join(", ")} goes too; Undo brings it back.`
      : undefined,
  ].filter((text) => text !== undefined);
  if (texts.length === 0) return null;
  const { ensembles, callers } = usersOf(model);
  const names = [model, ...ensembles, ...callers, ...plan.drafts.map(fileOf)];
  return (
    <ul className={css.consequences}>
      {texts.map((text) => (
        <li key={text}>
          <Named text={text} names={names} />
        </li>
      ))}
    </ul>
  );
}

/** Says what goes with a file, a folder or a model, and deletes it once a person agrees. */
export function DeleteDialog() {
  const model = useDialogs((state) => state.model) ?? "";
  const path = useDialogs((state) => state.path) ?? "";
  return <Question key={`${model}/${path}`} model={model} path={path} />;
}

function Question({ model, path }: { model: string; path: string }) {
  const plan = usePlan(model, path);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const { data } = plan;
  const problem = data?.problem ?? "";
  const run = async () => {
    if (!data) return;
    setBusy(true);
    setError(undefined);
    stop.current = new AbortController();
    try {
      await deleteFiles(
        model,
        path,
        data.drafts.map(({ version }) => version),
        stop.current.signal,
      );
      closeDialog();
    } catch (refused) {
      setBusy(false);
      setError(refused);
      void plan.refetch();
    }
  };
  const name = nameOf(model, path);
  return (
    <Dialog
      open
      title={<Named text={`Delete ${name}?`} names={[path === "" ? model : name]} />}
      onClose={closeDialog}
      footer={
        <>
          <Button autoFocus onClick={closeDialog}>
            Cancel
          </Button>
          <Button
            look="primary"
            needs="app"
            disabled={busy || !data || problem !== ""}
            onClick={() => void run()}
          >
            Move to the trash
          </Button>
        </>
      }
    >
      <div className={css.ask}>
        {plan.isPending && <Spinner label="Looking at what goes" />}
        {plan.error && <ErrorBox title="Conch could not look at what goes" error={plan.error} />}
        {data && problem === "" && <Goes path={path} plan={data} />}
        {problem !== "" && (
          <Banner tone="err" icon={<TriangleAlert aria-hidden="true" />}>
            {asSentence(problem)}
          </Banner>
        )}
        {data && problem === "" && <Consequences model={model} path={path} plan={data} />}
        {busy && <p role="status">Deleting. Cancel stops that, and nothing is deleted.</p>}
        {error !== undefined && <ErrorBox title="Nothing was deleted" error={error} />}
      </div>
    </Dialog>
  );
}
