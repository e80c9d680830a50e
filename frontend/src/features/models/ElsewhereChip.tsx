import { Cpu } from "lucide-react";
import type { ModelSummary } from "../../api/conch_pb";
import { Chip } from "../../ui/Chip";
import { Tooltip } from "../../ui/Tooltip";
import { openDialog } from "../../window/dialogs";
import { asSentence } from "../../workspace/workspace";
import css from "./ModelHeader.module.css";

/** The model asks for GPUs that are not there, or that are not used, or has accelerators for them: where it runs, and on demand why. It leads to another ONNX Runtime where that would use them. */
export function ElsewhereChip({ elsewhere }: Pick<ModelSummary, "elsewhere">) {
  const first = elsewhere[0];
  if (!first) return null;
  const why = elsewhere.map(({ text }) => <p key={text}>{asSentence(text)}</p>);
  const chip = { tone: "warn", icon: <Cpu aria-hidden="true" /> } as const;
  if (!elsewhere.some(({ byBuild }) => byBuild))
    return (
      <Tooltip content={why}>
        <Chip {...chip} className={css.reason} tabIndex={0}>
          {first.badge}
        </Chip>
      </Tooltip>
    );
  return (
    <Tooltip content={[...why, <p key="press">Press to open ONNX Runtime…</p>]}>
      <button type="button" className={css.leads} onClick={() => openDialog("runtimes")}>
        <Chip {...chip}>{first.badge}</Chip>
      </button>
    </Tooltip>
  );
}
