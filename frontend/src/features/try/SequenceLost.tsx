/** The way out where the server does not know the sequence of a request, mostly since the sequence waited too long. */
import { Play } from "lucide-react";
import { useModel } from "../../api/queries";
import { duration, milliseconds } from "../../lib/format";
import { isUnknown } from "../../requests/parameters";
import { getTry, patchTry, tryOf, useTries } from "../../requests/tries";
import { Button } from "../../ui/Button";
import { send } from "./send";

/** What is said of the refusal; nothing of another one. */
export function sequenceLost(model: string, error: string) {
  return isUnknown(error) ? <WhyLost model={model} /> : undefined;
}

function WhyLost({ model }: { readonly model: string }) {
  const idleMs = Number(useModel(model).data?.sequenceIdleUs ?? 0n) / 1000;
  if (idleMs === 0)
    return (
      <p>
        A server ends a sequence that waits for its next request longer than max_sequence_idle_microseconds: 1
        s where the config gives no time. {afterLoads}
      </p>
    );
  const time = idleMs % 1000 === 0 ? duration(idleMs) : milliseconds(idleMs);
  return (
    <p>
      The server ends a sequence that waits for its next request longer than {time}, the model's
      max_sequence_idle_microseconds. {afterLoads}
    </p>
  );
}

const afterLoads = "It knows none from before it started, or loaded the model again.";

/** Sends what the form has as the first request of a sequence. */
export function StartSequence({ model }: { readonly model: string }) {
  const details = useModel(model).data;
  const inForm = useTries((state) => tryOf(model)(state).mode === "form");
  const running = useTries((state) => tryOf(model)(state).running !== undefined);
  if (!details?.needsSequence || !inForm) return null;
  const start = () => {
    patchTry(model, { sequence: { ...getTry(model).sequence, start: true } });
    void send(details);
  };
  return (
    <Button small needs="engine" icon={<Play />} disabled={running} onClick={start}>
      Start a new sequence
    </Button>
  );
}
