/** Sends the request to another model, version or provider too, and shows how far the answers agree and how long both take. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import {
  type AnswerSide,
  type GetModelResponse,
  ModelState,
  type ModelSummary,
  type Provider,
} from "../../api/conch_pb";
import { count, significant, timesApart } from "../../lib/format";
import { buildRequest } from "../../requests/request";
import { getTry } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { Waiting } from "../../ui/Spinner";
import { Agreement } from "../../workspace/Agreement";
import { ErrorBox } from "../../workspace/ErrorBox";
import { readyVersions } from "../../workspace/VersionMenu";
import { useWorkspace } from "../../workspace/workspace";
import css from "./compare.module.css";

/** What a request can be sent to as well: "digits" and a version, another model and 0 for its newest, or this one on a provider. */
interface Other {
  readonly model: string;
  readonly version: bigint;
  readonly provider?: Provider;
}

const keyOf = ({ model, version, provider }: Other) => `${version} ${provider?.id ?? ""} ${model}`;

function nameOf({ model, version, provider }: Other): string {
  if (provider) return `${model} on ${provider.label}`;
  return version === 0n ? model : `${model}, version ${version}`;
}

/** The versions of the model first, then other models, those with a similar name before others. */
function othersOf(model: string, all: Iterable<ModelSummary>): Other[] {
  const list = [...all].filter(
    ({ state }) => state === ModelState.READY || state === ModelState.OLDER_SERVES,
  );
  const versions = readyVersions(list.find(({ name }) => name === model)?.versions ?? []);
  const own = versions.length < 2 ? [] : versions.map(({ number }) => ({ model, version: number }));
  const alike = ({ model: name }: Other) => (name.startsWith(model) || model.startsWith(name) ? 0 : 1);
  const rest = list
    .filter(({ name }) => name !== model)
    .map(({ name }) => ({ model: name, version: 0n }))
    .sort((a, b) => alike(a) - alike(b) || a.model.localeCompare(b.model));
  return [...own, ...rest];
}

const tensorsOf = ({ inputs }: GetModelResponse) =>
  inputs
    .map(({ name, datatype }) => `${name} ${datatype}`)
    .sort()
    .join("\n");

const mostAsked = 100;

/** Versions and models that take the same tensors, then the model itself on each provider. */
function useComparable(details: GetModelResponse, others: readonly Other[]) {
  const model = details.summary?.name ?? "";
  const wanted = tensorsOf(details);
  const takes = async (other: Other) =>
    other.model === model || tensorsOf(await clients.models.getModel({ name: other.model })) === wanted;
  const onProviders = async (): Promise<Other[]> => {
    const { providers } = await clients.tryIt.listProviders({ model });
    return providers.map((provider) => ({ model, version: 0n, provider }));
  };
  const list = others.slice(0, mostAsked);
  return useQuery({
    queryKey: ["comparable", model, wanted, list.map(keyOf).join("\n")],
    queryFn: async () => {
      const [own, ...fits] = await Promise.all([
        onProviders().catch(() => []),
        ...list.map((other) => takes(other).catch(() => false)),
      ]);
      return [...list.filter((_, i) => fits[i]), ...own];
    },
  });
}

/** Sends the request to both. A call that is under way ends with the dialog. */
function useComparing(details: GetModelResponse) {
  const call = useRef<AbortController>(undefined);
  useEffect(() => () => call.current?.abort(), []);
  return useMutation({
    mutationFn: async ({ model, version, provider }: Other) => {
      const controller = new AbortController();
      call.current = controller;
      const request = await buildRequest(details, getTry(details.summary?.name ?? ""));
      return clients.tryIt.compareAnswers(
        { request, model, version, provider: provider?.id ?? "" },
        { signal: controller.signal },
      );
    },
  });
}

function Side({ of }: { readonly of: AnswerSide }) {
  return (
    <tr>
      <th scope="row">
        {of.model}
        {of.version !== "" && `, version ${of.version}`}
      </th>
      <td>{of.runsOn}</td>
      <td className={css.time}>{of.medianMs > 0 && `${significant(of.medianMs, 4)} ms`}</td>
    </tr>
  );
}

