import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import { bytes, count } from "../../lib/format";
import { toast } from "../../window/toasts";
import { discardUpload, sendFiles } from "../../workspace/sending";
import { openedRepository } from "../../workspace/workspace";
import { AskDialog } from "./AskDialog";
import css from "./files.module.css";
import type { NewDialogProps } from "./NewFileDialog";
import { newestFolder } from "./versions";

/** Copies files of this machine into a folder of the model. */
export function AddFilesDialog({
  model,
  files,
  adding,
  onClose,
}: NewDialogProps & { adding: readonly File[] }) {
  const [folder, setFolder] = useState(newestFolder(files));
  const [sent, setSent] = useState<number>();
  const wanted = useRef(true);
  const upload = useRef("");
  useEffect(() => {
    wanted.current = true;
    return () => {
      wanted.current = false;
      if (upload.current !== "") discardUpload(upload.current);
    };
  }, []);
  const into = folder === "" ? "" : `${folder.replace(/\/+$/, "")}/`;
  const taken = adding.find(({ name }) => files.some(({ path }) => path === into + name));
  const size = adding.reduce((sum, file) => sum + file.size, 0);
  const run = async () => {
    const placed = adding.map((file) => ({ path: file.name, file }));
    const begun = (id: string) => {
      upload.current = id;
    };
    try {
      const sending = { folder: "", wanted: () => wanted.current, begun, sent: setSent };
      if (!(await sendFiles(placed, sending))) return;
      const asked = {
        upload: upload.current,
        model,
        folder: into.slice(0, -1),
        repository: openedRepository(),
      };
      const { paths } = await clients.models.addFiles(asked);
      upload.current = "";
      toast({ level: "info", text: `${paths.map((path) => `${model}/${path}`).join(", ")} added` });
      onClose();
    } finally {
      setSent(undefined);
    }
  };
  return (
    <AskDialog
      title={`Add ${count(adding.length, "file")}`}
      label={`Folder in ${model}/`}
      value={folder}
      onChange={setFolder}
      problem={taken && `There is a file ${into}${taken.name} already`}
      unfinished={false}
      action="Add"
      failed={`${adding.length === 1 ? "The file was" : "The files were"} not added`}
      run={run}
      onClose={onClose}
    >
      <ul className={css.adding}>
        {adding.map(({ name, size }) => (
          <li key={name}>
            <code>{into + name}</code> <span className="dim">{bytes(size)}</span>
          </li>
        ))}
      </ul>
      <p className={css.hint}>
        {sent === undefined
          ? "They are copied. Without a folder they lie beside the config. What exists is not replaced."
          : `${size === 0 ? 100 : Math.floor((100 * sent) / size)} % copied`}
      </p>
    </AskDialog>
  );
}
