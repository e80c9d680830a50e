import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import type { ConversionReport, DescribeConversionResponse } from "../../api/conch_pb";
import { clock } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { Waiting } from "../../ui/Spinner";
import { closeDialog } from "../../window/dialogs";
import { goToModel } from "../../window/place";
import { toast, toastError } from "../../window/toasts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useWorkspace } from "../../workspace/workspace";
import { builderOf, buildersOf } from "./builders";
import { type Choice, fitChoice, problemsOf, requestOf } from "./choice";
import { keepChoice, useChoice } from "./choices";
import css from "./convert.module.css";
import { Form } from "./Form";
import { Log, Progress } from "./Progress";
import { Report } from "./Report";
import { Tools } from "./Tools";
import { typedRequests } from "./typedRequests";
import { useEvents } from "./useEvents";

/** What was made and waits: also while the dialog is closed, until somebody writes or discards it, or Conch ends. */
function useReport(model: string, waiting: ConversionReport | undefined) {
  const [report, setReport] = useState(waiting);
  const left = useRef(waiting);
  const keep = (next?: ConversionReport) => {
    left.current = next;
    setReport(next);
  };
  useEffect(
    () => () => {
      if (left.current)
        toast({
          level: "info",
          names: [model],
          text: `The new model of ${model} waits as long as Conch runs, until ${until(left.current)} at most: Convert… shows its report again`,
        });
    },
    [model],
  );
  /** It is being written or discarded: who closes the dialog meanwhile is not told that it waits. */
  const decided = () => {
    left.current = undefined;
  };
  return { report, keep, decided };
}

const until = ({ untilMs }: ConversionReport): string => clock(untilMs).slice(0, "14:03".length);

/** The name of the model that is written. */
const nameIn = ({ becomes }: ConversionReport): string => becomes.replace(/^(the model|version \d+ of) /, "");

interface WriteProps {
  readonly model: string;
  readonly report: ConversionReport;
  /** It is another now, or gone, or waits after all. */
  readonly onChange: (report?: ConversionReport) => void;
  readonly onDecided: () => void;
}

function Decide({ model: of, report, onChange, onDecided }: WriteProps) {
  const { id, version: said } = report;
  const write = useMutation({
    mutationFn: () => clients.conversions.writeConversion({ id, version: said }),
    onError: async (error) => {
      const now = await clients.conversions.describeConversion({ model: of }).catch(() => undefined);
      const same = now?.waiting.find((one) => one.id === id);
      if (same) return onChange(same);
      if (!now) return onChange(report);
      toastError("Nothing was written", error); // it is gone: the choice is shown again
      onChange();
    },
    onSuccess: ({ model, version }) => {
      onChange();
      closeDialog();
      goToModel(model, "files");
      toast({ level: "info", text: `Version ${version} of ${model} is written`, names: [model] });
    },
  });
  const discard = useMutation({
    mutationFn: () => clients.conversions.discardConversion({ id }),
    onSuccess: () => onChange(),
    onError: (error) => {
      onChange(report);
      toastError("It was not discarded", error);
    },
  });
  const busy = write.isPending || discard.isPending;
  const decide = (how: { mutate: () => void }) => () => {
    onDecided(); // at once: the dialog may be closed before the first answer
    how.mutate();
  };
  return (
    <>
      {write.error && <ErrorBox title="Nothing was written" error={write.error} />}
      <p className={css.decide}>
        <span className={css.waits}>
          It waits as long as Conch runs, until {until(report)} at most, also when this is closed.
        </span>
        <Button onClick={decide(discard)} disabled={busy}>
          Discard
        </Button>
        <Button look="primary" needs="app" disabled={busy} onClick={decide(write)}>
          <Named text={`Write ${report.becomes}`} names={[nameIn(report)]} />
        </Button>
      </p>
    </>
  );
}

export interface ConversionProps {
  readonly model: string;
  readonly of: DescribeConversionResponse;
  readonly again: () => void;
  /** Whether a conversion runs, which ends with the dialog. */
  readonly onRuns: (runs: boolean) => void;
  /** What is asked about the conversion for as long as it runs. */
  readonly question?: ReactNode;
}

/** From the choice to the report, and to the new version. */
export function Conversion({ model, of, again, onRuns, question }: ConversionProps) {
  const { choice: kept, chosen } = useChoice(model);
  const choice = fitChoice(kept, of);
  const [forgotten, setForgotten] = useState<Choice>(); // what was written may be long: it can be taken back
  const [wrong, setWrong] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const [ran, setRan] = useState(false);
  const builders = buildersOf(useWorkspace(({ engine }) => engine));
  const [makes, setMakes] = useState(false); // the requests, which may be many
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  const { report, keep, decided } = useReport(model, of.waiting.at(-1));
  const { heard, error, log, begin, cancel, forget } = useEvents();
  const runs = heard !== undefined;
  useEffect(() => {
    onRuns(runs);
    return () => onRuns(false);
  }, [runs, onRuns]);
  const problems = problemsOf(choice, of.inputs, of.maxBatchSize);
  const convert = async () => {
    if (makes) return;
    if (Object.keys(problems).length > 0) return setAttempt(attempt + 1);
    setMakes(true);
    try {
      const chosen = { ...choice, gpu: builderOf(choice, builders) };
      const request = requestOf(model, chosen, of.inputs, of.maxBatchSize);
      request.typed = await typedRequests(choice, () => clients.models.getModel({ name: model }));
      if (!shown.current) return; // nobody could end what begins now
      setWrong(undefined);
      setRan(true);
      begin((signal) => clients.conversions.convert(request, { signal }), keep);
    } catch (problem) {
      setWrong(problem);
    } finally {
      setMakes(false);
    }
  };
  /** An error is one of the choice that it was made for. */
  const change = (next?: Choice) => {
    keepChoice(model, next);
    setForgotten(next ? undefined : kept);
    setWrong(undefined);
    forget();
  };
  const over = chosen && { label: "Start over", press: () => change() };
  const back = forgotten && { label: "Bring it back", press: () => change(forgotten) };
  const missing = choice.target === "tensorrt" ? of.tensorrt === "" : !of.installed;
  const problem = wrong ?? error;
  return (
    <>
      {heard === undefined && report === undefined && (
        <Form
          of={of}
          choice={choice}
          problems={attempt > 0 ? problems : {}}
          attempt={attempt}
          onChange={change}
          afresh={over || back}
        />
      )}
      {missing && !report && choice.target === "tensorrt" && <p className={css.warn}>{of.noTensorrt}.</p>}
      {missing && !report && choice.target !== "tensorrt" && <Tools of={of} onDone={again} />}
      {problem !== undefined && !heard && <ErrorBox title="Nothing was made" error={problem} />}
      {runs && question}
      {heard && <Progress of={heard} onCancel={cancel} />}
      {report && <Report of={report} />}
      {!heard && <Log lines={log} />}
      {report && <Decide model={model} report={report} onChange={keep} onDecided={decided} />}
      {!heard && !report && !missing && (
        <p className={css.decide}>
          {makes && <Waiting>Making the requests</Waiting>}
          <Button
            look="primary"
            needs="app"
            autoFocus={ran} // the focus comes back with it
            onClick={() => void convert()}
          >
            Convert and compare
          </Button>
        </p>
      )}
    </>
  );
}
