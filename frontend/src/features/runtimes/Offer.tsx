import type { RuntimeOffer } from "../../api/conch_pb";
import { bytes } from "../../lib/format";
import { Asked, useAsked } from "../../ui/Asked";
import { Button } from "../../ui/Button";
import { Row } from "../../ui/Rows";
import { ErrorBox } from "../../workspace/ErrorBox";
import { type Running, useInstall } from "./useInstall";

/** What happens now. How much has come is not read out: it changes every second. of is how much comes altogether; "" where nothing is downloaded. */
export function Progress({ now: { text, bytes: come }, of }: { readonly now: Running; readonly of: string }) {
  return (
    <small>
      <span role="status">{text}</span>
      {come > 0n && ` · ${bytes(come)} of ${of}`}
    </small>
  );
}

/** Where a download comes from, before it begins. */
function Source({ of: { package: what, weight, come } }: { readonly of: RuntimeOffer }) {
  return (
    <small role="status">
      pip downloads {what} ({weight}) from the package index that it is configured for, which is PyPI unless
      you have changed it.{come && ` ${come} of it are here already.`}
    </small>
  );
}

interface Props {
  readonly of: RuntimeOffer;
  readonly onDone: (name: string, text: string) => void;
  /** A person takes it from a folder instead. */
  readonly onFolder: () => void;
}

/** A build that can be installed: what it is, what it needs, and how much comes. */
export function Offer({ of, onDone, onFolder }: Props) {
  const { running, failed, stopped, begin, cancel } = useInstall(onDone);
  const [asked, ask] = useAsked();
  const install = () => {
    ask(false);
    begin({ name: of.name });
  };
  return (
    <Row
      what={
        <>
          <strong className="mono">{of.name}</strong>
          <span>Runs models on {of.runs}</span>
          {of.weight && !asked && (
            <small>
              {of.package} · {of.weight}
            </small>
          )}
          {of.needs && <small>Needs {of.needs}</small>}
          {of.unfit && <small>Does not run here: {of.unfit}</small>}
          {of.absent && <small>Not from a package: {of.absent}</small>}
          {asked && !running && <Source of={of} />}
          {stopped && !asked && <small role="status">Cancelled: nothing was installed.</small>}
          {of.come && !asked && !running && (
            <small>{of.come} of the download are kept for a week: Install… goes on from there.</small>
          )}
          {running && <Progress now={running} of={of.weight} />}
          {failed !== undefined && !asked && (
            <ErrorBox title={`${of.name} was not installed`} error={failed} />
          )}
        </>
      }
    >
      {running ? (
        <Button small autoFocus onClick={cancel}>
          Cancel
        </Button>
      ) : of.absent ? (
        <Button small needs="app" aria-label={`From a folder… ${of.name}`} onClick={onFolder}>
          From a folder…
        </Button>
      ) : (
        <Asked
          of={of.name}
          asked={asked}
          onAsk={ask}
          label="Install…"
          action={of.come ? "Download the rest" : `Download ${of.weight}`}
          onYes={install}
        />
      )}
    </Row>
  );
}
