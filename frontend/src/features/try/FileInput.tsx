/** Files as the tensor: pictures, .npy files, raw values; for BYTES any file, one for each element. */
import { FileUp, Plus } from "lucide-react";
import { useRef, useState } from "react";
import { fittedTo } from "../../requests/fileParts";
import { conversionOf, type Slot, type TensorFile } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { ConversionForm, ConversionLink } from "./ConversionForm";
import { FileRow } from "./FileRow";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { readFiles } from "./readFiles";

type How = "replace" | "add";

/** Whether more than one file has a place: in the rows of a batch, or in an open or longer list. */
function takesSeveral({ batch, spec }: Slot): boolean {
  return batch !== undefined || (spec.datatype === "BYTES" && spec.shape.some((dim) => dim !== 1n));
}

export function FileInput(props: InputProps) {
  const { slot, draft, onChange } = props;
  const [problem, setProblem] = useState("");
  const [over, setOver] = useState(false);
  const files = draft.files ?? [];
  const put = (next: readonly TensorFile[]) => {
    const { batch, shape = draft.shape } = fittedTo(slot, { ...draft, files: next });
    onChange({ files: next, shape }, batch);
  };
  const take = async (chosen: readonly File[], how: How) => {
    if (chosen.length === 0) return;
    try {
      const read = await readFiles(chosen, slot.spec.datatype);
      put(how === "add" ? [...files, ...read] : read);
      setProblem("");
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is the first */}
      <div
        className={css.fileBox}
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          event.stopPropagation();
          setOver(false);
          void take([...event.dataTransfer.files], isShort(slot, files) ? "add" : "replace");
        }}
      >
        {files.length === 0 && <Invitation slot={slot} />}
        <FileList {...props} files={files} onPut={put} />
        <Choosers slot={slot} any={files.length > 0} onChoose={take} />
      </div>
      {problem && (
        <p className={css.problem} role="alert">
          {problem}
        </p>
      )}
      <Converting {...props} />
    </div>
  );
}

/** Files are there, and the batch has rows without one: what is dropped joins them. */
function isShort({ batch }: Slot, files: readonly TensorFile[]): boolean {
  return batch !== undefined && files.length > 0 && files.length < batch;
}

type ListProps = InputProps & {
  readonly files: readonly TensorFile[];
  readonly onPut: (files: readonly TensorFile[]) => void;
};

function FileList({ slot, draft, files, onPut }: ListProps) {
  if (files.length === 0) return null;
  return (
    <ol className={css.files}>
      {files.map((file, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be there twice; its place tells it apart
        <li key={i}>
          <FileRow
            slot={slot}
            draft={draft}
            file={file}
            number={files.length > 1 ? i + 1 : undefined}
            onRemove={() => onPut(files.filter((_, at) => at !== i))}
          />
        </li>
      ))}
    </ol>
  );
}

function Converting(props: InputProps) {
  const [open, setOpen] = useState(false);
  const { slot, draft } = props;
  const conversion = draft.files?.some(({ kind }) => kind === "picture")
    ? conversionOf(slot, draft)
    : undefined;
  if (!conversion) return null;
  return (
    <>
      <ConversionLink open={open} onToggle={setOpen} />
      {open && <ConversionForm {...props} conversion={conversion} />}
    </>
  );
}

function Invitation({ slot }: { readonly slot: Slot }) {
  const several = takesSeveral(slot);
  return (
    <div className={css.fileText}>
      <div>
        {slot.spec.datatype === "BYTES" ? "Any file, sent as it is" : "A picture, a .npy file, or raw values"}
      </div>
      <div className={css.hint}>{several ? "Drop one or more here: each is a row" : "Drop it here"}</div>
    </div>
  );
}

type ChoosersProps = {
  readonly slot: Slot;
  readonly any: boolean;
  readonly onChoose: (files: readonly File[], how: How) => Promise<void>;
};

function Choosers({ slot, any, onChoose }: ChoosersProps) {
  const picker = useRef<HTMLInputElement>(null);
  const how = useRef<How>("replace");
  const several = takesSeveral(slot);
  const choose = (next: How) => {
    how.current = next;
    picker.current?.click();
  };
  return (
    <div className={css.choosers}>
      <input
        ref={picker}
        type="file"
        multiple={several}
        className="visually-hidden"
        tabIndex={-1}
        aria-label={`File for ${slot.spec.name}`}
        onChange={(event) => {
          void onChoose([...(event.target.files ?? [])], how.current);
          event.target.value = "";
        }}
      />
      <Button small icon={<FileUp />} onClick={() => choose("replace")}>
        {any ? "Change" : several ? "Choose files" : "Choose file"}
      </Button>
      {any && several && (
        <Button small icon={<Plus />} onClick={() => choose("add")}>
          Add
        </Button>
      )}
    </div>
  );
}
