import { TriangleAlert } from "lucide-react";
import { Diagnostic_Severity, type ModelSummary } from "../api/conch_pb";
import { Chip } from "../ui/Chip";
import { Tooltip } from "../ui/Tooltip";
import { lostUnder } from "./gpuText";
import { SeverityIcon } from "./SeverityIcon";
import { useWorkspace } from "./workspace";

/** The GPUs that a model was loaded on and that the driver has lost since: "GPU 1 (lost)"; "" for none. */
export const useLostUnder = ({ device }: Pick<ModelSummary, "device">): string =>
  useWorkspace(({ engine }) => lostUnder(engine, device).join(", "));

/** What that means for its requests. */
export const lostText = (names: string): string =>
  `Loaded on ${names}, which its driver cannot reach: requests may fail`;

/** A mark in lists of models. */
export function LostGpuMark({ model }: { readonly model: ModelSummary }) {
  const names = useLostUnder(model);
  return names !== "" && <SeverityIcon severity={Diagnostic_Severity.ERROR} label={lostText(names)} />;
}

/** On the model's page. */
export function LostGpuChip({ model }: { readonly model: ModelSummary }) {
  const names = useLostUnder(model);
  if (names === "") return null;
  return (
    <Tooltip content={`${lostText(names)}. Restart the machine to get it back.`}>
      <Chip tone="err" icon={<TriangleAlert aria-hidden="true" />} tabIndex={0}>
        {names}
      </Chip>
    </Tooltip>
  );
}
