import type { OtherDevice } from "../../api/conch_pb";
import { Row } from "../../ui/Rows";
import { useRuntime } from "../../workspace/useRuntime";
import { Accelerator } from "./Accelerator";

function Other({ of }: { readonly of: OtherDevice }) {
  const { kind, name, maker, id, place, providers } = of;
  return (
    <Row
      what={
        <>
          <strong>{[maker, kind].filter(Boolean).join(" ")}</strong>
          <span>{[name, id, place && `at ${place}`].filter(Boolean).join(" · ")}</span>
          <small>ONNX Runtime can use it by {providers.join(", ")}.</small>
        </>
      }
    />
  );
}

/** The GPUs and NPUs of this machine that ONNX Runtime finds and NVIDIA's driver does not tell of; or why ONNX Runtime does not say. */
export function Others() {
  const runtime = useRuntime({ news: true });
  if (!runtime) return null;
  return (
    <>
      {runtime.devices.map((other, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two of one kind may have nothing that tells them apart
        <Other key={i} of={other} />
      ))}
      <Accelerator ways={runtime.devices.flatMap(({ ways }) => ways)} />
      {runtime.silence !== "" && (
        <Row
          what={
            <>
              <strong>Other devices</strong>
              <small>
                The ONNX Runtime in use ({runtime.name}) does not say which there are: {runtime.silence}.
              </small>
            </>
          }
        />
      )}
    </>
  );
}
