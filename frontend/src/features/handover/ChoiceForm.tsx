import { type FormEvent, useEffect, useId, useState } from "react";
import { Segmented } from "../../ui/Segmented";
import { Select } from "../../ui/Select";
import { TextField } from "../../ui/TextField";
import css from "./HandoverDialog.module.css";

export type Target = "compose" | "kubernetes" | "kserve" | "tritonserver";

/** What the export is for. */
export interface Choice {
  target: Target;
  /** Of Triton; "" is the newest. */
  release: string;
  /** Where the server finds the repository; "" is the folder itself. */
  storage: string;
  /** Python environments, in a copy of the repository. */
  pack: boolean;
}

const targets = [
  { value: "compose", label: "Compose" },
  { value: "kubernetes", label: "Kubernetes" },
  { value: "kserve", label: "KServe" },
  { value: "tritonserver", label: "Command line" },
] as const;

/** Whether the server cannot have the folder itself. */
export const needsStorage = (target: Target): boolean => target === "kubernetes" || target === "kserve";

interface Props {
  choice: Choice;
  releases: readonly string[];
  onChange: (choice: Choice) => void;
}

/** The storage is applied with Enter, or when the field is left: each change checks the repository again. */
function Storage({ choice, onChange }: Omit<Props, "releases">) {
  const [text, setText] = useState(choice.storage);
  const field = useId();
  useEffect(() => setText(choice.storage), [choice.storage]);
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    if (text.trim() !== choice.storage) onChange({ ...choice, storage: text.trim() });
  };
  return (
    <form onSubmit={apply} className={css.storage}>
      <label htmlFor={field}>Models at</label>
      <TextField
        id={field}
        placeholder={
          needsStorage(choice.target)
            ? "pvc:models or s3://bucket/models"
            : "the folder itself, or s3://bucket/models"
        }
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => apply()}
      />
    </form>
  );
}

export function ChoiceForm({ choice, releases, onChange }: Props) {
  const newest = releases.at(-1) ?? "";
  return (
    <div className={css.choice}>
      <Segmented
        label="For"
        value={choice.target}
        options={targets}
        onChange={(target) => onChange({ ...choice, target, storage: "" })}
      />
      <Select
        label="Triton"
        value={choice.release || newest}
        onChange={(event) => onChange({ ...choice, release: event.target.value })}
      >
        {releases.toReversed().map((name) => (
          <option key={name}>{name}</option>
        ))}
      </Select>
      <Storage choice={choice} onChange={onChange} />
    </div>
  );
}
