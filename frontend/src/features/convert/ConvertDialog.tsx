import { useQuery } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { clients } from "../../api/client";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { Spinner } from "../../ui/Spinner";
import { closeDialog, holdDialog, useDialogs } from "../../window/dialogs";
import { ErrorBox } from "../../workspace/ErrorBox";
import { Conversion, type ConversionProps } from "./Conversion";
import css from "./convert.module.css";

type DescribedProps = Pick<ConversionProps, "model" | "onRuns" | "question">;

function Described({ model, ...rest }: DescribedProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ["conversion", model],
    queryFn: ({ signal }) => clients.conversions.describeConversion({ model }, { signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  if (error)
    return <ErrorBox title="This model cannot be converted" error={error} onRetry={() => void refetch()} />;
  if (!data) return <Spinner label="Looking at the model and the tools" />;
  if (data.refused !== "") return <p className={css.warn}>{data.refused}.</p>;
  return <Conversion model={model} of={data} again={() => void refetch()} {...rest} />;
}

/** A conversion may have run for minutes: it is not stopped by a key that was pressed too often. */
function AskToStop({ onGoOn }: { readonly onGoOn: () => void }) {
  return (
    <div className={css.ask} role="alert">
      <p>The conversion still runs. When this is closed it is stopped, and nothing of it is left.</p>
      <Button small onClick={closeDialog}>
        Stop and close
      </Button>
      <Button small look="primary" onClick={onGoOn}>
        Go on
      </Button>
    </div>
  );
}

/** Turns an ONNX model to FP16 or INT8, or to a plan of TensorRT, and shows what that costs before it is written. */
export function ConvertDialog() {
  const model = useDialogs(({ open, model }) => (open === "convert" ? model : undefined));
  const [runs, setRuns] = useState(false);
  const [asked, setAsked] = useState(false);
  const onRuns = useCallback((now: boolean) => {
    setRuns(now);
    setAsked(false);
    holdDialog(now ? () => setAsked(true) : undefined);
  }, []);
  return (
    <Dialog
      title={<Named text={`Convert ${model ?? ""}`} names={[model ?? ""]} />}
      description="Makes a smaller or faster model of this one. You see what it costs before anything is written."
      open={model !== undefined}
      onClose={() => (runs && !asked ? setAsked(true) : closeDialog())}
      wide
    >
      <div className={css.body}>
        {model !== undefined && (
          <Described
            model={model}
            onRuns={onRuns}
            question={asked && <AskToStop onGoOn={() => setAsked(false)} />}
          />
        )}
      </div>
    </Dialog>
  );
}
