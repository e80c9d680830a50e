import { type FormEvent, useEffect, useState } from "react";
import { clients } from "../../api/client";
import type { DraftModelResponse } from "../../api/conch_pb";
import { useKinds } from "../../api/queries";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { TextField } from "../../ui/TextField";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { openToType } from "../../window/openFiles";
import { goToModel, usePlace } from "../../window/place";
import { makeVersionOf } from "../../window/versionFiles";
import { ErrorBox } from "../../workspace/ErrorBox";
import { nameProblem, OverHTTP } from "../../workspace/ModelName";
import { asSentence, openedRepository, useModelSummary, useWorkspace } from "../../workspace/workspace";
import css from "./NewModelDialog.module.css";
import { ChooseFiles, FilesTaken, Kinds } from "./NewModelFiles";
import { discardFiles, forgetFiles, useNewModel } from "./newModel";

const mostNamed = 12; // files

/** What keeps a model from being loaded here. */
function Note({ text }: { readonly text: string }) {
  if (text === "") return null;
  return (
    <p className={css.lacks} role="note">
      {text}
    </p>
  );
}

interface OfExistingProps {
  readonly name: string;
  readonly files: readonly File[] | undefined;
  readonly onChoose: (name: string) => void;
}

/** What to do where a model has the name. */
function OfTaken({ name, files, onChoose }: OfExistingProps) {
  const models = useWorkspace((state) => state.models);
  let number = 2;
  while (models.has(`${name}_${number}`)) number++;
  const free = `${name}_${number}`;
  return (
    <p className={css.ways} role="note">
      {files ? (
        <ToVersion name={name} files={files} />
      ) : (
        <>
          A new version of <Named text={name} names={[name]} /> is added on its page, in the tab Files.
        </>
      )}
      <Button small onClick={() => onChoose(free)}>
        <Named text={`Use ${free}`} names={[free]} />
      </Button>
    </p>
  );
}

/** Makes the files a version of a model that is there. */
function ToVersion({ name, files }: { readonly name: string; readonly files: readonly File[] }) {
  const make = () => {
    closeNewModel();
    makeVersionOf(name, files);
  };
  return (
    <Button small needs="app" onClick={make}>
      <Named text={`New version of ${name}…`} names={[name]} />
    </Button>
  );
}

/** What was made of the file, to be changed before anything is written. */
function Drafted({ draft, config, onConfig }: DraftedProps) {
  return (
    <>
      <p className={css.what}>
        <b>{draft.label}</b>
        {draft.files.slice(0, mostNamed).map((file) => (
          <code key={file}>{file}</code>
        ))}
        {draft.files.length > mostNamed && `and ${count(draft.files.length - mostNamed, "more file")}`}
      </p>
      <Note text={draft.lacks || draft.needs} />
      <label className={css.field} htmlFor="new-model-config">
        <span>
          config.pbtxt{" "}
          <small className={css.dim}>
            {draft.files.includes("config.pbtxt") ? "from your files" : "made from the file"}
          </small>
        </span>
        <textarea
          id="new-model-config"
          className={css.config}
          spellCheck={false}
          value={config}
          rows={12}
          onChange={(event) => onConfig(event.target.value)}
        />
      </label>
      {draft.note !== "" && <p className={css.dim}>{draft.note}</p>}
    </>
  );
}

interface DraftedProps {
  draft: DraftModelResponse;
  config: string;
  onConfig: (text: string) => void;
}

const createLabel = (draft: DraftModelResponse | undefined, writes: string, lacks: string) => {
  if (!draft) return writes === "" || lacks !== "" ? "Create the folder" : "Create and load";
  return draft.lacks === "" ? "Create and load" : "Create without loading";
};

/** What a model that begins without a file gets. */
const beginning = (writes: string, lacks: string) =>
  writes === "" || lacks !== ""
    ? `Without a file this makes a folder with a config to begin from.${lacks === "" ? " It is loaded when it has what it needs." : ""}`
    : `This makes a folder with a config and a first ${writes} that answers with its input. It opens in the editor.`;