function Choices({ label, of }: { readonly label: string; readonly of: readonly Other[] }) {
  if (of.length === 0) return null;
  return (
    <optgroup label={label}>
      {of.map((one) => (
        <option key={keyOf(one)} value={keyOf(one)}>
          {nameOf(one)}
        </option>
      ))}
    </optgroup>
  );
}

const faster = (first: number, second: number): string => {
  if (first <= 0 || second <= 0) return "";
  const apart = timesApart(first, second);
  if (apart === "") return "Both take the same time";
  return `The second is ${apart} ${first > second ? "faster" : "slower"}`;
};

function Comparison({ details }: { readonly details: GetModelResponse }) {
  const model = details.summary?.name ?? "";
  const models = useWorkspace((state) => state.models);
  const { data: others } = useComparable(details, othersOf(model, models.values()));
  const [chosen, setChosen] = useState("");
  const other = others?.find((one) => keyOf(one) === chosen) ?? others?.[0];
  const comparison = useComparing(details);
  if (!others) return <Waiting>Looking for models that take this request</Waiting>;
  if (!other)
    return (
      <p>
        No other model that is ready takes this request, no other version of {model} is ready, and it runs on
        no other provider.
      </p>
    );
  const { data, error, isPending } = comparison;
  const failed = [data?.first, data?.second].find((side) => side && side.error !== "");
  return (
    <div className={css.body}>
      <form
        className={css.choice}
        onSubmit={(event) => {
          event.preventDefault();
          comparison.mutate(other);
        }}
      >
        <label>
          With{" "}
          <select
            value={keyOf(other)}
            onChange={({ target }) => {
              setChosen(target.value);
              comparison.reset();
            }}
          >
            <Choices label="Loaded already" of={others.filter(({ provider }) => !provider)} />
            <Choices
              label="Loaded once more for the comparison"
              of={others.filter(({ provider }) => provider)}
            />
          </select>
        </label>
        <Button look="primary" type="submit" needs="engine" disabled={isPending}>
          Compare
        </Button>
        {isPending && (
          <Waiting>
            {other.provider
              ? `Loading ${model} once more, on ${other.provider.label}, and sending the request to both in turn`
              : "Sending the request to both in turn"}
          </Waiting>
        )}
      </form>
      {error && <ErrorBox title="The answers were not compared" error={error} />}
      {failed && <ErrorBox title={`${failed.model} did not answer`} error={new Error(failed.error)} />}
      {data?.first && data.second && !failed && (
        <section className={css.body} aria-label="Comparison">
          <table className={css.sides} aria-label="Times">
            <tbody>
              <Side of={data.first} />
              <Side of={data.second} />
            </tbody>
          </table>
          <p className={css.small}>
            {faster(data.first.medianMs, data.second.medianMs)}: median of {count(data.runs, "run")} of each
            in the engine.
          </p>
          <Agreement outputs={data.outputs} />
        </section>
      )}
    </div>
  );
}

export function CompareButton({ details }: { readonly details: GetModelResponse | undefined }) {
  const [open, setOpen] = useState(false);
  if (!details?.summary || details.decoupled) return null;
  const { name } = details.summary;
  return (
    <>
      <Button
        small
        look="ghost"
        needs="engine"
        icon={<Scale />}
        className={css.button}
        aria-label="Compare…"
        title="Sends this request to another model, version or provider too"
        onClick={() => setOpen(true)}
      >
        <span className={css.word}>Compare…</span>
      </Button>
      <Dialog
        title={<Named text={`Compare the answer of ${name}`} names={[name]} />}
        description="Sends the request as it stands to both in turn: how far do the answers agree, and how long does each take?"
        open={open}
        onClose={() => setOpen(false)}
        wide
      >
        {open && <Comparison details={details} />}
      </Dialog>
    </>
  );
}
