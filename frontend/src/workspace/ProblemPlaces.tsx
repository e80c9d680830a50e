/** The other places that belong to a problem, each a way there. */
import { Fragment } from "react";
import type { Diagnostic, Related } from "../api/conch_pb";
import { cx } from "../lib/cx";
import { Named } from "../ui/Named";
import { revealInConfig, revealOf } from "../window/place";
import css from "./ProblemPlaces.module.css";
import { ProblemText } from "./ProblemText";
import { repeats } from "./repeats";

interface Props {
  readonly found: Diagnostic;
  /** Where the same follows from the same error: they have no rows of their own. */
  readonly also: readonly Diagnostic[];
  readonly model: string;
  readonly path: string;
  readonly className?: string;
}

/** As many lines as one reads; the first of more lead on. */
const LINES_SHOWN = 12;

export function ProblemPlaces({ found, also, model, path, className }: Props) {
  const look = cx(css.place, className);
  return (
    <>
      {also.length > 0 && (
        <span className={look}>
          {also.length === 1 ? "Also in line " : "Also in lines "}
          {also.slice(0, LINES_SHOWN).map((one, index) => (
            <Fragment key={`${one.from} ${one.line}`}>
              {index > 0 && ", "}
              <button
                type="button"
                className={css.line}
                aria-label={`Line ${one.line}`}
                onClick={() => revealInConfig(model, revealOf({ ...one, path }))}
              >
                {one.line}
              </button>
            </Fragment>
          ))}
          {also.length > LINES_SHOWN && ` and ${also.length - LINES_SHOWN} more`}
        </span>
      )}
      {found.related.map((place) => (
        <button
          key={`${place.model} ${place.from} ${place.line} ${place.message}`}
          type="button"
          className={look}
          onClick={() => revealInConfig(place.model, revealOf(place))}
        >
          <Named text={whereIs(place, model, path)} names={[place.model, place.path]} />
          {!repeats(found.message, place.message) && (
            <>
              : <ProblemText text={place.message} />
            </>
          )}
        </button>
      ))}
    </>
  );
}

function whereIs(place: Related, model: string, path: string): string {
  if (place.model !== model) return `${place.model}, line ${place.line}`;
  return place.path === path ? `line ${place.line}` : `${place.path}, line ${place.line}`;
}
