import type { AbsentProvider } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { openDialog } from "../../window/dialogs";
import { asSentence } from "../../workspace/workspace";
import type { Comparable } from "./comparable";
import css from "./compare.module.css";

/** What is said in whole sentences has its stop, and clauses have none. */
const withoutStop = (text: string): string => text.replace(/\.$/, "");

const sentences = ({ why, how }: AbsentProvider): string =>
  [why, how]
    .filter((text) => text !== "")
    .map((text) => `${asSentence(withoutStop(text))}.`)
    .join(" ");

interface Props {
  readonly of: Comparable;
  /** Another dialog takes the place of this one. */
  readonly onLeave: () => void;
}

/** What people may look for in the choice, and why it is not there. */
export function NotOffered({ of: { absent, untold, unfit, unasked, unserved }, onLeave }: Props) {
  const install = () => {
    onLeave();
    openDialog("runtimes");
  };
  return (
    <>
      {unserved.map(({ number, reason }) => (
        <p key={String(number)} className={css.small}>
          Version {String(number)}: {reason}.
        </p>
      ))}
      {untold !== "" && (
        <p className={css.small}>
          It is not known on which other providers the model can run: {withoutStop(untold)}.
        </p>
      )}
      {absent.map((of) => (
        <p key={of.label} className={css.small}>
          {of.label} {of.several ? "are" : "is"} not offered. {sentences(of)}{" "}
          {of.byBuild && (
            <Button small onClick={install}>
              ONNX Runtime…
            </Button>
          )}
        </p>
      ))}
      {unfit.length > 0 && (
        <details className={css.small}>
          <summary>
            {count(unfit.length, "other model does", "other models do")} not take this request
          </summary>
          <ul className={css.unfit}>
            {unfit.map(({ model, why }) => (
              <li key={model}>
                <code>{model}</code>: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
      {unasked > 0 && (
        <p className={css.small}>
          {count(unasked, "more model that is ready was", "more models that are ready were")} not looked at.
        </p>
      )}
    </>
  );
}
