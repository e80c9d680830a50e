/** Sends the request to another model, version or provider too, and shows how far the answers agree and how long both take. */
import { useMutation } from "@tanstack/react-query";
import { Scale } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import type { AnswerSide, CompareAnswersResponse, GetModelResponse } from "../../api/conch_pb";
import { useModel } from "../../api/queries";
import { apart, areFew } from "../../lib/apart";
import { count, significant } from "../../lib/format";
import { buildRequest } from "../../requests/request";
import { getTry } from "../../requests/tries";
import { Breakable } from "../../ui/Breakable";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { Select } from "../../ui/Select";
import { Waiting } from "../../ui/Spinner";
import { closeDialog, openDialog, useDialogs } from "../../window/dialogs";
import { Agreement } from "../../workspace/Agreement";
import { ErrorBox } from "../../workspace/ErrorBox";
import { devicesText } from "../../workspace/gpuText";
import { asSentence, useWorkspace } from "../../workspace/workspace";
import { keyOf, nameOf, type Other, useComparable } from "./comparable";
import css from "./compare.module.css";
import { NotOffered } from "./NotOffered";

/** Sends the request to both, and tells what is done now. A call that is under way ends with the dialog, or when a person ends it. */
function useComparing(details: GetModelResponse) {
  const call = useRef<AbortController>(undefined);
  const [step, setStep] = useState("");
  useEffect(() => () => call.current?.abort(), []);
  const comparison = useMutation({
    mutationFn: async ({ model, version, provider }: Other) => {
      const controller = new AbortController();
      call.current = controller;
      setStep("");
      const request = await buildRequest(details, getTry(details.summary?.name ?? ""));
      const told = clients.tryIt.compareAnswers(
        { request, model, version, provider: provider?.id ?? "" },
        { signal: controller.signal },
      );
      let last: CompareAnswersResponse | undefined;
      for await (const event of told) {
        last = event;
        setStep(event.step);
      }
      return last;
    },
  });
  const cancel = () => {
    call.current?.abort();
    comparison.reset();
  };
  return { ...comparison, step, cancel };
}

/** Where a side runs, with many GPUs in a few words. */
const shortly = (runsOn: string): string => runsOn.replace(/\bGPU \d+(?:, GPU \d+)+/, devicesText);

