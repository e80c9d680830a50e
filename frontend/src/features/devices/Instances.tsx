import { Copy } from "lucide-react";
import type { Gpu, GpuInstance } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { cx } from "../../lib/cx";
import { Button } from "../../ui/Button";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { toast, toastError } from "../../window/toasts";
import { memoryText } from "../../workspace/gpuText";
import { dividedText, isNearlyFull, nearlyFull, numbersOf } from "./devices";
import css from "./Instances.module.css";

function Instance({ of }: { readonly of: GpuInstance }) {
  const [short, long] = numbersOf(of);
  const full = isNearlyFull(of);
  const copy = () =>
    void copyText(of.uuid)
      .then(() => toast({ level: "info", text: `${of.uuid} is copied` }))
      .catch((error) => toastError("It was not copied", error));
  return (
    <li className={css.instance}>
      <span className={css.number} title={long}>
        {short}
      </span>
      <span className={css.profile}>
        {of.profile}
        {of.device && <strong title={`Models run on this instance, as ${of.device}`}> {of.device}</strong>}
      </span>
      {of.totalBytes > 0 && of.usedBytes >= 0 ? (
        <meter
          aria-label={`Memory of ${of.uuid}`}
          min={0}
          max={of.totalBytes}
          high={of.totalBytes * nearlyFull}
          value={of.usedBytes}
        />
      ) : (
        <span />
      )}
      <span className={cx(css.memory, full && css.full)} title={full ? "Nearly full" : undefined}>
        {memoryText(of)}
      </span>
      <MiddleTruncate text={of.uuid} className={css.uuid} />
      <Button small look="ghost" icon={<Copy />} aria-label={`Copy ${of.uuid}`} onClick={copy} />
    </li>
  );
}

/** The parts of a GPU that is divided. Those of many GPUs are shown when a person asks. */
export function Instances({ of, open }: { readonly of: Gpu; readonly open: boolean }) {
  if (!of.divided) return null;
  const text = dividedText(of);
  if (of.instances.length === 0) return <small>{text}</small>;
  return (
    <details className={css.instances} open={open}>
      <summary>{text}</summary>
      <ul aria-label={`Instances of GPU ${of.index}`}>
        {of.instances.map((one) => (
          <Instance key={one.uuid} of={one} />
        ))}
      </ul>
    </details>
  );
}
