import { useEffect, useState } from "react";
import { ModelState, type ModelSummary } from "../api/conch_pb";
import { duration } from "../lib/format";
import { useReach } from "../ui/reach";
import css from "./LoadUnderWay.module.css";
import { StateIcon } from "./StateIcon";

/** Most loads are over before anyone has read that they run. */
const worthAWord = 1000;

/** What the load under way does and for how long, from its second second on; "" for none. */
export function useLoad({ loading, loadingSince }: ModelSummary): { text: string; took: string } {
  const [now, setNow] = useState(() => Date.now());
  const runs = useReach() && loadingSince > 0n;
  useEffect(() => {
    if (!runs) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, [runs]);
  const took = now - Number(loadingSince);
  return runs && took >= worthAWord ? { text: loading, took: duration(took) } : { text: "", took: "" };
}

/** Beside a model's state, in a list: that it is being loaded, and for how long. */
export function LoadUnderWay({ model }: { model: ModelSummary }) {
  const { text, took } = useLoad(model);
  if (!text) return null;
  return (
    <span className={css.load} data-loading={model.name} title={`Loading: ${text}, for ${took}`}>
      {model.state !== ModelState.LOADING && <StateIcon state={ModelState.LOADING} reason={text} />}
      {took}
    </span>
  );
}
