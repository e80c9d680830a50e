import { ChevronDown, Ellipsis, Play, RotateCw, X } from "lucide-react";
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { patchTry, tryOf, useTries, versionToAsk } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { Chip, type Tone } from "../../ui/Chip";
import { Menu } from "../../ui/Menu";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Tooltip } from "../../ui/Tooltip";
import { openDialog } from "../../window/dialogs";
import { useBlocker } from "../../workspace/blocker";
import { core } from "../../workspace/findings";
import { useLoad } from "../../workspace/LoadUnderWay";
import { LostGpuChip } from "../../workspace/LostGpu";
import { askUnload, loadModel, reloadModel, stopLoad, useModelActions } from "../../workspace/modelActions";
import { ProblemText } from "../../workspace/ProblemText";
import { stateWord } from "../../workspace/StateIcon";
import { useSavedReason } from "../../workspace/savedReason";
import { useIsTold } from "../../workspace/told";
import { selectAsksTrust } from "../../workspace/trust";
import { readyVersions, VersionMenu } from "../../workspace/VersionMenu";
import { asSentence, useWorkspace } from "../../workspace/workspace";
import { changedTitle } from "./changedTitle";
import { ElsewhereChip } from "./ElsewhereChip";
import { Facts } from "./Facts";
import css from "./ModelHeader.module.css";
import { cannotRun, Eject, isLoaded, isMoving, moreMenu } from "./menu";
import { OfferBanner } from "./OfferBanner";
import { OlderServesChip } from "./OlderServesChip";
import { Reason } from "./Reason";
import { RefusalBanner } from "./RefusalBanner";

const tones: Record<ModelState, Tone> = {
  [ModelState.UNSPECIFIED]: "neutral",
  [ModelState.UNLOADED]: "neutral",
  [ModelState.LOADING]: "accent",
  [ModelState.READY]: "ok",
  [ModelState.OLDER_SERVES]: "ok",
  [ModelState.UNLOADING]: "accent",
  [ModelState.FAILED]: "err",
  [ModelState.DIED]: "err",
  [ModelState.UNTRUSTED]: "warn",
  [ModelState.NOT_RUNNABLE]: "warn",
  [ModelState.WAITING]: "accent",
};

/** The version that requests go to; with several of them, which one can be chosen. */
function VersionChip({ model: { name, versions } }: { model: ModelSummary }) {
  const chosen = useTries((state) => versionToAsk(tryOf(name)(state), versions));
  const shown =
    versions.find(({ number }) => number === chosen) ?? readyVersions(versions).at(-1) ?? versions.at(-1);
  if (!shown) return null;
  if (versions.length === 1) {
    const words = `Version ${shown.number}`;
    return (
      <Chip className={css.version} title={words}>
        {words}
      </Chip>
    );
  }
  return (
    <VersionMenu
      versions={versions}
      chosen={chosen}
      onChoose={(version) => patchTry(name, { version })}
      trigger={
        <button
          type="button"
          className={css.versions}
          aria-label={`Version ${shown.number}: choose one of ${versions.length} versions`}
        >
          <Chip>
            Version {String(shown.number)} <ChevronDown className={css.chevron} aria-hidden="true" />
          </Chip>
        </button>
      }
    />
  );
}

/** A load that runs, beside what serves meanwhile. */
function LoadChip({ model }: { model: ModelSummary }) {
  const { text, took } = useLoad(model);
  if (!text) return null;
  const words = isLoaded(model) ? `Reloading, ${took}: ${text}` : `${asSentence(text)} · ${took}`;
  return (
    <Chip tone="accent" className={css.reason} title={words} data-loading={model.name}>
      {words}
    </Chip>
  );
}

/** A load says itself what it does, and a banner says what is wrong with the engine. */
const isSaidElsewhere = ({ state }: ModelSummary) =>
  state === ModelState.LOADING || state === ModelState.UNSPECIFIED;

/** What is typed would load, perhaps; the file on disk does not. */
const NotSaved = () => (
  <Chip
    tone="warn"
    title="The model was loaded from the file on disk. Save the edit, and it is loaded again."
  >
    Edited, not saved
  </Chip>
);

