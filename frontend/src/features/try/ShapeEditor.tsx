/** Type and shape that will be sent; dimensions that the model leaves open can be set. The batch is set for all inputs at once. */
import { typeAndShape } from "../../lib/format";
import { withDimension } from "../../requests/tryDrafts";
import { fieldOf, type InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { NumberField } from "./NumberField";

type Props = InputProps & { readonly settled: boolean }; // nothing can be set: the input is not sent

export function ShapeEditor({ settled, ...props }: Props) {
  const { spec, batch } = props.slot;
  const open = (axis: number) => (spec.shape[axis] as bigint) < 0n && !(axis === 0 && batch !== undefined);
  const { shape } = props.draft;
  if (settled || !shape.some((_, axis) => open(axis)))
    return <span className={css.type}>{typeAndShape(spec.datatype || "no type", shape)}</span>;
  return (
    <span className={css.type} title={`The model takes ${typeAndShape(spec.datatype, spec.shape)}`}>
      {spec.datatype} [
      {shape.map((dim, axis) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a dimension is known by its place alone
        <span key={axis}>
          {axis > 0 && ", "}
          {open(axis) ? <Dimension {...props} axis={axis} /> : String(dim)}
        </span>
      ))}
      ]
    </span>
  );
}

const largestDimension = 1_000_000_000;

function Dimension({ axis, ...props }: InputProps & { readonly axis: number }) {
  const { slot, draft } = props;
  const value = draft.shape[axis] ?? 1;
  const field = fieldOf(props, `dim.${axis}`, (next) => withDimension(slot, draft, axis, next));
  const length = (field.unfinished?.text ?? String(value)).length;
  return (
    <NumberField
      {...field}
      hideLabel
      className={css.dimension}
      rule={{ name: `Dimension ${axis + 1}`, whole: true, least: 0, most: largestDimension }}
      label={`Dimension ${axis + 1} of ${slot.spec.name}`}
      value={value}
      width={`${Math.min(12, Math.max(2, length + 1))}ch`}
    />
  );
}
