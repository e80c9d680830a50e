/** Of which text a view of the config tells, where that is not what serves. */
import { TriangleAlert } from "lucide-react";
import { useStore } from "zustand";
import { Diagnostic_Severity, ModelState } from "../../api/conch_pb";
import { count } from "../../lib/format";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { useModelSummary } from "../../workspace/workspace";
import type { Session } from "./session";
import { jump } from "./sessions";

const serving = [ModelState.READY, ModelState.OLDER_SERVES];

interface Props {
  session: Session;
  /** Shows the text, where the problem can be looked at. */
  onText: () => void;
}

export function OfWhich({ session, onText }: Props) {
  const findings = useStore(session.store, (state) => state.findings);
  const edited = useStore(session.store, (state) => state.edited);
  const { state, filesChanged } = useModelSummary(session.file.model) ?? {};
  const errors = findings.filter(
    ({ diagnostic }) => diagnostic.severity === Diagnostic_Severity.ERROR && !diagnostic.follows,
  );
  const [first] = errors;
  const serves = state !== undefined && serving.includes(state);
  const text = edited ? "The unsaved text" : "The saved file";
  if (first) {
    const open = () => {
      onText();
      // The text is mounted first, then it can show a place.
      setTimeout(() => jump(session, 0, 0, first));
    };
    return (
      <Banner
        icon={<TriangleAlert aria-hidden="true" />}
        actions={
          <Button small onClick={open}>
            Show line {first.diagnostic.line}
          </Button>
        }
      >
        {text} has {count(errors.length, "error")}, so Triton would not load it. Below is what can be read of
        it
        {serves ? "; the model serves what was loaded before." : "."}
      </Banner>
    );
  }
  if (!serves || !(edited || filesChanged)) return null;
  return (
    <Banner tone="note">
      This is of {text.charAt(0).toLowerCase() + text.slice(1)}. The model serves what was loaded before.
    </Banner>
  );
}
