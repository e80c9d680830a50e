import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { clients } from "../../api/client";
import type { ConversionReport, DescribeConversionResponse } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { closeDialog } from "../../window/dialogs";
import { goToModel } from "../../window/place";
import { toast } from "../../window/toasts";
import { ErrorBox } from "../../workspace/ErrorBox";
import { type Choice, firstChoice, requestOf } from "./choice";
import css from "./convert.module.css";
import { Form } from "./Form";
import { Log, Progress } from "./Progress";
import { Report } from "./Report";
import { Tools } from "./Tools";
import { typedRequests } from "./typedRequests";
import { useEvents } from "./useEvents";

/** Discards what was made when it is neither written nor kept: when the dialog closes, or another choice is made. */
function useReport() {
  const [report, setReport] = useState<ConversionReport>();
  const waiting = useRef("");
  const keep = (next?: ConversionReport) => {
    if (waiting.current !== "")
      void clients.conversions.discardConversion({ id: waiting.current }).catch(() => {});
    waiting.current = next?.id ?? "";
    setReport(next);
  };
  const written = () => {
    waiting.current = "";
  };
  useEffect(
    () => () => {
      if (waiting.current !== "")
        void clients.conversions.discardConversion({ id: waiting.current }).catch(() => {});
    },
    [],
  );
  return { report, keep, written };
}

interface WriteProps {
  readonly report: ConversionReport;
  readonly onWritten: () => void;
  readonly onDiscard: () => void;
}

function Decide({ report, onWritten, onDiscard }: WriteProps) {
  const write = useMutation({
    mutationFn: () => clients.conversions.writeConversion({ id: report.id }),
    onSuccess: ({ model, version }) => {
      onWritten();
      closeDialog();
      goToModel(model, "files");
      toast({ level: "info", text: `Version ${version} of ${model} is written` });
    },
  });
  return (
    <>
      {write.error && <ErrorBox title="Nothing was written" error={write.error} />}
      <p className={css.decide}>
        <Button onClick={onDiscard} disabled={write.isPending}>
          Discard
        </Button>
        <Button look="primary" needs="app" disabled={write.isPending} onClick={() => write.mutate()}>
          Write {report.becomes}
        </Button>
      </p>
    </>
  );
}

interface Props {
  readonly model: string;
  readonly of: DescribeConversionResponse;
  readonly again: () => void;
}

/** From the choice to the report, and to the new version. */
export function Conversion({ model, of, again }: Props) {
  const [choice, setChoice] = useState<Choice>(() => firstChoice(model));
  const [wrong, setWrong] = useState<unknown>();
  const { report, keep, written } = useReport();
  const { heard, error, log, begin, cancel } = useEvents();
  const convert = async () => {
    try {
      const request = requestOf(model, choice, of.inputs, of.maxBatchSize);
      request.typed = await typedRequests(choice, () => clients.models.getModel({ name: model }));
      setWrong(undefined);
      keep();
      begin((signal) => clients.conversions.convert(request, { signal }), keep);
    } catch (problem) {
      setWrong(problem);
    }
  };
  const missing = choice.target === "tensorrt" ? of.tensorrt === "" : !of.installed;
  const problem = wrong ?? error;
  return (
    <>
      {heard === undefined && report === undefined && <Form of={of} choice={choice} onChange={setChoice} />}
      {missing && choice.target === "tensorrt" && <p className={css.warn}>{of.noTensorrt}.</p>}
      {missing && choice.target !== "tensorrt" && <Tools of={of} onDone={again} />}
      {problem !== undefined && !heard && <ErrorBox title="Nothing was made" error={problem} />}
      {heard && <Progress of={heard} onCancel={cancel} />}
      {report && <Report of={report} target={choice.target} />}
      {!heard && <Log lines={log} />}
      {report && <Decide report={report} onWritten={written} onDiscard={() => keep()} />}
      {!heard && !report && !missing && (
        <p className={css.decide}>
          <Button look="primary" needs="app" onClick={() => void convert()}>
            Convert and compare
          </Button>
        </p>
      )}
    </>
  );
}