function Side({ of }: { readonly of: AnswerSide }) {
  return (
    <tr>
      <th scope="row">
        <Breakable text={of.model} />
        {of.version !== "" && `, version ${of.version}`}
      </th>
      <td title={of.runsOn}>{shortly(of.runsOn)}</td>
      <td className={css.time}>
        {of.medianMs > 0 && `${significant(of.medianMs, 4)} ms`}
        {of.highMs > 0 && (
          <small>
            {significant(of.lowMs, 4)} to {significant(of.highMs, 4)}
          </small>
        )}
      </td>
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

function faster(first: AnswerSide, second: AnswerSide): string {
  const { text, worth } = apart(first, second);
  if (worth === "same") return "Both take the same time";
  if (worth === "few") return `The second was ${text}, in too few runs to rely on that`;
  if (worth === "noise") return "No difference that shows: the usual times of both overlap";
  return `The second is ${text}`;
}

/** What the times are of. */
function timesOf(runs: number, few: boolean): string {
  const begin = `Each time is ${runs === 1 ? "that" : "the median"} of ${count(runs, "run")} in the engine`;
  return few
    ? `${begin}.`
    : `${begin}, and under it are the usual times: a quarter of the runs took less, a quarter more.`;
}

interface ComparisonProps {
  readonly details: GetModelResponse;
  readonly onLeave: () => void;
}

function Comparison({ details, onLeave }: ComparisonProps) {
  const model = details.summary?.name ?? "";
  const models = useWorkspace((state) => state.models);
  const comparable = useComparable(details, models.values());
  const others = comparable?.others;
  const [chosen, setChosen] = useState("");
  const other = others?.find((one) => keyOf(one) === chosen) ?? others?.[0];
  const comparison = useComparing(details);
  const button = useRef<HTMLButtonElement>(null);
  if (!comparable || !others) return <Waiting>Looking for models that take this request</Waiting>;
  if (!other)
    return (
      <div className={css.body}>
        <p>
          No other model that is ready takes this request
          {comparable.untold === ""
            ? `, no other version of ${model} is ready, and it runs on no other provider.`
            : `, and no other version of ${model} is ready.`}
        </p>
        <NotOffered of={comparable} onLeave={onLeave} />
      </div>
    );
  const { data, error, isPending, step, cancel } = comparison;
  const giveUp = () => {
    cancel();
    button.current?.focus(); // the one that was pressed is gone
  };
  const failed = [data?.first, data?.second].find((side) => side && side.error !== "");
  return (
    <div className={css.body}>
      <form
        className={css.choice}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) comparison.mutate(other);
        }}
      >
        <Select
          label="With"
          value={keyOf(other)}
          onChange={({ target }) => {
            setChosen(target.value);
            cancel();
          }}
        >
          <Choices label="Loaded already" of={others.filter(({ provider }) => !provider)} />
          <Choices
            label="Loaded once more for the comparison"
            of={others.filter(({ provider }) => provider)}
          />
        </Select>
        <Button ref={button} look="primary" type="submit" needs="engine" aria-disabled={isPending}>
          Compare
        </Button>
        {isPending && (
          <>
            <Waiting>{asSentence(step || "starting")}</Waiting>
            <Button small onClick={giveUp}>
              Cancel
            </Button>
          </>
        )}
      </form>
      {error && <ErrorBox title="The answers were not compared" error={error} />}
      {failed && (
        <ErrorBox
          title={`${failed.model} did not answer`}
          names={[failed.model]}
          error={new Error(failed.error)}
        />
      )}
      {data?.first && data.second && !failed && (
        <section className={css.body} aria-label="Comparison">
          <table className={css.sides} aria-label="Times">
            <tbody>
              <Side of={data.first} />
              <Side of={data.second} />
            </tbody>
          </table>
          <p className={css.small}>
            {faster(data.first, data.second)}. {timesOf(data.runs, areFew(data.first, data.second))}
          </p>
          <Agreement outputs={data.outputs} />
        </section>
      )}
      <NotOffered of={comparable} onLeave={onLeave} />
    </div>
  );
}

export function CompareButton({ details }: { readonly details: GetModelResponse | undefined }) {
  if (!details?.summary || details.decoupled) return null;
  const { name } = details.summary;
  return (
    <Button
      small
      look="ghost"
      needs="engine"
      icon={<Scale />}
      className={css.button}
      aria-label="Compare…"
      title="Sends this request to another model, version or provider too"
      onClick={() => openDialog("compareAnswers", name)}
    >
      <span className={css.word}>Compare…</span>
    </Button>
  );
}

function Body({ model }: { readonly model: string }) {
  const { data, error, refetch } = useModel(model);
  if (data?.decoupled)
    return (
      <p>
        <code>{model}</code> may answer a request with several responses, and these are not compared.
      </p>
    );
  if (data) return <Comparison details={data} onLeave={closeDialog} />;
  if (!error) return <Waiting>Reading the model</Waiting>;
  return (
    <ErrorBox
      title={`The inputs of ${model} could not be read`}
      names={[model]}
      error={error}
      onRetry={() => void refetch()}
    />
  );
}

/** For the request as it is in the form. */
export function CompareDialog() {
  const model = useDialogs(({ open, model }) => (open === "compareAnswers" ? model : undefined));
  if (model === undefined) return null;
  return (
    <Dialog
      title={<Named text={`Compare the answer of ${model}`} names={[model]} />}
      description="Sends the request as it stands to both in turn: how far do the answers agree, and how long does each take?"
      open
      onClose={closeDialog}
      wide
    >
      <Body model={model} />
    </Dialog>
  );
}
