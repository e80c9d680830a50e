/** How pixels become values: size, channels, layout, range, inversion. Folded away until wanted. */
import { presetOf, presets } from "../../lib/conversions";
import type { Conversion, Layout } from "../../lib/image";
import { Segmented } from "../../ui/Segmented";
import { NumberField } from "./NumberField";
import css from "./try.module.css";

type Props = { readonly conversion: Conversion; readonly onChange: (conversion: Conversion) => void };

type LinkProps = { readonly open: boolean; readonly onToggle: (open: boolean) => void };

/** Unfolds the form; stands where the conversion is described. */
export function ConversionLink({ open, onToggle }: LinkProps) {
  return (
    <button type="button" className={css.link} aria-expanded={open} onClick={() => onToggle(!open)}>
      {open ? "Hide conversion" : "Change conversion"}
    </button>
  );
}

const layouts = [
  { value: "HWC", label: "H, W, C" },
  { value: "CHW", label: "C, H, W" },
] as const;
const colours = [
  { value: "1", label: "Grey" },
  { value: "3", label: "RGB" },
] as const;

/** Grey has one mean and one deviation, RGB three: the first ones are repeated. */
function withChannels(conversion: Conversion, channels: 1 | 3): Conversion {
  const spread = (list: readonly number[]) =>
    Array.from({ length: channels }, (_, i) => list[i] ?? (list[0] as number));
  return { ...conversion, channels, mean: spread(conversion.mean), std: spread(conversion.std) };
}

export function ConversionForm({ conversion, onChange }: Props) {
  const set = (patch: Partial<Conversion>) => onChange({ ...conversion, ...patch });
  const side = (value: number) => Math.max(1, Math.min(4096, Math.round(value)));
  return (
    <div className={css.conversion}>
      <span>Size</span>
      <span className={css.row}>
        <NumberField
          hideLabel
          label="Width"
          value={conversion.width}
          onChange={(width) => set({ width: side(width) })}
        />
        ×
        <NumberField
          hideLabel
          label="Height"
          value={conversion.height}
          onChange={(height) => set({ height: side(height) })}
        />
      </span>
      <span>Colour</span>
      <Segmented
        label="Colour"
        value={String(conversion.channels) as "1" | "3"}
        options={colours}
        onChange={(channels) => onChange(withChannels(conversion, channels === "3" ? 3 : 1))}
      />
      {conversion.channels === 3 && (
        <>
          <span>Order</span>
          <Segmented
            label="Order"
            value={conversion.layout}
            options={layouts}
            onChange={(layout: Layout) => set({ layout })}
          />
        </>
      )}
      <Scaling conversion={conversion} set={set} />
      <span>Ink</span>
      <label className={css.check}>
        <input
          type="checkbox"
          checked={conversion.invert}
          onChange={(event) => set({ invert: event.target.checked })}
        />
        Inverted: dark and light change places
      </label>
    </div>
  );
}

type ScalingProps = { readonly conversion: Conversion; readonly set: (patch: Partial<Conversion>) => void };

function Scaling({ conversion, set }: ScalingProps) {
  const preset = presetOf(conversion);
  const list = presets(conversion.channels);
  const change = (which: "mean" | "std", at: number, value: number) =>
    set({ [which]: conversion[which].map((old, i) => (i === at ? value : old)) });
  return (
    <>
      <span>Values</span>
      <select
        className={css.select}
        aria-label="Range of values"
        value={preset?.id ?? "own"}
        onChange={(event) => set(list.find(({ id }) => id === event.target.value)?.values ?? {})}
      >
        {list.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
        {!preset && <option value="own">own numbers</option>}
      </select>
      <span title="Each pixel, 0 to 255, is multiplied by this first">Scale</span>
      <NumberField hideLabel label="Scale" value={conversion.scale} onChange={(scale) => set({ scale })} />
      {(["mean", "std"] as const).map((which) => (
        <Triple
          key={which}
          which={which}
          values={conversion[which]}
          onChange={(at, value) => change(which, at, value)}
        />
      ))}
    </>
  );
}

type TripleProps = {
  readonly which: "mean" | "std";
  readonly values: readonly number[];
  readonly onChange: (at: number, value: number) => void;
};

function Triple({ which, values, onChange }: TripleProps) {
  const word = which === "mean" ? "Mean" : "Std";
  return (
    <>
      <span title={which === "mean" ? "Taken away after scaling" : "Divided by at last"}>{word}</span>
      <span className={css.row}>
        {values.map((value, at) => (
          <NumberField
            // biome-ignore lint/suspicious/noArrayIndexKey: a channel is known by its place alone
            key={at}
            hideLabel
            label={`${word} of channel ${at}`}
            value={value}
            onChange={(next) => onChange(at, next)}
          />
        ))}
      </span>
    </>
  );
}
