/** Type and shape that will be sent; dimensions that the model leaves open can be set. */
import { typeAndShape } from "../../lib/format";
import type { InputDraft } from "../../requests/tryDrafts";
import type { InputProps } from "./inputProps";
import css from "./try.module.css";

type Props = InputProps & { readonly batches: boolean };

export function ShapeEditor({ spec, draft, batches, onChange }: Props) {
  if (spec.shape.every((dim) => dim >= 0n))
    return <span className={css.type}>{typeAndShape(spec.datatype, draft.shape)}</span>;
  return (
    <span className={css.type} title={`The model takes ${typeAndShape(spec.datatype, spec.shape)}`}>
      {spec.datatype} [
      {spec.shape.map((dim, axis) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a dimension is known by its place alone
        <span key={axis}>
          {axis > 0 && ", "}
          {dim < 0n ? (
            <Dimension
              label={axis === 0 && batches ? `Batch of ${spec.name}` : `Dimension ${axis} of ${spec.name}`}
              value={draft.shape[axis] ?? 1}
              onChange={(value) => onChange(withDimension(draft, axis, value))}
            />
          ) : (
            String(dim)
          )}
        </span>
      ))}
      ]
    </span>
  );
}

/** Sides of a picture follow the shape, so a conversion that was chosen for other sides goes. */
function withDimension(draft: InputDraft, axis: number, value: number): Partial<InputDraft> {
  const shape = draft.shape.map((dim, i) => (i === axis ? value : dim));
  return axis === 0 ? { shape } : { shape, conversion: undefined };
}

const largestDimension = 1_000_000_000;

type DimensionProps = {
  readonly label: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
};

function Dimension({ label, value, onChange }: DimensionProps) {
  return (
    <input
      className={css.dimension}
      aria-label={label}
      title={label}
      inputMode="numeric"
      style={{ width: `${Math.max(2, String(value).length + 1)}ch` }}
      value={value}
      onChange={(event) => {
        const next = Number(event.target.value.replace(/\D/g, ""));
        onChange(Math.min(next, largestDimension));
      }}
    />
  );
}
