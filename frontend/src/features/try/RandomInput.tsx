/** Random values from a seed that can be seen and set. */
import { Dices } from "lucide-react";
import { defaultRandom, type RandomSettings } from "../../lib/tensor-random";
import { Button } from "../../ui/Button";
import type { InputProps } from "./inputProps";
import { NumberField } from "./NumberField";
import css from "./try.module.css";

export function RandomInput({ spec, draft, onChange }: InputProps) {
  const random = draft.random ?? defaultRandom(spec.datatype);
  const set = (patch: Partial<RandomSettings>) => onChange({ random: { ...random, ...patch } });
  return (
    <div className={css.random}>
      {spec.datatype !== "BYTES" && (
        <>
          <NumberField label="From" value={random.low} onChange={(low) => set({ low })} />
          <NumberField label="to" value={random.high} onChange={(high) => set({ high })} />
        </>
      )}
      <NumberField label="Seed" value={random.seed} onChange={(seed) => set({ seed })} />
      <Button small icon={<Dices />} onClick={() => set({ seed: (random.seed + 1) % 1_000_000 })}>
        Other values
      </Button>
    </div>
  );
}
