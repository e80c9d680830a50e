import { useMutation } from "@tanstack/react-query";
import { Copy } from "lucide-react";
import { clients } from "../../api/client";
import type { Runtime } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { bytes } from "../../lib/format";
import { sentence } from "../../lib/sentence";
import { Asked, useAsked } from "../../ui/Asked";
import { Button } from "../../ui/Button";
import { Row } from "../../ui/Rows";
import { toast, toastError } from "../../window/toasts";
import { useWorkspace } from "../../workspace/workspace";
import { adviceParts, choosable, usage, usedThen } from "./builds";
import css from "./RuntimesDialog.module.css";

/** Makes engines use a build from now on, and says so: the one that runs is started again. */
async function choose(name: string): Promise<string> {
  await clients.workspace.chooseRuntime({ name });
  return clients.workspace.restartEngine({}).then(
    () => `The engine uses ${name}`,
    () => `The next engine uses ${name}`,
  );
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

const wordsOf = {
  "": "",
  now: "· in use",
  next: "· from the next start of the engine on",
  still: "· the engine that runs has it open",
};

function Facts({ of, use }: { readonly of: Runtime; readonly use: keyof typeof wordsOf }) {
  return (
    <>
      <strong>
        <span className="mono">{of.name}</span> {wordsOf[use]}
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

interface Props {
  readonly of: Runtime;
  readonly here: readonly Runtime[];
  /** The variable that names the library for this start, if one does. It comes before every choice. */
  readonly told?: string | undefined;
  /** It was just installed: what comes next is its use. */
  readonly isNew: boolean;
  /** It was chosen or removed; the text says so. */
  readonly onChanged: (text: string) => void;
}

/** Why a build cannot be chosen now, or what choosing it does. */
function aboutUse({ error }: Runtime, told: string | undefined): string {
  if (told) return `${told} is set: start Conch without it to choose a build`;
  return error === "" ? "Restarts the engine" : `It cannot be used: ${error}`;
}

export function Build({ of, here, told, isNew, onChanged }: Props) {
  const [asked, ask] = useAsked();
  const use = useWorkspace(({ engine }) => usage(of, engine?.runtimeLibrary ?? ""));
  const choice = useMutation({
    mutationFn: () => choose(of.name),
    onSuccess: onChanged,
    onError: (error) => toastError(`${of.name} was not chosen`, error),
  });
  const removal = useMutation({
    mutationFn: () => clients.workspace.removeRuntime({ name: of.name }),
    onSuccess: ({ text }) => onChanged(text),
    onError: (error) => {
      ask(false);
      toastError(`${of.name} was not removed`, error);
    },
  });
  const busy = choice.isPending || removal.isPending;
  return (
    <Row
      what={
        <>
          <Facts of={of} use={use} />
          {asked && (
            <small role="status">
              Removing it frees {bytes(of.bytes)}. {usedThen(of, here, told)}
            </small>
          )}
        </>
      }
    >
      {choosable(of) && use !== "now" && !asked && (
        <Button
          small
          needs="app"
          autoFocus={isNew}
          aria-label={`Use ${of.name}`}
          disabled={busy || of.error !== "" || told !== undefined}
          title={aboutUse(of, told)}
          onClick={() => choice.mutate()}
        >
          Use
        </Button>
      )}
      {of.installed && (
        <Asked
          careful
          of={of.name}
          look="danger"
          asked={asked}
          onAsk={ask}
          label="Remove…"
          action="Remove"
          disabled={busy || of.used}
          title={of.used ? "Engines use it: choose another one first, with its Use" : undefined}
          onYes={() => removal.mutate()}
        />
      )}
    </Row>
  );
}
