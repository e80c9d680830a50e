/** Sends what is entered. While a request runs, it stops that one and shows the time that has passed. */
import { Play, Square } from "lucide-react";
import type { GetModelResponse } from "../../api/conch_pb";
import { waited } from "../../lib/format";
import { tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { useElapsed } from "../../ui/useElapsed";
import { keys, readable } from "../../window/keys";
import { send, stop } from "./send";
import css from "./try.module.css";

/** Most requests are answered before: the button stays as it is. */
const stopAfterMs = 300;

type Props = { readonly model: string; readonly details: GetModelResponse | undefined };

export function SendButton({ model, details }: Props) {
  const running = useTries((state) => tryOf(model)(state).running);
  const elapsed = useElapsed(running?.at);
  if (running && elapsed !== undefined && elapsed >= stopAfterMs) {
    return (
      <Button
        small
        icon={<Square />}
        className={css.stop}
        aria-disabled={running.stopping}
        title={running.stopping ? "The request is being stopped" : "Stop the request; the model is free then"}
        onClick={() => void stop(model)}
      >
        {running.stopping ? "Stopping" : "Stop"}
        <span className={css.elapsed} aria-hidden="true">
          {waited(elapsed)}
        </span>
      </Button>
    );
  }
  return (
    <Button
      small
      look="primary"
      needs="engine"
      icon={<Play />}
      shortcut={readable(keys.send)}
      aria-busy={running !== undefined}
      disabled={!details}
      onClick={() => details && void send(details)}
    >
      Send
    </Button>
  );
}
