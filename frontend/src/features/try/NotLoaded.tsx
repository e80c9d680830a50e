/** Says why a request would be refused now, and offers to load the model. */
import { type Engine, type GetModelResponse, ModelState, type ModelSummary } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { bytes, clock, middle } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { Words } from "../../ui/Words";
import { goToModel } from "../../window/place";
import { BlockerActions } from "../../workspace/BlockerActions";
import { useBlocker } from "../../workspace/blocker";
import { hasDraft } from "../../workspace/drafts";
import { loadModel, useModelActions } from "../../workspace/modelActions";
import { identifiersIn } from "../../workspace/modelsIn";
import type { Room } from "../../workspace/room";
import { RunHereButton, useStrictText } from "../../workspace/StrictGpu";
import { TrustButton } from "../../workspace/TrustButton";
import { useIsTold, useTelling } from "../../workspace/told";
import { selectAsksTrust } from "../../workspace/trust";
import { useRoom } from "../../workspace/useRoom";
import { asSentence, useModelSummary, useWorkspace } from "../../workspace/workspace";
import css from "./try.module.css";

const words: Partial<Record<ModelState, string>> = {
  [ModelState.WAITING]: "waits to be loaded again, so requests would be refused now.",
  [ModelState.UNLOADED]: "is not loaded, so requests would be refused.",
  [ModelState.FAILED]: "did not load, so requests would be refused.",
  [ModelState.UNTRUSTED]: "waits for trust, so requests would be refused.",
  [ModelState.NOT_RUNNABLE]: "cannot run in this engine; requests would be refused.",
};

/** What is said of a model whose processes died, and when they are started again. */
function diedText({ instances, startsAgain }: ModelSummary): string {
  const ended = instances > 1 ? "all its processes ended" : "its process ended";
  if (startsAgain === 0n) return `cannot answer now: ${ended}. Conch is starting it again.`;
  return `cannot answer now: ${ended}. Conch starts it again at ${clock(startsAgain)}.`;
}

/** What is said of a model that keeps an ensemble from serving. */
const blocked: Partial<Record<ModelState, string>> = {
  [ModelState.FAILED]: "did not load.",
  [ModelState.DIED]: "died, and is started again.",
  [ModelState.UNTRUSTED]: "waits for trust.",
  [ModelState.NOT_RUNNABLE]: "cannot run in this engine.",
};

type Models = ReadonlyMap<string, ModelSummary>;

/** The model that keeps an ensemble from loading, also one of an ensemble in it. Those that are only unloaded are loaded with it. */
export function brokenPart(
  models: Models,
  model: ModelSummary | undefined,
  seen: Set<string> = new Set(),
): ModelSummary | undefined {
  if (model) seen.add(model.name); // ensembles may contain each other
  for (const name of model?.uses ?? []) {
    const part = models.get(name);
    if (!part || seen.has(name)) continue;
    const deeper = brokenPart(models, part, seen);
    if (deeper) return deeper;
    if (blocked[part.state]) return part;
  }
  return undefined;
}

const loadable = [ModelState.WAITING, ModelState.UNLOADED, ModelState.FAILED];
const large = 256e6; // bytes; smaller ones find room nearly everywhere

/** Whether there is room for it, where that is a question. */
function roomText({ needs, on, text }: Room, engine: Engine | undefined): string {
  const isQuestion = needs > large || on?.length === 0 || (engine?.gpus.length ?? 0) > 0;
  if (needs === 0 || !on || !isQuestion) return "";
  const size = needs > large ? `Its files have ${bytes(needs)}. ` : "";
  return `${size}${ended(asSentence(text))}`;
}

/** With a full stop, unless it ends already. */
const ended = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

const cannotLoad = [ModelState.FAILED, ModelState.UNLOADED, ModelState.NOT_RUNNABLE];

export function NotLoaded({ details }: { readonly details: GetModelResponse }) {
  const name = details.summary?.name ?? "";
  const live = useModelSummary(name);
  const pending = useModelActions((state) => state.pending[name]);
  const state = (live ?? details.summary)?.state ?? ModelState.UNSPECIFIED;
  const sentence = live && state === ModelState.DIED ? diedText(live) : words[state];
  const broken = useWorkspace(({ models }) =>
    cannotLoad.includes(state) ? brokenPart(models, live) : undefined,
  );
  const asked = useWorkspace(selectAsksTrust);
  const engine = useWorkspace((state) => state.engine);
  const room = useRoom(loadable.includes(state) ? details : undefined);
  const blocker = useBlocker(live);
  const edited = useWorkspace((state) => hasDraft(state, name));
  // What was just refused is explained below the header, once.
  const refused = useModelActions((state) => state.refused[name] !== undefined);
  const withoutStrict = live && !refused ? live.withoutStrict || (room?.withoutStrict ?? "") : "";
  const strict = useStrictText({ withoutStrict });
  const told = useIsTold(blocker?.text, ["list"]);
  const why = sentence && broken === undefined && !told && blocker ? blocker.text : "";
  useTelling("note", [why]);
  if (!sentence) return null;
  const short = middle(name, 40);
  // What is wrong in its own config comes first: in a circle of ensembles each one waits for another.
  if (broken !== undefined && !blocker?.problem)
    return (
      <div className={css.notLoaded} role="status">
        <span title={name}>
          <Named
            text={`${short} cannot serve: its model ${middle(broken.name, 40)} ${blocked[broken.state]}`}
            names={[short, middle(broken.name, 40)]}
          />
        </span>
        <Button small onClick={() => goToModel(broken.name)}>
          <Named text={`Show ${middle(broken.name, 24)}`} names={[middle(broken.name, 24)]} />
        </Button>
      </div>
    );
  const isOff = pending !== undefined;
  if (live && blocker && state !== ModelState.DIED)
    return (
      <div className={cx(css.notLoaded, css.blocked)} role="status">
        <span title={name}>
          <Words
            text={`${short} cannot be loaded like this. ${asSentence(why)}`}
            names={[short, ...identifiersIn(why)]}
          />
        </span>
        <span className={css.ways}>
          <BlockerActions model={live} blocker={blocker} />
          <Button small needs="engine" disabled={isOff} onClick={() => void loadModel(name)}>
            Load anyway
          </Button>
        </span>
      </div>
    );
  return (
    <div className={css.notLoaded} role="status">
      <span title={name}>
        <span className="mono">{short}</span> {sentence}{" "}
        {strict || (!refused && room && roomText(room, engine))}
        {edited && loadable.includes(state) && " Save its changes first: a load reads the files."}
      </span>
      <RunHereButton model={{ name, withoutStrict }} />
      {state === ModelState.UNTRUSTED && !asked && <TrustButton />}
      {loadable.includes(state) && (
        <Button small needs="engine" disabled={isOff} onClick={() => void loadModel(name)}>
          Load it
        </Button>
      )}
    </div>
  );
}
