/** Random values from a seed that can be seen and set. */
import { Dices } from "lucide-react";
import { isFloat } from "../../lib/floats";
import type { RandomSettings } from "../../lib/tensor-random";
import { randomOf } from "../../requests/tryDrafts";
import { Button } from "../../ui/Button";
import { fieldOf, type InputProps } from "./inputProps";
import css from "./inputs.module.css";
import { NumberField } from "./NumberField";

const largestSeed = 4_294_967_295;

export function RandomInput(props: InputProps) {
  const { datatype } = props.slot.spec;
  const random = randomOf(props.slot, props.draft);
  const field = (key: keyof RandomSettings) => ({
    ...fieldOf(props, `random.${key}`, (value) => ({ random: { ...random, [key]: value } })),
    value: random[key],
  });
  const whole = !isFloat(datatype);
  const another = fieldOf(props, "random.seed", (seed) => ({ random: { ...random, seed } }));
  return (
    <div className={css.random}>
      {datatype !== "BYTES" && (
        <>
          <NumberField {...field("low")} rule={{ name: "From", whole }} />
          <NumberField {...field("high")} rule={{ name: "to", whole }} />
        </>
      )}
      <NumberField {...field("seed")} rule={{ name: "Seed", whole: true, least: 0, most: largestSeed }} />
      <Button small icon={<Dices />} onClick={() => another.onChange((random.seed + 1) % 1_000_000)}>
        Other values
      </Button>
    </div>
  );
}
