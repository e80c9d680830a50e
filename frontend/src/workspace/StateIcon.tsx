import { ModelState } from "../api/conch_pb";
import { cx } from "../lib/cx";
import { moment } from "../lib/format";
import { useReach } from "../ui/reach";
import css from "./StateIcon.module.css";

/** The word for a state, as tooltips and chips show it. */
export const stateWord: Record<ModelState, string> = {
  [ModelState.UNSPECIFIED]: "Unknown",
  [ModelState.UNLOADED]: "Unloaded",
  [ModelState.LOADING]: "Loading",
  [ModelState.READY]: "Ready",
  [ModelState.OLDER_SERVES]: "An earlier load serves",
  [ModelState.UNLOADING]: "Unloading",
  [ModelState.FAILED]: "Failed",
  [ModelState.DIED]: "Died",
  [ModelState.NOT_RUNNABLE]: "Cannot run here",
  [ModelState.WAITING]: "Waiting",
  [ModelState.UNTRUSTED]: "Waits for trust",
};

const look: Record<ModelState, string | undefined> = {
  [ModelState.UNSPECIFIED]: css.off,
  [ModelState.UNLOADED]: css.off,
  [ModelState.LOADING]: css.busy,
  [ModelState.READY]: css.ready,
  [ModelState.OLDER_SERVES]: css.ready,
  [ModelState.UNLOADING]: css.busy,
  [ModelState.FAILED]: css.fail,
  [ModelState.DIED]: css.fail,
  [ModelState.NOT_RUNNABLE]: css.off,
  [ModelState.WAITING]: css.off,
  [ModelState.UNTRUSTED]: css.held,
};

function Shape({ state }: { state: ModelState }) {
  switch (state) {
    case ModelState.READY:
      return <circle cx="8" cy="8" r="4.5" fill="currentColor" stroke="none" />;
    case ModelState.OLDER_SERVES:
      return (
        <>
          <circle cx="8" cy="8" r="4.5" />
          <path d="M8 3.5a4.5 4.5 0 0 1 0 9z" fill="currentColor" stroke="none" />
        </>
      );
    case ModelState.LOADING:
    case ModelState.UNLOADING:
    case ModelState.WAITING:
      return <circle cx="8" cy="8" r="4.5" strokeDasharray="14 20" />;
    case ModelState.FAILED:
    case ModelState.DIED:
      return <path d="M8 2.8 14 13H2z" fill="currentColor" stroke="none" />;
    case ModelState.UNTRUSTED:
      return <path d="M8 2.5 13 4.4v3.4c0 3-2 4.8-5 5.9-3-1.1-5-2.9-5-5.9V4.4z" />;
    case ModelState.NOT_RUNNABLE:
      return (
        <>
          <circle cx="8" cy="8" r="4.5" />
          <path d="M4.8 11.2 11.2 4.8" />
        </>
      );
    default:
      return <circle cx="8" cy="8" r="4" />;
  }
}

export interface StateIconProps {
  state: ModelState;
  /** Why it is so; joins the word in the tooltip. */
  reason?: string;
  /** Since when, in Unix milliseconds; for the tooltip. */
  since?: bigint;
}

/** A model's state by shape, with word and reason as its accessible name and tooltip. */
export function StateIcon({ state, reason, since }: StateIconProps) {
  const reach = useReach();
  const word = reach ? stateWord[state] : `Last known: ${stateWord[state]}`;
  const name = reason ? `${word}: ${reason}` : word;
  return (
    <svg
      className={cx(css.icon, reach ? look[state] : css.stale)}
      viewBox="0 0 16 16"
      role="img"
      aria-label={name}
    >
      <title>{since ? `${name}\nsince ${moment(since)}` : name}</title>
      <Shape state={state} />
    </svg>
  );
}
