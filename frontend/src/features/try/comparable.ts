/** What a request can be sent to as well, and why not to the rest. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { clients } from "../../api/client";
import {
  type AbsentProvider,
  type GetModelResponse,
  type InferInput,
  ModelState,
  type ModelSummary,
  type Provider,
  type Version,
} from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { shape } from "../../lib/format";
import { buildRequest, requestSoFar } from "../../requests/request";
import { getTry, versionToAsk } from "../../requests/tries";
import { readyVersions, unserved } from "../../workspace/VersionMenu";

/** What a request can be sent to as well: "digits" and a version, another model and 0 for its newest, or this one on a provider. */
export interface Other {
  readonly model: string;
  readonly version: bigint;
  readonly provider?: Provider;
}

export const keyOf = ({ model, version, provider }: Other) => `${version} ${provider?.id ?? ""} ${model}`;

export function nameOf({ model, version, provider }: Other): string {
  if (provider) return `${model} on ${provider.label}`;
  return version === 0n ? model : `${model}, version ${version}`;
}

/** The other versions of the model first, then other models, those with a similar name before others. */
function othersOf(model: string, all: Iterable<ModelSummary>): Other[] {
  const list = [...all].filter(
    ({ state }) => state === ModelState.READY || state === ModelState.OLDER_SERVES,
  );
  const versions = readyVersions(list.find(({ name }) => name === model)?.versions ?? []);
  const asked = versionToAsk(getTry(model), versions) || versions.at(-1)?.number;
  const own = versions
    .filter(({ number }) => number !== asked)
    .map(({ number }) => ({ model, version: number }));
  const alike = ({ model: name }: Other) => (name.startsWith(model) || model.startsWith(name) ? 0 : 1);
  const rest = list
    .filter(({ name }) => name !== model)
    .map(({ name }) => ({ model: name, version: 0n }))
    .sort((a, b) => alike(a) - alike(b) || a.model.localeCompare(b.model));
  return [...own, ...rest];
}

/** An input of the request as it stands. A size that is not known is -1. */
export type Sent = Pick<InferInput, "name" | "datatype" | "shape">;

/** The inputs that are sent, or those that the model needs where the request cannot be read yet. */
async function sentOf(details: GetModelResponse): Promise<readonly Sent[]> {
  const entered = getTry(details.summary?.name ?? "");
  try {
    const build = entered.mode === "json" ? buildRequest : requestSoFar;
    return (await build(details, entered)).inputs;
  } catch {
    return details.inputs.filter(({ optional }) => !optional);
  }
}

const sizesFit = (sent: readonly bigint[], takes: readonly bigint[]): boolean =>
  sent.length === takes.length &&
  sent.every((size, i) => size < 0n || (takes[i] as bigint) < 0n || size === takes[i]);

/** Why a model does not take a request; "" where it does. */
export function misfit(sent: readonly Sent[], model: GetModelResponse): string {
  const { inputs, maxBatchSize } = model;
  if (model.decoupled) return "it sends as many answers as it wants";
  if (model.sequenceBatching) return "it takes sequences, and this is a single request";
  const lacks = inputs.find(({ name, optional }) => !optional && !sent.some((one) => one.name === name));
  for (const one of sent) {
    const takes = inputs.find(({ name }) => name === one.name);
    if (!takes) return `it has no input ${one.name}`;
    if (takes.datatype !== one.datatype)
      return `its input ${one.name} is ${takes.datatype}, not ${one.datatype}`;
    if (!sizesFit(one.shape, takes.shape))
      return `its input ${one.name} has the shape ${shape(takes.shape)}, not ${shape(one.shape)}`;
    if (maxBatchSize > 0 && (one.shape[0] ?? 0n) > maxBatchSize)
      return `its largest batch is ${maxBatchSize}`;
  }
  return lacks ? `it needs the input ${lacks.name} too` : "";
}

/** A model that does not take the request. */
export interface Unfit {
  readonly model: string;
  readonly why: string;
}

export interface Comparable {
  readonly others: readonly Other[];
  readonly unfit: readonly Unfit[];
  /** How many models were not asked: of very many, only the first are. */
  readonly unasked: number;
  readonly absent: readonly AbsentProvider[];
  /** Why it is not known on which providers the model can run; "" where it is. */
  readonly untold: string;
  /** Versions of the model that its policy leaves out. */
  readonly unserved: readonly Version[];
}

const mostAsked = 100;

/** Versions and models that take the request as it stands, then the model itself on each other provider. */
export function useComparable(
  details: GetModelResponse,
  all: Iterable<ModelSummary>,
): Comparable | undefined {
  const model = details.summary?.name ?? "";
  const [opened] = useState(Date.now); // another time, the request may be another
  const list = othersOf(model, all);
  const asked = list.slice(0, mostAsked);
  const { data } = useQuery({
    queryKey: ["comparable", model, opened, asked.map(keyOf).join("\n")],
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const sent = await sentOf(details);
      const why = async (other: Other) =>
        other.model === model
          ? ""
          : misfit(sent, await clients.models.getModel({ name: other.model }, { signal }));
      const [own, ...reasons] = await Promise.all([
        clients.tryIt
          .listProviders({ model }, { signal })
          .then(({ providers, absent }) => ({ providers, absent, untold: "" }))
          .catch((error: unknown) => ({ providers: [], absent: [], untold: describeError(error).message })),
        ...asked.map((other) => why(other).catch(() => "its inputs could not be read")),
      ]);
      const providers = own.providers.map((provider) => ({ model, version: 0n, provider }));
      return {
        others: [...asked.filter((_, i) => reasons[i] === ""), ...providers],
        unfit: asked
          .map(({ model: name }, i) => ({ model: name, why: reasons[i] ?? "" }))
          .filter((one) => one.why !== ""),
        unasked: list.length - asked.length,
        absent: own.absent,
        untold: own.untold,
        unserved: unserved(details.summary?.versions ?? []),
      };
    },
  });
  return data;
}
