/** The bar above a request: how it is entered, earlier ones, the same as a command, send. */
import { ChevronDown } from "lucide-react";
import type { GetModelResponse } from "../../api/conch_pb";
import { takenBack } from "../../requests/handed";
import { asJson, fromJson } from "../../requests/json";
import { requestSoFar } from "../../requests/request";
import {
  getTry,
  type ModelTry,
  patchTry,
  type TryMode,
  tryOf,
  useTries,
  versionToAsk,
} from "../../requests/tries";
import { Button } from "../../ui/Button";
import { Segmented } from "../../ui/Segmented";
import { VersionMenu } from "../../workspace/VersionMenu";
import { useModelSummary } from "../../workspace/workspace";
import { CopyAs } from "./CopyAs";
import { HistoryMenu } from "./HistoryMenu";
import { ProfileButton } from "./ProfileButton";
import { SendButton } from "./SendButton";
import css from "./try.module.css";

const modes = [
  { value: "form", label: "Form" },
  { value: "json", label: "JSON" },
] as const;

/** Changes how the request is entered; each side takes over what was changed on the other. */
async function switchMode(model: string, details: GetModelResponse | undefined, mode: TryMode) {
  const entered = getTry(model);
  if (entered.mode === mode) return;
  if (mode === "json" && details && !entered.jsonEdited) await handOver(model, details, entered);
  if (mode === "form" && entered.jsonEdited) await takeJson(model, entered.json);
  patchTry(model, { mode });
}

async function handOver(model: string, details: GetModelResponse, entered: ModelTry) {
  const handed = await requestSoFar(details, entered);
  patchTry(model, { json: asJson(handed), handed });
}

/** Puts an edited request into the form. One that cannot be read stays as it is, for the next look at it. */
async function takeJson(model: string, json: string) {
  try {
    const edited = await fromJson(model, json);
    const now = getTry(model);
    if (now.json === json) patchTry(model, { ...takenBack(edited, now), jsonEdited: false });
  } catch {
    // The form keeps what it held; the text is still there and says what is wrong with it.
  }
}

/** Models with several versions are asked for one of them. */
function VersionPicker({ model }: { readonly model: string }) {
  const versions = useModelSummary(model)?.versions ?? [];
  const chosen = useTries((state) => versionToAsk(tryOf(model)(state), versions));
  if (versions.length < 2) return null;
  return (
    <VersionMenu
      versions={versions}
      chosen={chosen}
      onChoose={(version) => patchTry(model, { version })}
      trigger={
        <Button
          small
          look="ghost"
          className={css.version}
          data-version=""
          title="The version that requests go to"
        >
          <span className={css.number}>{chosen === 0n ? "Newest" : `Version ${chosen}`}</span>
          <ChevronDown aria-hidden="true" />
        </Button>
      }
    />
  );
}

type Props = { readonly model: string; readonly details: GetModelResponse | undefined };

export function TryBar({ model, details }: Props) {
  const mode = useTries((state) => tryOf(model)(state).mode);
  return (
    <div className={css.bar}>
      <div className={css.barParts}>
        <div className={css.how}>
          <strong>Try</strong>
          <Segmented
            label="Enter the request as"
            value={mode}
            options={modes}
            onChange={(next) => void switchMode(model, details, next)}
          />
          <VersionPicker model={model} />
        </div>
        <div className={css.does}>
          <ProfileButton model={model} details={details} />
          <HistoryMenu model={model} />
          <CopyAs details={details} />
          <SendButton model={model} details={details} />
        </div>
      </div>
    </div>
  );
}
