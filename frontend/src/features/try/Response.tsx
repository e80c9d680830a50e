/** The answer: how long it took and where, and every output; or why there is none. */

import type { InferResponse } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { moment, nanoseconds } from "../../lib/format";
import { requestTime } from "../../lib/requestTime";
import type { Answer } from "../../requests/tries";
import { TensorView } from "../../ui/tensor/TensorView";
import { ErrorBox } from "../../workspace/ErrorBox";
import { StageBar } from "../../workspace/StageBar";
import { failureText, isOwn } from "./failure";
import { Timeline } from "./Timeline";
import css from "./try.module.css";

type Props = { readonly model: string; readonly answer: Answer; readonly sending: boolean };

export function Response({ model, answer, sending }: Props) {
  return (
    <section className={cx(css.response, sending && css.stale)} aria-label="Response" aria-busy={sending}>
      <header className={css.head}>
        <strong>Response</strong>
        <span className={css.type} role="status">
          {summary(answer)}
        </span>
      </header>
      {answer.response?.ok && <Outputs model={model} response={answer.response} />}
      {answer.response && !answer.response.ok && <Refused response={answer.response} />}
      {answer.failure !== undefined && <NotSent failure={answer.failure} />}
    </section>
  );
}

function summary({ at, response }: Answer): string {
  if (!response?.ok) return moment(at);
  const time = requestTime(response);
  return `${moment(at)}${time ? ` · ${nanoseconds(time.totalNs)}` : ""} · version ${response.modelVersion}`;
}

function Outputs({ model, response }: { model: string; response: InferResponse }) {
  const time = requestTime(response);
  return (
    <>
      {time && <StageBar time={time} />}
      <Timeline model={model} response={response} />
      {response.outputs.map((output) => (
        <TensorView key={output.name} tensor={output} />
      ))}
      {response.outputs.length === 0 && <p className={css.hint}>The model answered without outputs.</p>}
    </>
  );
}

function Refused({ response }: { response: InferResponse }) {
  if (response.unanswered) return <ErrorBox title="No answer came" error={response.error} />;
  return (
    <ErrorBox title="The engine refused the request" error={response.error}>
      <span className={css.code}>{response.errorCode}</span>
    </ErrorBox>
  );
}

/** A request that could not be built was not sent; of one that got no answer that is not known. */
function NotSent({ failure }: { readonly failure: unknown }) {
  if (isOwn(failure)) return <ErrorBox title="Nothing was sent" error={failureText(failure)} />;
  return <ErrorBox title="No answer came" error={failure} />;
}
