import { X } from "lucide-react";
import { Fragment } from "react";
import type { NamePlace } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { Button } from "../../ui/Button";
import { useEscape } from "../../ui/useEscape";
import css from "./editor.module.css";
import type { AskedName } from "./names";
import type { Session } from "./session";

function Row({ place, session }: { place: NamePlace; session: Session }) {
  return (
    <li className={css.problem}>
      <button type="button" className={css.use} onClick={() => session.goTo(place)}>
        <span className={css.where}>line {place.line}</span>
        <span className={css.useText}>{place.text}</span>
        <span className={css.role}>{place.role}</span>
      </button>
    </li>
  );
}

/** Every place that a name stands at, by model; the list stays while one is looked at after the other. */
export function UsesList({ session, uses }: { session: Session; uses: AskedName }) {
  const { places, title } = uses.answer;
  useEscape(() => session.close("uses"));
  return (
    <section className={css.problems} aria-label="Uses">
      <div className={css.problemsHead}>
        <b>{count(places.length, "place")}</b>
        <span className={css.message}>of {title}</span>
        <span className={css.space} />
        <Button
          small
          look="ghost"
          aria-label="Close the list of uses"
          icon={<X />}
          onClick={() => session.close("uses")}
        />
      </div>
      <ul className={css.problemRows}>
        {places.map((place, index) => (
          <Fragment key={`${place.model} ${place.from}`}>
            {places[index - 1]?.model !== place.model && <li className={css.group}>{place.model}</li>}
            <Row place={place} session={session} />
          </Fragment>
        ))}
      </ul>
    </section>
  );
}
