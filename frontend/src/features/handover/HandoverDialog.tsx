import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clients } from "../../api/client";
import type { PrepareExportResponse } from "../../api/conch_pb";
import { Dialog } from "../../ui/Dialog";
import { Spinner } from "../../ui/Spinner";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { ErrorBox } from "../../workspace/ErrorBox";
import { type Choice, ChoiceForm, needsStorage } from "./ChoiceForm";
import { Files } from "./Files";
import css from "./HandoverDialog.module.css";
import { PackBox } from "./PackBox";
import { Problems } from "./Problems";
import { WriteForm } from "./WriteForm";

interface PreparedProps {
  of: PrepareExportResponse;
  choice: Choice;
  folder: string;
  onFolder: (folder: string) => void;
}

/** What the export would be: first what would not run there, then what to know, then the files. */
function Prepared({ of, choice, folder, onFolder }: PreparedProps) {
  return (
    <>
      <Problems list={of.problems} choice={choice} />
      <ul className={css.notes} aria-label="What to know">
        {of.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <Files list={of.files} />
      <WriteForm choice={choice} problems={of.problems.length} folder={folder} onFolder={onFolder} />
    </>
  );
}

function Handover() {
  const [choice, setChoice] = useState<Choice>({ target: "compose", release: "", storage: "", pack: false });
  const [folder, setFolder] = useState("");
  const waits = needsStorage(choice.target) && choice.storage === "";
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["export", choice],
    queryFn: ({ signal }) => clients.handover.prepareExport({ choice }, { signal }),
    enabled: !waits,
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
  });
  return (
    <div className={css.body}>
      <ChoiceForm choice={choice} releases={data?.releases ?? []} onChange={setChoice} />
      <PackBox of={data} checked={choice.pack} onChange={(pack) => setChoice({ ...choice, pack })} />
      {waits && (
        <p className={css.hint}>Pods do not see the folders of this machine: say where the repository is.</p>
      )}
      {!waits && error && (
        <ErrorBox title="This cannot be exported" error={error} onRetry={() => void refetch()} />
      )}
      {!waits && isFetching && <Spinner label="Checking the repository" />}
      {!waits && !error && data && !isFetching && (
        <Prepared of={data} choice={choice} folder={folder} onFolder={setFolder} />
      )}
    </div>
  );
}

/** The files that serve the repository with the real Triton, and what would not run there. */
export function HandoverDialog() {
  const open = useDialogs((state) => state.open === "handover");
  return (
    <Dialog
      title="Hand the repository over"
      description="Files that serve it with the real Triton, as it is saved now. Nothing is started."
      open={open}
      onClose={closeDialog}
      wide
    >
      {open && <Handover />}
    </Dialog>
  );
}
