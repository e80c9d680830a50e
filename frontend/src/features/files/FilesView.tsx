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

/** What lies in the model's folder; text files can be read here, and files added. */
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
  const selected = files.some(({ path }) => path === chosen) ? chosen : undefined;
  const table = (
    <AddHere model={model} files={files} off={!isReal}>
      {data && files.length === 0 ? (
        <Empty icon={<FolderOpen />} title="The folder is empty">
          A model needs a version folder, such as 1, with the model file in it, and in most cases a
          config.pbtxt.
        </Empty>
      ) : (
        <div ref={kept} className={css.page}>
          <FileTable model={model} real={isReal} files={files} selected={selected} onSelect={setSelected} />
        </div>
      )}
    </AddHere>
  );
  if (selected === undefined) return table;
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
        <FileContent key={selected} model={model} path={selected} onClose={() => setSelected(undefined)} />
      }
    />
  );
}
