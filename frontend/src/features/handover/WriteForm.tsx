import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef } from "react";
import { clients } from "../../api/client";
import type { ExportConflict, WriteExportResponse } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { Spinner } from "../../ui/Spinner";
import { TextField } from "../../ui/TextField";
import { ErrorBox } from "../../workspace/ErrorBox";
import { folderPicker } from "../../workspace/openRepository";
import type { Choice } from "./ChoiceForm";
import css from "./HandoverDialog.module.css";

function Conflict({ of }: { of: ExportConflict }) {
  return (
    <li>
      <strong>
        {of.file}, line {of.line}: your edit stays. The export has something else there.
      </strong>
      <span>Yours</span>
      <pre>{of.kept || "(nothing)"}</pre>
      <span>The export's</span>
      <pre>{of.offered || "(nothing)"}</pre>
    </li>
  );
}

const groups = [
  ["Written", "written"],
  ["Written, with your edits", "edited"],
  ["Left as you have it", "kept"],
  ["As before", "same"],
  ["Removed", "removed"],
] as const;

/** What became of each file. */
function Result({ of }: { of: WriteExportResponse }) {
  return (
    <div className={css.result} role="status">
      {groups.map(([word, key]) =>
        of[key].length === 0 ? null : (
          <p key={key}>
            {word}: {of[key].join(", ")}
          </p>
        ),
      )}
      {of.packed.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <small>in {of.folder}</small>
      {of.conflicts.length > 0 && (
        <ul className={css.conflicts} aria-label="Conflicts">
          {of.conflicts.map((conflict) => (
            <Conflict key={`${conflict.file} ${conflict.line}`} of={conflict} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface Props {
  choice: Choice;
  problems: number;
  folder: string;
  onFolder: (folder: string) => void;
}

/** Asks for a folder and writes the files there. Edits made by hand stay. */
export function WriteForm({ choice, problems, folder, onFolder }: Props) {
  const pick = folderPicker("Choose the folder to write to");
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []); // nobody waits for it any more
  const write = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      const { signal } = stop.current;
      return clients.handover.writeExport(
        { choice, folder: folder.trim(), anyway: problems > 0 },
        { signal },
      );
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    write.mutate();
  };
  return (
    <form onSubmit={submit} className={css.write}>
      <div className={css.line}>
        <TextField
          aria-label="Folder to write to"
          placeholder="~/deploy"
          value={folder}
          onChange={(event) => onFolder(event.target.value)}
        />
        {pick && (
          <Button onClick={() => void pick().then((chosen) => chosen && onFolder(chosen))}>Browse…</Button>
        )}
        <Button look="primary" type="submit" needs="app" disabled={write.isPending || folder.trim() === ""}>
          {problems > 0 ? "Write anyway" : "Write the files"}
        </Button>
      </div>
      {write.isPending && choice.pack && (
        <p className={css.packing} role="status">
          <Spinner label="Packing" />
          Packing Python environments. This can take minutes.
          <Button onClick={() => stop.current?.abort()}>Stop</Button>
        </p>
      )}
      {write.error && !stop.current?.signal.aborted && (
        <ErrorBox title="The files were not written" error={write.error} />
      )}
      {write.data && <Result of={write.data} />}
    </form>
  );
}
