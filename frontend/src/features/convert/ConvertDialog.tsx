import { useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { Dialog } from "../../ui/Dialog";
import { Named } from "../../ui/Named";
import { Spinner } from "../../ui/Spinner";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { ErrorBox } from "../../workspace/ErrorBox";
import { Conversion } from "./Conversion";
import css from "./convert.module.css";

function Described({ model }: { readonly model: string }) {
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
  return <Conversion model={model} of={data} again={() => void refetch()} />;
}

/** Turns an ONNX model to FP16 or INT8, or to a plan of TensorRT, and shows what that costs before it is written. */
export function ConvertDialog() {
  const model = useDialogs(({ open, model }) => (open === "convert" ? model : undefined));
  return (
    <Dialog
      title={<Named text={`Convert ${model ?? ""}`} names={[model ?? ""]} />}
      description="Makes a smaller or faster model of this one. You see what it costs before anything is written."
      open={model !== undefined}
      onClose={closeDialog}
      wide
    >
      <div className={css.body}>{model !== undefined && <Described model={model} />}</div>
    </Dialog>
  );
}
