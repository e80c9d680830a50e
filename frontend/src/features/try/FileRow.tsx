/** One chosen file: what the model gets of it, its name, and what is in it. */
import { X } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { describeConversion } from "../../lib/conversions";
import { bytes, typeAndShape } from "../../lib/format";
import { numberTextPhrase } from "../../lib/numberText";
import { conversionOf, type InputDraft, type Slot, type TensorFile } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import css from "./inputs.module.css";
import { ModelsView } from "./ModelsView";

type Props = {
  readonly slot: Slot;
  readonly draft: InputDraft;
  readonly file: TensorFile;
  readonly number: number | undefined; // among several
  readonly onRemove: () => void;
};

const mostShown = 12; // pictures; more are only named

export function FileRow({ slot, draft, file, number, onRemove }: Props) {
  const seen = number === undefined || number <= mostShown;
  return (
    <div className={css.fileRow} data-several={number !== undefined}>
      {number !== undefined && <span className={css.number}>{number}</span>}
      <span className={css.seen}>
        {seen && file.kind === "picture" && <ModelsView slot={slot} draft={draft} picture={file.picture} />}
        {seen && file.kind === "element" && file.media && <Encoded raw={file.raw} type={file.media} />}
      </span>
      <div className={css.fileText}>
        <MiddleTruncate className={css.fileName} text={file.name} />
        {factsOf(slot, draft, file, number !== undefined).map((line) => (
          <div key={line} className={css.hint}>
            {line}
          </div>
        ))}
      </div>
      <Button
        small
        look="ghost"
        icon={<X />}
        aria-label={`Remove ${file.name}`}
        title="Remove"
        onClick={onRemove}
      />
    </div>
  );
}

function factsOf(slot: Slot, draft: InputDraft, file: TensorFile, brief: boolean): string[] {
  switch (file.kind) {
    case "picture": {
      const { own, read, transparent } = file.picture;
      const conversion = conversionOf(slot, draft);
      const text = `${own.width} × ${own.height}, ${bytes(file.size)}`;
      return conversion && !brief
        ? describeConversion(conversion, { text, own, transparent, ...read })
        : [text];
    }
    case "npy":
      return [`${typeAndShape(file.array.datatype, file.array.shape)}, ${bytes(file.size)}`];
    case "numbers":
      return [`${numberTextPhrase(file.text)}, ${bytes(file.size)}`];
    case "raw":
      return [`${bytes(file.size)} of raw values, sent as they are`];
    case "element":
      return [brief ? bytes(file.size) : `${bytes(file.size)}, sent as it is: one element`];
  }
}

/** A picture that is sent as its file. */
function Encoded({ raw, type }: { readonly raw: Uint8Array; readonly type: string }) {
  const blob = useMemo(() => new Blob([new Uint8Array(raw)], { type }), [raw, type]);
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url ? <img className={css.thumb} src={url} alt="The chosen file" /> : null;
}
