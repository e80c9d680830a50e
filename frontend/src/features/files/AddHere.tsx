import { FilePlus, FileUp, FolderPlus } from "lucide-react";
import { type DragEvent, type ReactNode, useState } from "react";
import type { ModelFile } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { Bar } from "../../ui/Bar";
import { Button } from "../../ui/Button";
import { FilesButton } from "../../ui/FilesButton";
import { forgetVersionFiles, useVersionFiles } from "../../window/versionFiles";
import { whyOff } from "../../workspace/workspace";
import { AddFilesDialog } from "./AddFilesDialog";
import css from "./files.module.css";
import { NewFileDialog } from "./NewFileDialog";
import { NewVersionDialog } from "./NewVersionDialog";

interface AddHereProps {
  model: string;
  files: readonly ModelFile[];
  /** There is no folder here: only a server has the model. */
  off: boolean;
  children: ReactNode;
}

type Asked =
  | { what: "file" }
  | { what: "version"; files?: readonly File[] }
  | { what: "files"; files: readonly File[] };

const holdsFiles = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes("Files");

/** The ways to add something to the model's folder, above what is in it. Files can be dropped on it too. */
export function AddHere({ model, files, off, children }: AddHereProps) {
  const [asked, setAsked] = useState<Asked>();
  const [over, setOver] = useState(false);
  const forVersion = useVersionFiles((waiting) => (waiting.model === model ? waiting.files : undefined));
  const close = () => {
    forgetVersionFiles();
    setAsked(undefined);
  };
  if (off) return children;
  const take = (chosen: readonly File[]) => setAsked({ what: "files", files: chosen });
  const onDrop = (event: DragEvent) => {
    setOver(false);
    if (!holdsFiles(event) || whyOff("app") !== undefined) return;
    event.preventDefault(); // it is no new model
    const dropped = [...event.dataTransfer.files];
    if (dropped.length > 0) take(dropped);
  };
  const onDragOver = (event: DragEvent) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    setOver(true);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop on; the buttons in it do the same
    <div
      className={cx(css.add, over && css.over)}
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <Bar
        actions={
          <>
            <Button
              small
              look="ghost"
              needs="app"
              icon={<FilePlus />}
              onClick={() => setAsked({ what: "file" })}
            >
              New file…
            </Button>
            <Button
              small
              look="ghost"
              needs="app"
              icon={<FolderPlus />}
              onClick={() => setAsked({ what: "version" })}
            >
              New version…
            </Button>
            <FilesButton
              small
              look="ghost"
              needs="app"
              icon={<FileUp />}
              title="Copies files of this machine into the model's folder. They can be dropped here too."
              of="Files to add"
              onFiles={take}
            >
              Add files…
            </FilesButton>
          </>
        }
      >
        <span>{over ? "Drop to add to this model" : "Files of this model"}</span>
      </Bar>
      {children}
      {asked?.what === "file" && <NewFileDialog model={model} files={files} onClose={close} />}
      {(asked?.what === "version" || forVersion) && (
        <NewVersionDialog
          model={model}
          files={files}
          adding={asked?.what === "version" ? asked.files : forVersion}
          onClose={close}
        />
      )}
      {asked?.what === "files" && (
        <AddFilesDialog
          model={model}
          files={files}
          adding={asked.files}
          onVersion={() => setAsked({ what: "version", files: asked.files })}
          onClose={close}
        />
      )}
    </div>
  );
}
