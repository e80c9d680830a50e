import type { ModelSummary } from "../../api/conch_pb";
import { bytes, count } from "../../lib/format";
import { devicesText } from "../../workspace/gpuText";
import { useLoad } from "../../workspace/LoadUnderWay";
import css from "./ModelHeader.module.css";

/** What runs it and what it takes, each with a name. */
export function factsOf(model: ModelSummary): string[] {
  if (model.ensemble) return [];
  return [
    model.runtime,
    devicesText(model.device),
    model.instances > 0 ? count(model.instances, "instance") : "",
    model.memoryBytes > 0n ? `memory ${bytes(model.memoryBytes)}` : "",
  ].filter(Boolean);
}

/** As many of them as the header has room for; in a narrow window where the model runs. */
export function Facts({ model }: { readonly model: ModelSummary }) {
  // What a load does is of more use than what it replaces.
  const facts = useLoad(model).text === "" ? factsOf(model) : [];
  const device = devicesText(model.device);
  return (
    <div className={css.facts} title={facts.join(" · ")}>
      {facts.map((fact) => (
        <span key={fact} className={fact === device ? css.device : undefined}>
          {fact}
        </span>
      ))}
    </div>
  );
}
