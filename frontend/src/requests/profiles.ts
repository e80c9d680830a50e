/** Where the time of requests went in programs: that of a request to an ensemble, or to a program that calls others, is in theirs too. */
import type { InferResponse, Profile } from "../api/conch_pb";
import { type Answer, tryOf, useTries } from "./tries";

export const hasProfileOf = (response: InferResponse | undefined, model: string): boolean =>
  response?.profiles.some((profile) => profile.model === model) ?? false;

/** The models that an answer has a profile of, each once. */
export const profiledIn = ({ profiles }: InferResponse): string[] => [
  ...new Set(profiles.map(({ model }) => model)),
];

export interface Profiled {
  readonly at: number;
  readonly profiles: readonly Profile[];
  /** The model that was asked. */
  readonly asked: string;
}

/** The newest profile of a model, also of a request to another one. Of a request to itself, those of the models that it called belong to it. */
export function useProfiled(model: string): Profiled | undefined {
  const asked = useTries(({ byModel }) => {
    let newest: { name: string; answer: Answer } | undefined;
    for (const [name, { answer }] of Object.entries(byModel)) {
      if (!answer || (newest && newest.answer.at >= answer.at)) continue;
      if (name === model ? answer.response?.profiles.length : hasProfileOf(answer.response, model))
        newest = { name, answer };
    }
    return newest?.name;
  });
  const answer = useTries((state) => (asked === undefined ? undefined : tryOf(asked)(state).answer));
  if (asked === undefined || !answer?.response) return undefined;
  const { profiles } = answer.response;
  return {
    at: answer.at,
    asked,
    profiles: asked === model ? profiles : profiles.filter((profile) => profile.model === model),
  };
}
