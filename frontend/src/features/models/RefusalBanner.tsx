import { Access_Trust, type ModelSummary } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { goToModel } from "../../window/place";
import { BlockerActions } from "../../workspace/BlockerActions";
import { useBlocker } from "../../workspace/blocker";
import { CodeText } from "../../workspace/CodeText";
import { ErrorBox } from "../../workspace/ErrorBox";
import { type Finding, useFinding } from "../../workspace/findings";
import { type Action, dismissRefusal, unloadModel, useModelActions } from "../../workspace/modelActions";
import { modelsIn } from "../../workspace/modelsIn";
import { RunHereButton, useStrictText } from "../../workspace/StrictGpu";
import { TrustButton, UNTRUSTED } from "../../workspace/TrustButton";
import { useIsTold } from "../../workspace/told";
import { selectTrust } from "../../workspace/trust";
import { asSentence, useWorkspace } from "../../workspace/workspace";
import css from "./ModelHeader.module.css";

const titles: Record<Action, string> = {
  load: "was not loaded",
  reload: "was not reloaded",
  unload: "was not unloaded",
  stop: "is still loading",
};

/** A server says so whose flags allow no unload at all. */
const NOT_EXPLICIT = "explicit model load / unload is not allowed";

/** What follows Triton's words for the state of the only version. */
function plain(reason: string): string {
  const [, words] =
    /^.*?version \d+ is at UNAVAILABLE state: (?:[A-Z][a-z ]+: )?(.*?);?\s*$/s.exec(reason) ?? [];
  return words === undefined || /;\s+version \d+ is at /.test(words) ? reason : asSentence(words);
}

/** The problem list in sight says why. */
const whereSaid = ({ path, line }: Finding) => `The problem in line ${line} of ${path} says why.`;

/** Why the engine refused the last thing asked of this model, and the ways on. */
export function RefusalBanner({ model }: { model: ModelSummary }) {
  const refusal = useModelActions((state) => state.refused[model.name]);
  const reason = refusal?.reason ?? "";
  const finding = useFinding(model.name, reason);
  const blocker = useBlocker(model);
  const told = useIsTold(finding?.message, ["list"]);
  const trusts = useWorkspace(selectTrust) === Access_Trust.TRUSTED;
  const strict = useStrictText(model);
  if (!refusal) return null;
  // A load that waited for trust follows it by itself.
  const untrusted = reason.includes("this repository is not trusted");
  if (untrusted && trusts) return null;
  const aboutModel = refusal.action !== "unload" && refusal.waitsFor === undefined;
  const useful = (aboutModel && model.lacks) || (finding && (told ? whereSaid(finding) : finding.message));
  const words = untrusted ? UNTRUSTED : (useful ?? plain(reason));
  const alsoEnsembles =
    refusal.action === "unload" && model.usedBy.length > 0 && !reason.includes(NOT_EXPLICIT);
  return (
    <div className={css.refusal}>
      <ErrorBox short title={`${model.name} ${titles[refusal.action]}`} names={[model.name]} error={words}>
        {words !== reason && (
          <small className={css.triton} title={reason}>
            {reason}
          </small>
        )}
        {aboutModel && strict !== "" && (
          <p className={css.strict}>
            <CodeText text={strict} names={modelsIn(strict)} />
          </p>
        )}
        {aboutModel && <RunHereButton model={model} />}
        {blocker && aboutModel && <BlockerActions look="plain" model={model} blocker={blocker} />}
        {alsoEnsembles && (
          <Button small needs="engine" onClick={() => void unloadModel(model.name, true)}>
            <Named text={`Unload with ${model.usedBy.join(", ")}`} names={model.usedBy} />
          </Button>
        )}
        {untrusted && <TrustButton />}
        {refusal.action !== "unload" && !untrusted && (
          <Button small onClick={() => goToModel(model.name, "log")}>
            Show the log
          </Button>
        )}
        <Button small look="ghost" onClick={() => dismissRefusal(model.name)}>
          Dismiss
        </Button>
      </ErrorBox>
    </div>
  );
}