function useForm() {
  const taken = useNewModel((state) => state.taken);
  const draft = taken?.draft;
  const [name, setName] = useState(draft?.name ?? "");
  const [config, setConfig] = useState(draft?.config ?? "");
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    if (!draft) return;
    setName((typed) => typed || draft.name);
    setConfig(draft.config);
    setError(undefined);
  }, [draft]);
  return { taken, draft, name, setName, config, setConfig, error, setError };
}

/** The model whose page is shown, where a version can be added to it. */
function useShown(): string | undefined {
  const summary = useModelSummary(usePlace(({ model }) => model));
  return summary && !summary.servedOnly && !summary.ensemble ? summary.name : undefined;
}

function NewModelForm() {
  const { taken, draft, name, setName, config, setConfig, error, setError } = useForm();
  const { data } = useKinds();
  const kinds = data?.kinds ?? [];
  const closed = asSentence(data?.closed ?? "");
  const [chosen, setChosen] = useState<string>();
  const backend = chosen ?? kinds[0]?.backend ?? "";
  const kind = kinds.find((one) => one.backend === backend);
  const writes = kind?.writes ?? "";
  const isTaken = useModelSummary(name) !== undefined;
  const shown = useShown();
  const problem = isTaken ? `There is a model "${name}" already` : nameProblem(name);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const files = draft ? { upload: taken?.upload ?? "", config } : {};
      const repository = openedRepository();
      const { open } = await clients.models.createModel({ name, backend, repository, ...files });
      forgetFiles();
      closeDialog();
      if (open) openToType(name, open);
      else goToModel(name, "try");
    } catch (refused) {
      setError(refused);
    }
  };
  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      <Note text={closed} />
      {taken ? (
        <FilesTaken taken={taken} />
      ) : (
        <div className={css.invite}>
          <ChooseFiles />
          <span className={css.dim}>
            or drop it anywhere on the window: ONNX, TorchScript, a TensorRT plan. The config is made from it.
            The whole folder of a model can be dropped too.
          </span>
        </div>
      )}
      <label className={css.field} htmlFor="new-model-name">
        <span>Name</span>
        <TextField
          id="new-model-name"
          className={css.name}
          autoFocus
          value={name}
          invalid={problem !== undefined}
          placeholder="my_model"
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <p className={css.problem} role="status">
        {problem && <Named text={problem} names={[name]} />}
      </p>
      {isTaken && <OfTaken name={name} files={taken?.files} onChoose={setName} />}
      {!isTaken && shown && taken?.files && (
        <p className={css.ways} role="note">
          Or <ToVersion name={shown} files={taken.files} />
        </p>
      )}
      {problem === undefined && <OverHTTP className={css.dim} name={name} onChoose={setName} />}
      {draft && <Drafted draft={draft} config={config} onConfig={setConfig} />}
      {!taken && <Kinds kinds={kinds} chosen={backend} onChoose={setChosen} />}
      {!taken && <Note text={kind?.lacks || kind?.needs || ""} />}
      {!taken && <p className={css.dim}>{beginning(writes, kind?.lacks ?? "")}</p>}
      {error !== undefined && <ErrorBox title="The model was not created" error={error} />}
      <div className={css.actions}>
        <Button onClick={closeNewModel}>Cancel</Button>
        <Button
          look="primary"
          type="submit"
          needs="app"
          disabled={
            closed !== "" ||
            name === "" ||
            problem !== undefined ||
            (taken !== undefined && draft === undefined)
          }
        >
          {createLabel(draft, writes, kind?.lacks ?? "")}
        </Button>
      </div>
    </form>
  );
}

function closeNewModel(): void {
  discardFiles();
  closeDialog();
}

/** Makes a model: of a file, or a folder with a config to begin from. */
export function NewModelDialog() {
  const open = useDialogs((dialogs) => dialogs.open === "newModel");
  return (
    <Dialog title="New model" open={open} onClose={closeNewModel} wide>
      <NewModelForm />
    </Dialog>
  );
}