function StateChips({ model }: { model: ModelSummary }) {
  // What was just refused is explained below the header, once. The model may have failed for another reason since.
  const refused = useModelActions((state) => state.refused[model.name]?.reason.includes(core(model.reason)));
  const { useful, unsaved } = useSavedReason(model);
  const told = useIsTold(useful ?? model.reason);
  const asks = useWorkspace(selectAsksTrust);
  if (model.state === ModelState.OLDER_SERVES) {
    return (
      <>
        <Chip tone="ok">Ready</Chip>
        <LoadChip model={model} />
        <ElsewhereChip elsewhere={model.elsewhere} />
        <OlderServesChip model={model} useful={useful} told={told} />
        {unsaved && <NotSaved />}
      </>
    );
  }
  const asked = asks && model.state === ModelState.UNTRUSTED; // the banner says it
  const reason = refused || asked || isSaidElsewhere(model) ? "" : model.reason;
  const why = reason && <Reason model={model} useful={useful} />;
  const bad = [ModelState.FAILED, ModelState.DIED, ModelState.NOT_RUNNABLE].includes(model.state);
  return (
    <>
      {told && why ? (
        <Tooltip content={why}>
          <Chip tone={tones[model.state]} className={css.state} tabIndex={0}>
            {stateWord[model.state]}
          </Chip>
        </Tooltip>
      ) : (
        <Chip tone={tones[model.state]} className={css.state}>
          {stateWord[model.state]}
        </Chip>
      )}
      {unsaved && <NotSaved />}
      <LoadChip model={model} />
      <ElsewhereChip elsewhere={model.elsewhere} />
      {model.fromClient && (
        <Chip
          tone="accent"
          title="A client loaded this model with a config of its own. Reload takes the config of the file."
        >
          A client's config
        </Chip>
      )}
      {model.filesChanged && (
        <Chip tone="accent" title={changedTitle(model.changedImports)}>
          Files changed
        </Chip>
      )}
      {why && !told && (
        <Tooltip content={why}>
          <Chip tone={bad ? tones[model.state] : "neutral"} className={css.reason} tabIndex={0}>
            <ProblemText text={useful ?? asSentence(reason)} />
          </Chip>
        </Tooltip>
      )}
    </>
  );
}

function Actions({ model }: { model: ModelSummary }) {
  const pending = useModelActions((state) => state.pending[model.name]);
  const stopping = useModelActions((state) => state.stopping.has(model.name));
  const off = cannotRun(model);
  const blocker = useBlocker(model);
  const busy = pending !== undefined || isMoving(model);
  if (model.state === ModelState.LOADING) {
    return (
      <Button icon={<X />} needs="engine" disabled={stopping} onClick={() => void stopLoad(model.name)}>
        Stop loading
      </Button>
    );
  }
  if (!isLoaded(model)) {
    return (
      <Button
        icon={<Play />}
        needs="engine"
        disabled={busy || off}
        title={off ? model.reason : blocker && `A load fails like this. ${asSentence(blocker.text)}`}
        onClick={() => void loadModel(model.name)}
      >
        Load
      </Button>
    );
  }
  return (
    <>
      {model.loadingSince > 0n ? (
        <Button
          icon={<X />}
          needs="engine"
          disabled={stopping}
          title="End this load; what was loaded before keeps serving"
          onClick={() => void stopLoad(model.name)}
        >
          Stop
        </Button>
      ) : (
        <Button
          icon={<RotateCw />}
          needs="engine"
          disabled={busy}
          onClick={() => void reloadModel(model.name)}
        >
          Reload
        </Button>
      )}
      <Button icon={<Eject />} needs="engine" disabled={busy} onClick={() => askUnload(model.name)}>
        Unload
      </Button>
    </>
  );
}

/** Name, state and the three verbs of a model; a refusal is explained right below. */
export function ModelHeader({ model }: { model: ModelSummary }) {
  return (
    <>
      <header className={css.head}>
        <h1
          className={css.name}
          title="Double-click or F2 to rename"
          onDoubleClick={() => openDialog("renameModel", model.name)}
        >
          <MiddleTruncate text={model.name} />
        </h1>
        <div className={css.chips}>
          <VersionChip model={model} />
          <StateChips model={model} />
          <LostGpuChip model={model} />
          {model.uses.length > 0 && isLoaded(model) && (
            <Chip
              className={css.uses}
              title={`The models of its steps. They are loaded with it:\n${model.uses.join("\n")}`}
            >
              Uses <span className="mono">{model.uses.join(", ")}</span>
            </Chip>
          )}
        </div>
        <Facts model={model} />
        <div className={css.actions}>
          <Actions model={model} />
          <Menu
            align="end"
            trigger={<Button look="ghost" aria-label="More" icon={<Ellipsis />} />}
            groups={moreMenu(model)}
          />
        </div>
      </header>
      <RefusalBanner model={model} />
      <OfferBanner model={model} />
    </>
  );
}
