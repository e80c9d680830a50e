import { FolderOpen } from "lucide-react";
import { useState } from "react";
import { useModel } from "../../api/queries";
import { Empty } from "../../ui/Empty";
import { Split } from "../../window/Split";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ErrorBox } from "../../workspace/ErrorBox";
import { AddHere } from "./AddHere";
import { FileTable } from "./FileTable";
import { FileText as FileContent } from "./FileText";
import css from "./files.module.css";

/** What lies in the model's folder; the text file that is selected is read beside it, and files are added. */
export function FilesView({ model }: { model: string }) {
  const { data, error, refetch } = useModel(model);
  const [chosen, setSelected] = useState<string>();
  const kept = useKeptScroll<HTMLDivElement>(`files ${model}`);
  if (error && !data) {
    return (
      <div className={css.page}>
        <ErrorBox title="Conch could not list the files" error={error} onRetry={() => void refetch()} />
      </div>
    );
  }
  const files = data?.files ?? [];
  const isReal = data?.summary?.servedOnly === false;
  const selected = files.find(({ path }) => path === chosen);
  const table = (
    <AddHere model={model} files={files} off={!isReal}>
      {data && files.length === 0 ? (
        <Empty icon={<FolderOpen />} title="The folder is empty">
          A model needs a version folder, such as 1, with the model file in it, and in most cases a
          config.pbtxt.
        </Empty>
      ) : (
        <div ref={kept} className={css.page}>
          <FileTable
            model={model}
            real={isReal}
            files={files}
            selected={selected?.path}
            onSelect={setSelected}
          />
        </div>
      )}
    </AddHere>
  );
  return (
    <Split
      name="files"
      label="Width of the file"
      fixed="second"
      size={460}
      min={240}
      rest={320}
      first={table}
      second={
        selected?.text ? (
          <FileContent
            key={selected.path}
            model={model}
            path={selected.path}
            onClose={() => setSelected(undefined)}
          />
        ) : undefined
      }
    />
  );
}
