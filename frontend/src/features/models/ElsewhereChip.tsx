import { Cpu } from "lucide-react";
import type { ModelSummary } from "../../api/conch_pb";
import { Chip } from "../../ui/Chip";
import { Tooltip } from "../../ui/Tooltip";
import { asSentence } from "../../workspace/workspace";
import css from "./ModelHeader.module.css";

/** The model asks for GPUs that are not there: where it runs, and on demand why. */
export function ElsewhereChip({ elsewhere }: Pick<ModelSummary, "elsewhere">) {
  const first = elsewhere[0];
  if (!first) return null;
  const why = elsewhere.map(({ text }) => <p key={text}>{asSentence(text)}</p>);
  return (
    <Tooltip content={why}>
      <Chip tone="warn" icon={<Cpu aria-hidden="true" />} className={css.reason} tabIndex={0}>
        {first.badge}
      </Chip>
    </Tooltip>
  );
}
