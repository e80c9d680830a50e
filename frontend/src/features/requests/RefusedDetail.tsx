/** One group of refused requests: the whole reason, what was asked for, and by whom. */
import { ArrowRight, X } from "lucide-react";
import type { ReactNode } from "react";
import { ModelState, type ModelSummary, type Refusal } from "../../api/conch_pb";
import { moment } from "../../lib/format";
import { visible } from "../../lib/visible";
import { adviceOf, call, more, onLines, others } from "../../requests/refusals";
import { Button } from "../../ui/Button";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { Named } from "../../ui/Named";
import { useEscape } from "../../ui/useEscape";
import { goToModel } from "../../window/place";
import { ErrorBox } from "../../workspace/ErrorBox";
import { ProblemText } from "../../workspace/ProblemText";
import { stateWord } from "../../workspace/StateIcon";
import { useSavedReason } from "../../workspace/savedReason";
import { useModelSummary, useWorkspace } from "../../workspace/workspace";
import css from "./requests.module.css";
import { useMeant } from "./useMeant";

type Props = { readonly refusal: Refusal; readonly onClose: () => void };

export function RefusedDetail({ refusal, onClose }: Props) {
  const there = useWorkspace(({ models }) => models.has(refusal.model));
  useEscape(onClose);
  const advice = adviceOf(refusal);
  return (
    <section className={css.detail} aria-label="Refused request">
      <header className={css.bar}>
        <strong className={css.title}>
          <MiddleTruncate text={refusal.model || `${refusal.port} request`} />
        </strong>
        {there && (
          <Button small icon={<ArrowRight />} onClick={() => goToModel(refusal.model)}>
            Open the model
          </Button>
        )}
        <Button small look="ghost" icon={<X />} aria-label="Close the refused request" onClick={onClose} />
      </header>
      <div className={css.body}>
        <ErrorBox
          title={`${refusal.port}: ${refusal.status}`}
          error={onLines(refusal.reason)}
          details={advice && <p>{advice}</p>}
        />
        <dl className={css.facts}>
          <Fact name="Call">{call(refusal)}</Fact>
          {refusal.model && <Fact name="Model">{refusal.model}</Fact>}
          {refusal.version && <Fact name="Version">{refusal.version}</Fact>}
          {refusal.model && <Now name={refusal.model} />}
        </dl>
        <Requests refusal={refusal} />
      </div>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="mono">{typeof children === "string" ? visible(children) : children}</dd>
    </>
  );
}

/** A port calls a model unknown that did not load as well as one that is not there. */
function Now({ name }: { readonly name: string }) {
  const model = useModelSummary(name);
  const meant = useMeant(name);
  if (model) return serves(model) ? null : <NotServing model={model} />;
  const unknown = "No model of this repository has this name";
  return (
    <>
      <dt>Now</dt>
      <dd>{meant ? <Named text={`${unknown}; did you mean ${meant}?`} names={[meant]} /> : unknown}</dd>
    </>
  );
}

function NotServing({ model }: { readonly model: ModelSummary }) {
  const why = useSavedReason(model).useful ?? model.reason;
  return (
    <>
      <dt>Now</dt>
      <dd>
        {stateWord[model.state]}
        {why && (
          <>
            : <ProblemText text={why} />
          </>
        )}
      </dd>
    </>
  );
}

const serves = ({ state }: ModelSummary) => state === ModelState.READY || state === ModelState.OLDER_SERVES;

function Requests({ refusal }: { readonly refusal: Refusal }) {
  const rest = [more(refusal), others(refusal)].filter((text) => text !== "");
  return (
    <>
      <h2 className={css.heading}>Requests, newest first</h2>
      <ul className={css.clients}>
        {refusal.newest.map(({ time, client, id }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two requests may be equal in all that is known of them
          <li key={place}>
            <span className={css.time}>{moment(time)}</span>
            <span className="mono">{visible(client)}</span>
            {id && (
              <span className={css.id}>
                ID <MiddleTruncate text={id} className="mono" />
              </span>
            )}
          </li>
        ))}
      </ul>
      {rest.map((text) => (
        <p key={text} className="dim">
          {text}
        </p>
      ))}
      {refusal.count > 1n && <p className="dim">The first was refused at {moment(refusal.first)}.</p>}
    </>
  );
}
