/** How pixels become values: size, proportions, channels, layout, range, inversion. It floats beside the input, all of it in sight. */
import { Popover } from "radix-ui";
import { presetOf, presets } from "../../lib/conversions";
import { type Channels, type Conversion, type Layout, mostSide } from "../../lib/image";
import { withSize } from "../../requests/tryDrafts";
import { floating } from "../../ui/floating";
import { Segmented } from "../../ui/Segmented";
import { Select } from "../../ui/Select";
import { fieldOf, type InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { NumberField } from "./NumberField";

type Props = InputProps & { readonly conversion: Conversion };

/** Opens the form; stands where the conversion is described. The window's keys go on meaning what they mean. */
export function ChangeConversion(props: Props) {
  return (
    <Popover.Root>
      <Popover.Trigger className={css.link}>Change conversion</Popover.Trigger>
      <Popover.Portal container={floating()}>
        <Popover.Content
          role="group"
          aria-label={`Conversion for ${props.slot.spec.name}`}
          className={css.conversion}
          side="left"
          align="start"
          sideOffset={18}
          collisionPadding={8}
        >
          <ConversionForm {...props} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

const layouts = [
  { value: "HWC", label: "H, W, C" },
  { value: "CHW", label: "C, H, W" },
] as const;
const colours = [
  { value: "1", label: "Grey" },
  { value: "3", label: "RGB" },
  { value: "4", label: "RGBA", title: "Transparency is kept, as the fourth channel" },
] as const;

/** Each channel has a mean and a deviation: where there are more now, the first ones are repeated. */
function withChannels(conversion: Conversion, channels: Channels): Conversion {
  const spread = (list: readonly number[]) =>
    Array.from({ length: channels }, (_, i) => list[i] ?? (list[0] as number));
  return { ...conversion, channels, mean: spread(conversion.mean), std: spread(conversion.std) };
}

const fits = [
  { value: "letterbox", label: "Fit", title: "The whole picture, with bars beside it" },
  { value: "fill", label: "Fill", title: "No bars: what does not fit is cut off" },
  { value: "stretch", label: "Stretch", title: "Width and height are fitted separately: proportions change" },
] as const;

function ConversionForm(props: Props) {
  const { slot, draft, conversion, onChange } = props;
  const set = (patch: Partial<Conversion>) => onChange({ conversion: { ...conversion, ...patch } });
  const sideField = (key: "width" | "height") => ({
    ...fieldOf(props, `conversion.${key}`, (value) =>
      withSize(slot, { ...draft, conversion }, { ...conversion, [key]: value }),
    ),
    value: conversion[key],
    hideLabel: true,
  });
  return (
    <>
      <span>Size</span>
      <span className={css.row}>
        <NumberField {...sideField("width")} rule={{ name: "Width", ...side }} />
        ×
        <NumberField {...sideField("height")} rule={{ name: "Height", ...side }} />
      </span>
      {draft.source === "file" && (
        <>
          <span>Proportions</span>
          <Segmented
            label="Proportions"
            value={conversion.fit}
            options={fits}
            onChange={(fit) => set({ fit })}
          />
        </>
      )}
      {draft.source === "file" && conversion.fit === "letterbox" && (
        <>
          <span>Bars</span>
          <span className={css.row}>
            <NumberField
              {...fieldOf(props, "conversion.bars", (bars) => ({ conversion: { ...conversion, bars } }))}
              hideLabel
              rule={{ name: "Bars", whole: true, least: 0, most: 255 }}
              value={conversion.bars}
            />
            <span className={css.hint}>0 is black; YOLO takes 114</span>
          </span>
        </>
      )}
      <span>Colour</span>
      <Segmented
        label="Colour"
        value={`${conversion.channels}`}
        options={colours}
        onChange={(channels) =>
          onChange({ conversion: withChannels(conversion, Number(channels) as Channels) })
        }
      />
      {conversion.channels > 1 && (
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
      <Scaling {...props} />
      <span>Inverted</span>
      <label className={css.check}>
        <input
          type="checkbox"
          checked={conversion.invert}
          onChange={(event) => set({ invert: event.target.checked })}
        />
        Swap dark and light
      </label>
    </>
  );
}

const side = { whole: true, least: 1, most: mostSide };

function Scaling(props: Props) {
  const { draft, conversion, onChange } = props;
  const preset = presetOf(conversion);
  const list = presets(conversion.channels);
  const choose = (id: string) => {
    const values = list.find((known) => known.id === id)?.values;
    const unfinished = Object.entries(draft.unfinished ?? {}).filter(([key]) => !scalingKey.test(key));
    onChange({ conversion: { ...conversion, ...values }, unfinished: Object.fromEntries(unfinished) });
  };
  return (
    <>
      <span>Values</span>
      <Select
        label="Range of values"
        hideLabel
        small
        value={preset?.id ?? "own"}
        onChange={(event) => choose(event.target.value)}
      >
        {list.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
        {!preset && <option value="own">own numbers</option>}
      </Select>
      <span title="Each pixel, 0 to 255, is multiplied by this first">Scale</span>
      <NumberField
        {...fieldOf(props, "conversion.scale", (scale) => ({ conversion: { ...conversion, scale } }))}
        hideLabel
        rule={{ name: "Scale", notZero: true }}
        width="104px"
        value={conversion.scale}
      />
      <Triple {...props} which="mean" />
      <Triple {...props} which="std" />
    </>
  );
}

const scalingKey = /^conversion\.(scale|mean|std)/;

function Triple({ which, ...props }: Props & { readonly which: "mean" | "std" }) {
  const { conversion } = props;
  const word = which === "mean" ? "Mean" : "Std";
  const withValue = (at: number, value: number) => ({
    conversion: { ...conversion, [which]: conversion[which].map((old, i) => (i === at ? value : old)) },
  });
  return (
    <>
      <span title={which === "mean" ? "Subtracted after scaling" : "Divided by last"}>{word}</span>
      <span className={css.row}>
        {conversion[which].map((value, at) => {
          const channel = `${word} of channel ${at + 1}`;
          return (
            <NumberField
              // biome-ignore lint/suspicious/noArrayIndexKey: a channel is known by its place alone
              key={at}
              {...fieldOf(props, `conversion.${which}.${at}`, (next) => withValue(at, next))}
              hideLabel
              rule={{ name: channel, notZero: which === "std" }}
              value={value}
            />
          );
        })}
      </span>
    </>
  );
}
