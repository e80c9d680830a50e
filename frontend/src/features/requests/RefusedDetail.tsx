/** One group of refused requests: the whole reason, what was asked for, and by whom. */
import { ArrowRight, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Refusal } from "../../api/conch_pb";
import { moment } from "../../lib/format";
import { visible } from "../../lib/visible";
import { call, more, onLines, others } from "../../requests/refusals";
import { Button } from "../../ui/Button";
import { MiddleTruncate } from "../../ui/MiddleTruncate";
import { useEscape } from "../../ui/useEscape";
import { goToModel } from "../../window/place";
import { ErrorBox } from "../../workspace/ErrorBox";
import { useWorkspace } from "../../workspace/workspace";
import css from "./requests.module.css";

type Props = { readonly refusal: Refusal; readonly onClose: () => void };

export function RefusedDetail({ refusal, onClose }: Props) {
  const there = useWorkspace(({ models }) => models.has(refusal.model));
  useEscape(onClose);
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
        <ErrorBox title={`${refusal.port}: ${refusal.status}`} error={onLines(refusal.reason)} />
        <dl className={css.facts}>
          <Fact name="Call">{call(refusal)}</Fact>
          {refusal.model && <Fact name="Model">{refusal.model}</Fact>}
          {refusal.version && <Fact name="Version">{refusal.version}</Fact>}
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
