import { Diagnostic_Severity, type ModelSummary } from "../api/conch_pb";
import { SeverityIcon } from "./SeverityIcon";

/** Why Triton would refuse a model because of other models; empty while it would not. */
function refusalBy({ wrongModels: names }: ModelSummary): string {
  if (names.length === 0) return "";
  if (names.length === 1) return `Triton would refuse it: model ${names[0]} is wrong`;
  return `Triton would refuse it: models ${names.join(", ")} are wrong`;
}

/** A mark without a number: the errors are counted at the models that have them. */
export function WrongModels({ model }: { readonly model: ModelSummary }) {
  const why = refusalBy(model);
  return why !== "" && <SeverityIcon severity={Diagnostic_Severity.ERROR} label={why} />;
}
