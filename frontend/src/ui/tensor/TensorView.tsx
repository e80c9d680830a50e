/** One tensor with its name, type and shape, and every way of looking at it that fits. */
import { Copy, Download } from "lucide-react";
import { useMemo, useState } from "react";
import { copyText } from "../../lib/clipboard";
import { download } from "../../lib/download";
import { middle, typeAndShape } from "../../lib/format";
import { writeNpy } from "../../lib/npy";
import { decode, elementCount } from "../../lib/tensor";
import { toJson } from "../../lib/tensor-json";
import { Button } from "../Button";
import { Segmented } from "../Segmented";
import { ClassesView } from "./ClassesView";
import { ImageView } from "./ImageView";
import { RawView } from "./RawView";
import { TableView } from "./TableView";
import css from "./tensor.module.css";
import { classCount, pictureOf, type Shown, type ViewName, viewLabels, viewsOf } from "./views";

export type Tensor = {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly bigint[];
  readonly raw: Uint8Array;
  readonly labels: readonly string[];
};

export function TensorView({ tensor }: { tensor: Tensor }) {
  const [chosen, setChosen] = useState<ViewName>();
  const [item, setItem] = useState(0);
  const shown = useMemo(() => show(tensor), [tensor]);
  const views = useMemo(() => viewsOf(shown), [shown]);
  const view = chosen && views.includes(chosen) ? chosen : (views[0] ?? "raw");
  const items = view === "table" || view === "raw" ? 1 : itemCount(shown, view);
  const at = Math.min(item, items - 1);
  return (
    <section aria-label={`Output ${tensor.name}`} className={css.tensor}>
      <header className={css.head}>
        <strong title={tensor.name}>{middle(tensor.name, 24)}</strong>
        <span className={css.type}>{typeAndShape(tensor.datatype, tensor.shape)}</span>
        <span className={css.spacer} />
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

function show({ datatype, shape, labels, raw }: Tensor): Shown {
  return { datatype, shape: shape.map(Number), labels, values: decode(datatype, raw) };
}

/** The history leaves out the bytes of large tensors. */
function isKept({ shape, values }: Shown): boolean {
  return values.length > 0 || elementCount(shape) === 0;
}

function itemCount(shown: Shown, view: ViewName): number {
  const picture = view === "image" ? pictureOf(shown) : undefined;
  const size = picture ? picture.width * picture.height * picture.channels : (classCount(shown) ?? 1);
  return Math.max(1, Math.floor(shown.values.length / size));
}

function Body({ view, shown, item }: { view: ViewName; shown: Shown; item: number }) {
  const picture = pictureOf(shown);
  if (view === "image" && picture) return <ImageView shown={shown} picture={picture} item={item} />;
  if (view === "classes") return <ClassesView shown={shown} classes={classCount(shown) ?? 1} item={item} />;
  return view === "table" ? <TableView shown={shown} /> : <RawView shown={shown} />;
}

type PickerProps = {
  readonly item: number;
  readonly items: number;
  readonly onChange: (item: number) => void;
};

function ItemPicker({ item, items, onChange }: PickerProps) {
  return (
    <label className={css.picker}>
      Item
      <input
        type="number"
        min={0}
        max={items - 1}
        value={item}
        onChange={(e) => onChange(Number(e.target.value))}
      />
      <span className="dim">of {items} in the batch</span>
    </label>
  );
}

function Actions({ tensor, shown }: { tensor: Tensor; shown: Shown }) {
  const json = () => copyText(toJson(shown.datatype, shown.shape, shown.values));
  const npy = () =>
    download(
      `${tensor.name}.npy`,
      writeNpy({ ...shown, shape: [...shown.shape], raw: new Uint8Array(tensor.raw) }),
    );
  const hasNpy = tensor.datatype !== "BYTES" && tensor.datatype !== "BF16";
  return (
    <div className={css.actions}>
      <Button small look="ghost" icon={<Copy />} onClick={() => void json()}>
        Copy JSON
      </Button>
      {hasNpy && (
        <Button small look="ghost" icon={<Download />} onClick={npy}>
          Save .npy
        </Button>
      )}
    </div>
  );
}
