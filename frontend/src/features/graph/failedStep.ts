/** Which step of an ensemble made its request fail. Pure functions. */
import type { InferResponse, StepTiming } from "../../api/conch_pb";
import { executes } from "../../lib/requestTime";

export type FailedStep = { readonly step: StepTiming; readonly error: string };

/** The step whose error is the answer's; steps beside it that were given up for it have errors too. Undefined where no step failed. */
export function failedStep(response: InferResponse | undefined): FailedStep | undefined {
  if (!response || response.ok || response.stopped || executes(response)) return undefined;
  const failed = response.steps.flatMap((step) =>
    step.span?.error ? [{ step, error: step.span.error }] : [],
  );
  return failed.find(({ error }) => response.error.includes(error)) ?? failed[0];
}
