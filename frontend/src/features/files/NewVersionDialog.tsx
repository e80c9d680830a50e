import { useState } from "react";
import { clients } from "../../api/client";
import type { ModelFile } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { FilesButton } from "../../ui/FilesButton";
import { Named } from "../../ui/Named";
import { Segmented } from "../../ui/Segmented";
import { hasDraft } from "../../workspace/drafts";
import { useFindings } from "../../workspace/findings";
import { openedRepository, useWorkspace } from "../../workspace/workspace";
import { Added } from "./Added";
import { AskDialog } from "./AskDialog";
import css from "./files.module.css";
import { firstFile, type NewDialogProps } from "./NewFileDialog";
import { namesIn, useModelNames } from "./names";
import { tellNewVersion, undoVersion } from "./newVersion";
import { useAdding } from "./useAdding";
import { versionsOf } from "./versions";

/** What a version begins with. */
type Begins = "program" | "files" | "nothing";

const SERVED =
  "Unless the config says otherwise, the highest version is served. The one before goes on serving until the new one is loaded.";
const EMPTY =
  "Only a backend without a model file loads an empty version. Any other model is not loaded again until the file is there: what is loaded goes on serving, but not once the engine is started again.";

/** Triton reads the names of version folders as signed numbers of 64 bits. */
const HIGHEST = 2n ** 63n - 1n;

function problemOf(number: string, versions: readonly number[]): string | undefined {
  if (number === "") return undefined;
  if (!/^[1-9]\d*$/.test(number)) return "A version is a whole number from 1 on";
  if (BigInt(number) > HIGHEST) return `A version is a number up to ${HIGHEST.toLocaleString("en")}`;
  return versions.includes(Number(number)) ? `There is a version ${number} already` : undefined;
}

/** What is in the newest version that is not empty. */
function newestFiles(files: readonly ModelFile[]): readonly ModelFile[] {
  const inside = (version: number) =>
    files.filter(({ path }) => path.startsWith(`${version}/`) && path !== `${version}/`);
  return (
    versionsOf(files)
      .map(inside)
      .findLast(({ length }) => length > 0) ?? []
  );
}

const isProgram = ({ path, text }: ModelFile) => text && path.endsWith(".py");

/** The newest program, where its version has nothing else: what it reads or imports from beside it would be missing in a copy. */
function newestProgram(files: readonly ModelFile[]): { program?: string | undefined; whyNone?: string } {
  const newest = newestFiles(files);
  if (!newest.some(isProgram)) return {};
  if (newest.length === 1) return { program: newest[0]?.path };
  const folder = newest[0]?.path.replace(/\/.*/, "/");
  return {
    whyNone: `${folder} has ${count(newest.length, "file")}, so no copy of one program is offered: add them all.`,
  };
}

/** The text that a copy of a program gets: what is saved, or what was typed since. */
async function readProgram(model: string, path: string, unsaved: boolean): Promise<string> {
  const repository = openedRepository();
  if (unsaved) return (await clients.editor.readDraft({ model, path, repository })).draft?.text ?? "";
  const { text, readOnly, note } = await clients.editor.readFile({ model, path, repository });
  if (readOnly) throw new Error(`${path} cannot be copied as it is: ${note}. Add the file instead.`);
  return text;
}

type VersionProps = NewDialogProps & {
  /** Files that were chosen before, elsewhere. */
  readonly adding?: readonly File[] | undefined;
};

/** Makes a version folder, which appears with what it begins with. */
export function NewVersionDialog({ model, files, adding, onClose }: VersionProps) {
  const versions = versionsOf(files);
  const [number, setNumber] = useState(String((versions.at(-1) ?? 0) + 1));
  const { program, whyNone } = newestProgram(files);
  const first = firstFile(useFindings(), model, (path) => path.startsWith(`${number}/`));
  const hasProgram = program !== undefined || first !== undefined;
  const [picked, setBegins] = useState<Begins>(hasProgram && !adding ? "program" : "files");
  const begins = picked === "program" && !hasProgram ? "files" : picked; // a first program has a number
  const [chosen, setChosen] = useState<readonly File[]>(adding ?? []);
  const edited = useWorkspace((state) => program !== undefined && hasDraft(state, model, program));
  const [unsaved, setUnsaved] = useState(true);
  const { sent, add } = useAdding(model, chosen);
  const names = namesIn(number, chosen, files, useModelNames(model));
  const run = async () => {
    const repository = openedRepository();
    if (begins === "files") {
      if (!(await add(number, names, undoVersion(model, number)))) return;
    } else if (begins === "program" && program !== undefined) {
      const path = program.replace(/^\d+/, number);
      const text = await readProgram(model, program, edited && unsaved);
      await clients.editor.createFile({ model, path, text, repository });
    } else if (begins === "program" && first !== undefined) {
      await clients.editor.createFile({ model, path: first.path, text: first.text, repository });
    } else {
      await clients.editor.createFolder({ model, path: number, repository });
    }
    if (begins !== "files") tellNewVersion(model, number);
    onClose();
  };
  return (
    <AskDialog
      title="New version"
      label="Number"
      value={number}
      onChange={setNumber}
      problem={problemOf(number, versions)}
      unfinished={number === "" || (begins === "files" && chosen.length === 0)}
      action={`Create ${number}/`}
      failed="The version was not created"
      run={run}
      onClose={onClose}
    >
      <Segmented<Begins>
        label="It begins with"
        value={begins}
        onChange={setBegins}
        options={[
          ...(hasProgram
            ? [
                {
                  value: "program" as const,
                  label: program === undefined ? "A first program" : `A copy of ${program}`,
                },
              ]
            : []),
          { value: "files", label: "Files of this machine" },
          { value: "nothing", label: "Nothing yet" },
        ]}
      />
      {begins === "program" && program !== undefined && edited && (
        <Unsaved program={program} checked={unsaved} onChange={setUnsaved} />
      )}
      {begins === "files" && (
        <div>
          <FilesButton small disabled={sent !== undefined} of="Files of the version" onFiles={setChosen}>
            Choose files…
          </FilesButton>
        </div>
      )}
      {begins === "files" && chosen.length > 0 ? (
        <Added files={chosen} names={names} into={`${number}/`} sent={sent} hint={SERVED} />
      ) : (
        <p className={css.hint}>
          {begins === "nothing" ? EMPTY : [whyNone, SERVED].filter(Boolean).join(" ")}
        </p>
      )}
    </AskDialog>
  );
}

interface UnsavedProps {
  program: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

/** Which text of an edited program is copied. What was typed stays unsaved where it was. */
function Unsaved({ program, checked, onChange }: UnsavedProps) {
  return (
    <div>
      <label className={css.check}>
        <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
        With the unsaved changes
      </label>
      <p className={css.hint}>
        <Named
          text={
            checked
              ? `${program} has unsaved changes. They go into the copy, and stay unsaved in the file itself.`
              : `The copy has the text of ${program} that is saved. Its unsaved changes stay where they are.`
          }
          names={[program]}
        />
      </p>
    </div>
  );
}
