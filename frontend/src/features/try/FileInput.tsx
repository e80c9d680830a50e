/** Files as the tensor: pictures, .npy files, numbers as text, raw values; for BYTES any file, one for each element. */
import { FileUp, Plus } from "lucide-react";
import { useRef } from "react";
import { conversionOf, type Slot, type TensorFile } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { ChangeConversion } from "./ConversionForm";
import { FileRow } from "./FileRow";
import type { InputProps } from "./inputProps";
import css from "./inputs.module.css";
import type { Files, How } from "./useFiles";

/** Whether more than one file has a place: in the rows of a batch, or in an open or longer list. */
function takesSeveral({ batch, spec }: Slot): boolean {
  return batch !== undefined || (spec.datatype === "BYTES" && spec.shape.some((dim) => dim !== 1n));
}

type Props = InputProps & { readonly files: Files };

export function FileInput({ files: { take, put }, ...props }: Props) {
  const { slot, draft } = props;
  const files = draft.files ?? [];
  return (
    <div>
      <div className={css.fileBox}>
        {files.length === 0 && <Invitation slot={slot} />}
        <FileList {...props} files={files} onPut={put} />
        <Choosers slot={slot} any={files.length > 0} onChoose={take} />
      </div>
      <Converting {...props} />
    </div>
  );
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
  const { slot, draft } = props;
  const conversion = draft.files?.some(({ kind }) => kind === "picture")
    ? conversionOf(slot, draft)
    : undefined;
  return conversion ? <ChangeConversion {...props} conversion={conversion} /> : null;
}

function Invitation({ slot }: { readonly slot: Slot }) {
  const several = takesSeveral(slot);
  return (
    <div className={css.fileText}>
      <div>
        {slot.spec.datatype === "BYTES"
          ? "Any file, sent as it is"
          : "A picture, a .npy file, numbers as text, or raw values"}
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
