import { clients } from "../../api/client";
import type { DescribeConversionResponse } from "../../api/conch_pb";
import { Button } from "../../ui/Button";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./convert.module.css";
import { Log, Progress } from "./Progress";
import { useEvents } from "./useEvents";

interface Props {
  readonly of: DescribeConversionResponse;
  readonly onDone: () => void;
}

/** Installs the tools, when a person says so. */
export function Tools({ of, onDone }: Props) {
  const { heard, error, log, begin, cancel } = useEvents();
  const install = () => begin((signal) => clients.conversions.installConverter({}, { signal }), onDone);
  return (
    <section className={css.tools} aria-label="Tools">
      <p>
        This needs ONNX Runtime's own tools, which are not installed. pip downloads {of.packages.join(", ")}{" "}
        and what they need (about {of.weight}, each with a known hash) from where it is configured to, into an
        environment of Conch's own.
      </p>
      {error !== undefined && <ErrorBox title="The tools were not installed" error={error} />}
      {heard ? (
        <Progress of={heard} onCancel={cancel} />
      ) : (
        <p>
          <Button look="primary" needs="app" onClick={install}>
            Install the tools
          </Button>
        </p>
      )}
      {!heard && <Log lines={log} />}
    </section>
  );
}
