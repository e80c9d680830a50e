/** One tensor with its name, type and shape, and every way of looking at it that fits. */
import { Copy, Download } from "lucide-react";
import { useMemo, useState } from "react";
import { copyText } from "../../lib/clipboard";
import { download } from "../../lib/download";
import { typeAndShape } from "../../lib/format";
import { writeNpy } from "../../lib/npy";
import { decode } from "../../lib/tensor";
import { toJson } from "../../lib/tensor-json";
import { Button } from "../Button";
import { MiddleTruncate } from "../MiddleTruncate";
import { NumberBox } from "../NumberBox";
import { Segmented } from "../Segmented";
import { ClassesView } from "./ClassesView";
import { ImageView } from "./ImageView";
import { RawView } from "./RawView";
import { isKept, type Shown, show, type Tensor, wholeBytes } from "./source";
import { TableView } from "./TableView";
import css from "./tensor.module.css";
import { classCount, pictureOf, type ViewName, viewLabels, viewsOf } from "./views";

interface TensorProps {
  tensor: Tensor;
  kind?: "Output" | "Input";
}

export function TensorView({ tensor, kind = "Output" }: TensorProps) {
  const [chosen, setChosen] = useState<ViewName>();
  const [item, setItem] = useState(0);
  const shown = useMemo(() => show(tensor), [tensor]);
  const views = useMemo(() => viewsOf(shown), [shown]);
  const view = chosen && views.includes(chosen) ? chosen : (views[0] ?? "raw");
  const items = view === "table" || view === "raw" ? 1 : itemCount(shown, view);
  const at = Math.min(item, items - 1);
  return (
    <section aria-label={`${kind} ${tensor.name}`} className={css.tensor}>
      <header className={css.head}>
        <span className={css.title}>
          <strong className={css.name}>
            <MiddleTruncate text={tensor.name} />
          </strong>
          <span className={css.type}>{typeAndShape(tensor.datatype, tensor.shape)}</span>
        </span>
        <Segmented
          label={`View of ${tensor.name}`}
          value={view}
          options={views.map((value) => ({ value, label: viewLabels[value] }))}
          onChange={setChosen}
        />
      </header>
      {items > 1 && <ItemPicker item={at} items={items} onChange={setItem} />}
      {isKept(shown) ? (
        <Body view={view} shown={shown} item={at} />
      ) : (
        <p className={css.note}>Too large to be kept; only its shape is known.</p>
      )}
      {view === "raw" && <Actions tensor={tensor} shown={shown} />}
    </section>
  );
}

function itemCount(shown: Shown, view: ViewName): number {
  const picture = view === "image" ? pictureOf(shown) : undefined;
  const size = picture ? picture.width * picture.height * picture.channels : (classCount(shown) ?? 1);
  return Math.max(1, Math.floor(shown.count / size));
}

function Body({ view, shown, item }: { view: ViewName; shown: Shown; item: number }) {
  const picture = pictureOf(shown);
  if (view === "image" && picture) return <ImageView shown={shown} picture={picture} item={item} />;
  if (view === "classes") return <ClassesView shown={shown} classes={classCount(shown) ?? 1} item={item} />;
  // A slice and a page are places of one shape: an answer of another shape is shown from its beginning.
  if (view === "table") return <TableView key={shown.shape.join()} shown={shown} />;
  return <RawView shown={shown} />;
}

type PickerProps = {
  readonly item: number;
  readonly items: number;
  readonly onChange: (item: number) => void;
};

function ItemPicker({ item, items, onChange }: PickerProps) {
  return (
    <div className={css.picker}>
      Item
      <NumberBox label="Item" value={item + 1} min={1} max={items} onChange={(next) => onChange(next - 1)} />
      <span className="dim">of {items.toLocaleString("en")}</span>
    </div>
  );
}

/** Nobody pastes more elements than this. */
const mostCopied = 1_000_000;

function Actions({ tensor, shown }: { tensor: Tensor; shown: Shown }) {
  const [problem, setProblem] = useState("");
  const tooMany = shown.count > mostCopied || (tensor.far !== undefined && tensor.datatype === "BYTES");
  const attempt = (act: () => Promise<unknown>) =>
    void act().catch((error: Error) => setProblem(error.message));
  const json = async () => {
    const values = decode(shown.datatype, await wholeBytes(tensor));
    await copyText(toJson(shown.datatype, shown.shape, values));
  };
  const npy = async () =>
    download(
      `${tensor.name}.npy`,
      writeNpy({ datatype: shown.datatype, shape: [...shown.shape], raw: await wholeBytes(tensor) }),
    );
  const hasNpy = tensor.datatype !== "BYTES" && tensor.datatype !== "BF16";
  return (
    <div className={css.actions}>
      <Button
        small
        look="ghost"
        icon={<Copy />}
        disabled={tooMany}
        title={tooMany ? "Too much for the clipboard" : undefined}
        onClick={() => attempt(json)}
      >
        Copy JSON
      </Button>
      {hasNpy && (
        <Button small look="ghost" icon={<Download />} onClick={() => attempt(npy)}>
          Save .npy
        </Button>
      )}
      {problem && <span className={css.error}>{problem}</span>}
    </div>
  );
}
