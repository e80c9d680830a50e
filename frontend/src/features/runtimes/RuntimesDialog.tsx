import { useMutation, useQuery } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { clients } from "../../api/client";
import type { Runtime } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { bytes } from "../../lib/format";
import { sentence } from "../../lib/sentence";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Row, Rows } from "../../ui/Rows";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { toast, toastError } from "../../window/toasts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { adviceParts, notHere } from "./builds";
import { Offer } from "./Install";
import css from "./RuntimesDialog.module.css";

/** The name of the one that comes with Conch. */
const bundled = "bundled";

/** Makes engines use a build from now on: the one that runs is started again. */
async function choose(name: string): Promise<void> {
  await clients.workspace.chooseRuntime({ name });
  try {
    await clients.workspace.restartEngine({});
  } catch {
    toast({ level: "info", text: `The next engine uses ${name}` });
  }
}

/** A line about what is missing. What a shell takes of it can be copied. */
function Advice({ line }: { readonly line: string }) {
  const [before, command] = adviceParts(line);
  if (command === "") return <small>{before}</small>;
  return (
    <small className={css.advice}>
      {before} <code>{command}</code>
      <Button
        small
        look="ghost"
        icon={<Copy />}
        aria-label={`Copy ${command}`}
        onClick={() => {
          void copyText(command)
            .then(() => toast({ level: "info", text: "The command is copied" }))
            .catch((error) => toastError("It was not copied", error));
        }}
      >
        Copy
      </Button>
    </small>
  );
}

function Facts({ of }: { of: Runtime }) {
  return (
    <>
      <strong>
        <span className="mono">{of.name}</span> {of.used && "· in use"}
      </strong>
      {of.error ? <span>Cannot be used: {of.error}</span> : <span>{of.providers.join(", ")}</span>}
      {of.unasked && <small>It has not said what it is: {of.unasked}</small>}
      <small title={of.library}>
        {[of.version && `ONNX Runtime ${of.version}`, of.bytes > 0n && bytes(of.bytes)]
          .filter(Boolean)
          .join(" · ")}
      </small>
      {of.doubt && <small>{sentence(of.doubt, new Set())}</small>}
      {of.silence && <small>It does not say which devices there are: {of.silence}</small>}
      {of.unfit && <small>Its GPU part does not run here: {of.unfit}</small>}
      {[...of.missing.map(({ text }) => text), ...of.advice].map((line) => (
        <Advice key={line} line={line} />
      ))}
    </>
  );
}

const choosable = ({ installed, name }: Runtime) => installed || name === bundled;

/** told is the variable that names the library for this start, if one does. It comes before every choice. */
function Build({ of, told, onChanged }: { of: Runtime; told?: string; onChanged: () => void }) {
  const choice = useMutation({
    mutationFn: () => choose(of.name),
    onSuccess: onChanged,
    onError: (error) => toastError(`${of.name} was not chosen`, error),
  });
  const removal = useMutation({
    mutationFn: () => clients.workspace.removeRuntime({ name: of.name }),
    onSuccess: onChanged,
    onError: (error) => toastError(`${of.name} was not removed`, error),
  });
  const busy = choice.isPending || removal.isPending;
  return (
    <Row what={<Facts of={of} />}>
      {choosable(of) && !of.used && (
        <Button
          small
          needs="app"
          disabled={busy || of.error !== "" || told !== undefined}
          title={told ? `${told} is set: start Conch without it to choose a build` : "Restarts the engine"}
          onClick={() => choice.mutate()}
        >
          Use
        </Button>
      )}
      {of.installed && (
        <Button small needs="app" disabled={busy || of.used} onClick={() => removal.mutate()}>
          Remove
        </Button>
      )}
    </Row>
  );
}

function Runtimes() {
  const list = useQuery({
    queryKey: ["runtimes"],
    queryFn: ({ signal }) => clients.workspace.listRuntimes({}, { signal }),
    staleTime: 0,
  });
  const again = () => void list.refetch();
  if (list.error) {
    return (
      <ErrorBox title="The builds of ONNX Runtime could not be read" error={list.error} onRetry={again} />
    );
  }
  if (!list.data) return <p className={css.gpu}>Asking each library what it is…</p>;
  const { here, offered, trouble, gpu } = list.data;
  const left = notHere(offered, here);
  const told = here.find((one) => one.used && !choosable(one))?.name;
  return (
    <div className={css.body}>
      <p className={css.gpu}>This machine: {gpu}</p>
      <h3>Here</h3>
      {trouble && <p>None can be used: {trouble}</p>}
      <Rows>
        {here.map((of) => (
          <Build key={of.name} of={of} told={told} onChanged={again} />
        ))}
      </Rows>
      {left.length > 0 && (
        <>
          <h3>To install</h3>
          {told && (
            <p className={css.gpu}>
              {told} is set and names the library that runs. What is installed here is used when Conch is
              started without it.
            </p>
          )}
          <Rows>
            {left.map((of) => (
              <Offer key={of.name} of={of} onDone={again} />
            ))}
          </Rows>
        </>
      )}
    </div>
  );
}

/** The builds of ONNX Runtime: which are here, which one engines use, and what can be installed. */
export function RuntimesDialog() {
  const open = useDialogs((state) => state.open === "runtimes");
  return (
    <Dialog
      title="ONNX Runtime"
      description="The library that runs ONNX models. Builds for a GPU are installed beside the one that comes with Conch."
      open={open}
      onClose={closeDialog}
      wide
    >
      {open && <Runtimes />}
    </Dialog>
  );
}
