/** One request of the history: what was sent, what came back, and the way back into the form. */
import { useQuery } from "@tanstack/react-query";
import { Undo2, X } from "lucide-react";
import { clients } from "../../api/client";
import type { GetHistoryResponse } from "../../api/conch_pb";
import { count, moment } from "../../lib/format";
import { requestTime } from "../../lib/requestTime";
import { failureTitle, tookText } from "../../requests/failed";
import { outputTensor } from "../../requests/outputs";
import { loadTry } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Spinner } from "../../ui/Spinner";
import { TensorView } from "../../ui/tensor/TensorView";
import { useEscape } from "../../ui/useEscape";
import { goToModel } from "../../window/place";
import { ErrorBox } from "../../workspace/ErrorBox";
import { StageBar } from "../../workspace/StageBar";
import css from "./requests.module.css";
import { inputTensor } from "./tensors";

type Props = { readonly id: bigint; readonly onClose: () => void };

export function RequestDetail({ id, onClose }: Props) {
  const { data, error, refetch } = useQuery({
    queryKey: ["request", String(id)],
    queryFn: ({ signal }) => clients.tryIt.getHistory({ id }, { signal }),
  });
  useEscape(onClose);
  return (
    <section className={css.detail} aria-label="Request">
      <header className={css.bar}>
        <strong className={css.title}>
          <MiddleTruncate text={data?.entry?.model ?? "Request"} />
        </strong>
        <Button small icon={<Undo2 />} disabled={!data?.request} onClick={() => data && openInTry(data)}>
          Open in try
        </Button>
        <Button small look="ghost" icon={<X />} aria-label="Close the request" onClick={onClose} />
      </header>
      <div className={css.body}>
        {error && (
          <ErrorBox title="The request could not be read" error={error} onRetry={() => void refetch()} />
        )}
        {!data && !error && <Spinner label="Reading the request" />}
        {data && <Content kept={data} />}
      </div>
    </section>
  );
}

function openInTry({ entry, request, response }: GetHistoryResponse) {
  if (!request) return;
  loadTry(request, Number(entry?.time ?? 0n), response);
  goToModel(request.model, "try");
}

function Content({ kept: { entry, request, response } }: { readonly kept: GetHistoryResponse }) {
  const time = response?.ok ? requestTime(response) : undefined;
  return (
    <>
      {entry && (
        <p className="dim">
          {moment(entry.time)} · {tookText(entry)}
          {entry.modelVersion && ` · version ${entry.modelVersion}`}
        </p>
      )}
      {response?.stopped && <p>{response.error}.</p>}
      {response && !response.ok && !response.stopped && (
        <ErrorBox title={failureTitle(response)} error={response.error} />
      )}
      {response?.decoupled && response.answers > 1n && (
        <p className="dim">{count(Number(response.answers), "answer")}; the last one is kept.</p>
      )}
      {time && <StageBar time={time} />}
      {response && response.outputs.length > 0 && <h2 className={css.heading}>Answer</h2>}
      {response?.outputs.map((output) => (
        <TensorView key={output.name} tensor={outputTensor(output)} />
      ))}
      <h2 className={css.heading}>Sent</h2>
      {request?.inputs.map((input) => (
        <TensorView key={input.name} kind="Input" tensor={inputTensor(input)} />
      ))}
      {!request && <p className="dim">What was sent is no longer kept.</p>}
    </>
  );
}
