import type { ModelSummary } from "../api/conch_pb";
import { count } from "../lib/format";
import { Badge } from "../ui/Badge";

type Counts = Pick<ModelSummary, "errors" | "warnings">;

/** How many errors a model's own files have, or one of them has, or else warnings. */
export function ProblemBadge({ model: { errors, warnings } }: { readonly model: Counts }) {
  if (errors > 0) return <Badge count={errors} tone="err" label={count(errors, "error")} />;
  return <Badge count={warnings} tone="warn" label={count(warnings, "warning")} />;
}
