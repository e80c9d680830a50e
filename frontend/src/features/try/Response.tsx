/** The answer, docked under the request: every output, then where the time went; or why there is none. */

import { Flame } from "lucide-react";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { type InferResponse, ModelState } from "../../api/conch_pb";
import { cx } from "../../lib/cx";
import { count, moment, nanoseconds, waited } from "../../lib/format";
import { requestTime } from "../../lib/requestTime";
import { failureTitle, standsForLost, unansweredTitle } from "../../requests/failed";
import { isUnknown } from "../../requests/parameters";
import { profiledIn } from "../../requests/profiles";
import { BatchError, InputsError } from "../../requests/request";
import { type Answer, patchTry, type Running, tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { Spinner } from "../../ui/Spinner";
import { useElapsed } from "../../ui/useElapsed";
import { scrollOf } from "../../window/kept";
import { goToModel } from "../../window/place";
import { useKeptScroll } from "../../window/useKeptScroll";
import { ErrorBox } from "../../workspace/ErrorBox";
import { StageBar } from "../../workspace/StageBar";
import { TrustButton, UNTRUSTED } from "../../workspace/TrustButton";
import { useModelSummary, useWorkspace } from "../../workspace/workspace";
import { Between } from "./Between";
import { scrollName } from "./beginning";
import { failureText, isOwn } from "./failure";
import { Hanging } from "./Hanging";
import { Outputs } from "./Outputs";
import { StartSequence, sequenceLost } from "./SequenceLost";
import { Stopped } from "./Stopped";
import { Stream } from "./Stream";
import { showInput } from "./showInput";
import { Timeline } from "./Timeline";
import css from "./try.module.css";

type Props = {
  readonly model: string;
  readonly answer: Answer | undefined;
  readonly running: Running | undefined;
  /** What can be done with the answer. */
  readonly action?: ReactNode;
};

export function Response({ model, answer, running, action }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const name = scrollName(model);
  const kept = useKeptScroll(name, box);
  // What came may have sent it back to its beginning.
  const at = answer?.at;
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another answer goes to its place
  useLayoutEffect(() => {
    if (box.current && scrollOf(name) === 0) box.current.scrollTop = 0;
  }, [name, at]);
  const stale = running !== undefined && answer?.at !== running.at;
  return (
    <section className={css.response} aria-label="Response" aria-busy={running !== undefined}>
      <header className={css.responseHead}>
        <strong>Answer</strong>
        {running ? <Waiting running={running} /> : answer && <Summary answer={answer} />}
        {!running && answer && action}
      </header>
      {running && <Hanging model={model} running={running} known={answer?.response?.stopped} />}
      <div ref={kept} className={cx(css.answer, stale && css.stale)}>
        <div className={css.parts} data-answer={answer?.at ?? ""}>
          {answer && <Body model={model} answer={answer} next={stale} />}
        </div>
      </div>
    </section>
  );
}

function Waiting({ running }: { readonly running: Running }) {
  const elapsed = useElapsed(running.at) ?? 0;
  return (
    <span className={css.waiting}>
      <Spinner label="Waiting for the answer" />
      {running.stopping ? "stopping, " : "waiting, "}
      {waited(elapsed)}
    </span>
  );
}

/** When it came, and what it is. What was never sent has no time. */
function Summary({ answer }: { readonly answer: Answer }) {
  if (isOwn(answer.failure)) return null;
  return (
    <span className={css.type} role="status">
      {summary(answer)}
    </span>
  );
}

function summary({ at, response }: Answer): string {
  if (!response) return moment(at);
  const time = requestTime(response);
  return [
    moment(at),
    time && nanoseconds(time.totalNs),
    response.modelVersion && `version ${response.modelVersion}`,
    response.decoupled && count(Number(response.answers), "answer"),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The ways to the profiles. An ensemble runs nothing itself: those of its steps are on their pages. */
function Profiles({ model, response }: { model: string; response: InferResponse }) {
  const ensemble = useModelSummary(model)?.ensemble ?? false;
  return (ensemble ? profiledIn(response) : [model]).map((name) => (
    <Button key={name} small icon={<Flame />} onClick={() => goToModel(name, "debug")}>
      {ensemble ? <Named text={`Show the profile of ${name}`} names={[name]} /> : "Show the profile"}
    </Button>
  ));
}

function Body({ model, answer, next }: { model: string; answer: Answer; next: boolean }) {
  const { at, response, parts, failure, lacking = [] } = answer;
  return (
    <>
      {response && <Older model={model} answer={answer} />}
      {response && response.profiles.length > 0 && (
        <p className={css.profiled}>
          <Profiles model={model} response={response} />
        </p>
      )}
      {response?.stopped && <Ended key={at} model={model} response={response} next={next} />}
      {response && !response.ok && !response.stopped && <Refused model={model} response={response} />}
      {failure !== undefined && <NotSent model={model} answer={answer} />}
      {parts && (parts.length > 0 || !response) && <Stream parts={parts} />}
      {lacking.length > 0 && (
        <p className={css.hint} role="note">
          <b>{lacking.join(", ")}</b> {lacking.length === 1 ? "was" : "were"} not answered, though the request
          succeeded. When a Python program gives another name, the model's log names it.
        </p>
      )}
      {response?.ok && !parts && <Outputs outputs={response.outputs} />}
      {response && <Times model={model} response={response} />}
    </>
  );
}

/** Of a request whose answer was lost, the model that ran it is gone too. */
function Ended(props: { readonly model: string; readonly response: InferResponse; readonly next: boolean }) {
  if (standsForLost(props.response)) return <p className={css.stopped}>{props.response.error}.</p>;
  return <Stopped {...props} />;
}

/** Says of an answer that what serves now may be another version or have another config. */
function Older({ model, answer: { at, response } }: { readonly model: string; readonly answer: Answer }) {
  const summary = useModelSummary(model);
  const isElsewhere = useWorkspace(({ engine }) => engine?.remote !== undefined); // it does not tell when it loaded
  const ended = at + Number(response?.timings?.roundTripNs ?? 0n) / 1e6;
  const loaded = Number(summary?.loaded ?? 0n);
  const serves = summary?.state === ModelState.READY || summary?.state === ModelState.OLDER_SERVES;
  const answered = response !== undefined && !response.unanswered && !standsForLost(response);
  if (!serves || isElsewhere || !answered || loaded <= ended) return null;
  const version = response?.modelVersion;
  return (
    <p className={css.hint} role="note">
      {version ? `Answered by version ${version}` : "Answered"} before the model was loaded at{" "}
      {moment(loaded)}. Send it again to ask what serves now.
    </p>
  );
}

function Times({ model, response }: { readonly model: string; readonly response: InferResponse }) {
  const time = response.ok ? requestTime(response) : undefined;
  return (
    <>
      {response.steps.length > 0 && <Between model={model} response={response} />}
      {time && <StageBar time={time} />}
      <Timeline model={model} response={response} />
    </>
  );
}

/** Said of a model whose process ended: the engine starts another one. */
const ENDED = /^Stub process '.*' is not healthy\. Its process (ended|was ended)/;

function Refused({ model, response }: { model: string; response: InferResponse }) {
  const untrusted = useModelSummary(model)?.state === ModelState.UNTRUSTED;
  if (untrusted)
    return (
      <ErrorBox title={failureTitle(response)} error={UNTRUSTED}>
        <TrustButton />
      </ErrorBox>
    );
  const ended = ENDED.test(response.error);
  return (
    <ErrorBox
      title={failureTitle(response)}
      error={response.error}
      details={
        ended ? (
          <p>Conch starts it again; the log has what it wrote last.</p>
        ) : (
          sequenceLost(model, response.error)
        )
      }
    >
      {isUnknown(response.error) && <StartSequence model={model} />}
      {ended && (
        <Button small onClick={() => goToModel(model, "log")}>
          Show the log
        </Button>
      )}
      {response.errorCode && !response.unanswered && <span className={css.code}>{response.errorCode}</span>}
    </ErrorBox>
  );
}

/** A request that could not be built was not sent; of one that got no answer that is not known. */
function NotSent({
  model,
  answer: { failure, mended, before, parts = [] },
}: {
  readonly model: string;
  readonly answer: Answer;
}) {
  const batchIsWrong = useTries((state) => tryOf(model)(state).batchTyped !== undefined);
  if (failure instanceof InputsError)
    return <WrongInputs model={model} failure={failure} mended={mended ?? []} before={before} />;
  if (failure instanceof BatchError && !batchIsWrong) return <AllMended model={model} before={before} />;
  if (isOwn(failure)) return <ErrorBox title="Nothing was sent" error={failureText(failure)} />;
  return <ErrorBox title={unansweredTitle(parts.length)} error={failure} />;
}

type MendedProps = { readonly model: string; readonly before: Answer | undefined };

/** The answer before is the newest again. */
function AllMended({ model, before }: MendedProps) {
  useLayoutEffect(() => {
    if (before) patchTry(model, { answer: before });
  }, [model, before]);
  return <p className="dim">Nothing was sent yet. Send the request again.</p>;
}

type Wrong = MendedProps & { readonly failure: InputsError; readonly mended: readonly string[] };

/** Each input that is still wrong, with the way to it. */
function WrongInputs({ failure, mended, ...above }: Wrong) {
  const problems = failure.problems.filter(({ input }) => !mended.includes(input));
  if (problems.length === 0) return <AllMended {...above} />;
  const title =
    problems.length === 1 ? "Nothing was sent" : `Nothing was sent: ${problems.length} inputs are wrong`;
  return (
    <ErrorBox
      title={title}
      error=""
      details={
        <ul className={css.wrongInputs}>
          {problems.map(({ input, message, empty }) => (
            <li key={input}>
              <button type="button" className={css.toInput} onClick={() => showInput(input)}>
                {input}
              </button>{" "}
              {empty ? "nothing was given yet" : message /* the form says what it takes */}
            </li>
          ))}
        </ul>
      }
    />
  );
}
