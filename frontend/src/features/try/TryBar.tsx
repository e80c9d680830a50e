/** The bar above a request: how it is entered, earlier ones, the same as a command, send. */
import { Play } from "lucide-react";
import type { GetModelResponse } from "../../api/conch_pb";
import { getTry, patchTry, type TryMode, tryOf, useTries } from "../../stores/tries";
import { Button } from "../../ui/Button";
import { Segmented } from "../../ui/Segmented";
import { Spinner } from "../../ui/Spinner";
import { CopyAs } from "./CopyAs";
import { HistoryMenu } from "./HistoryMenu";
import { asJson } from "./json";
import { buildRequest, send } from "./send";
import css from "./try.module.css";

const modes = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;

/** Changes how the request is entered. The first look at the JSON shows what the form holds. */
function switchMode(model: string, details: GetModelResponse | undefined, mode: TryMode) {
  const entered = getTry(model);
  if (mode === "json" && entered.json === "" && details)
    patchTry(model, { json: formAsJson(details, model) });
  patchTry(model, { mode });
}

function formAsJson(details: GetModelResponse, model: string): string {
  try {
    return asJson(buildRequest(details, { ...getTry(model), mode: "form" }));
  } catch {
    return '{\n  "inputs": []\n}\n'; // what the form holds is no request yet; it says so itself
  }
}

type Props = { readonly model: string; readonly details: GetModelResponse | undefined };

export function TryBar({ model, details }: Props) {
  const mode = useTries((state) => tryOf(model)(state).mode);
  const sending = useTries((state) => tryOf(model)(state).sending);
  return (
    <div className={css.bar}>
      <strong>Try</strong>
      <Segmented
        label="Enter the request as"
        value={mode}
        options={modes}
        onChange={(next) => switchMode(model, details, next)}
      />
      <span className={css.spacer} />
      <HistoryMenu model={model} />
      <CopyAs details={details} />
      <Button
        small
        look="primary"
        icon={sending ? <Spinner label="Waiting for the answer" /> : <Play />}
        shortcut="Ctrl ⏎"
        disabled={!details || sending}
        onClick={() => details && void send(details)}
      >
        Send
      </Button>
    </div>
  );
}
