import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { clients } from "../../api/client";
import { type Engine, type Gpu, ModelState, type ModelSummary } from "../../api/conch_pb";
import { bytes, count } from "../../lib/format";
import { Dialog } from "../../ui/Dialog";
import { Row, Rows } from "../../ui/Rows";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { gpuText } from "../../workspace/gpuText";
import { useWorkspace } from "../../workspace/workspace";
import { fitText, isNearlyFull, isScarce, nearlyFull, type Share, sharesOf } from "./devices";
import css from "./devices.module.css";

function Shares({ of }: { readonly of: readonly Share[] }) {
  if (of.length === 0) return <small>No model runs here.</small>;
  return (
    <small>
      {of.map(({ model, bytes: size }) => (size > 0 ? `${model} ${bytes(size)}` : model)).join(" · ")}
    </small>
  );
}

function Warning({ children }: { readonly children: ReactNode }) {
  return (
    <small className={css.warn} role="status">
      {children}
    </small>
  );
}

function GpuRow({ of, models }: { readonly of: Gpu; readonly models: Iterable<ModelSummary> }) {
  const full = isNearlyFull(of);
  return (
    <Row
      what={
        <>
          <strong>GPU {of.index}</strong>
          <span>{gpuText(of)}</span>
          {of.totalBytes > 0 && of.usedBytes >= 0 && (
            <meter
              className={css.meter}
              aria-label={`Memory of GPU ${of.index}`}
              min={0}
              max={of.totalBytes}
              high={of.totalBytes * nearlyFull}
              value={of.usedBytes}
            />
          )}
          <Shares of={sharesOf(`GPU ${of.index}`, models)} />
          {full && (
            <Warning>
              Nearly full: another model, or a larger batch, may find no room. Unload a model, or end other
              programs on this GPU.
            </Warning>
          )}
        </>
      }
    />
  );
}

const isIdle = ({ state, ensemble }: ModelSummary) => !ensemble && state === ModelState.UNLOADED;

interface IdleProps {
  readonly model: ModelSummary;
  readonly freeBytes: bigint;
  readonly gpus: readonly Gpu[];
}

/** A model that is not loaded: how much its files are, and where that would fit. */
function Idle({ model, freeBytes, gpus }: IdleProps) {
  const newest = model.versions.at(-1)?.number ?? 1n;
  const { data } = useQuery({
    queryKey: ["weight", model.name, String(newest)],
    queryFn: ({ signal }) => clients.models.getModel({ name: model.name }, { signal }),
  });
  const files = data?.files.filter(({ path }) => path.startsWith(`${newest}/`)) ?? [];
  const size = files.reduce((sum, file) => sum + Number(file.size), 0);
  return (
    <Row
      what={
        <>
          <strong className="mono">{model.name}</strong>
          <small>
            {data
              ? [`files ${bytes(size)}`, fitText(size, freeBytes, gpus)].filter(Boolean).join(" · ")
              : "…"}
          </small>
        </>
      }
    />
  );
}

const processorText = ({ memoryBytes, freeBytes, remote }: Engine): string =>
  [
    remote ? `its machine uses ${bytes(memoryBytes)}` : `the engine holds ${bytes(memoryBytes)}`,
    freeBytes > 0n && `about ${bytes(freeBytes)} are free`,
  ]
    .filter(Boolean)
    .join(", ");

function Devices() {
  const engine = useWorkspace((state) => state.engine);
  const models = useWorkspace((state) => state.models);
  const all = [...models.values()];
  const idle = all.filter(isIdle);
  const gpus = engine?.gpus ?? [];
  return (
    <div className={css.body}>
      <Rows>
        {gpus.map((gpu) => (
          <GpuRow key={gpu.index} of={gpu} models={all} />
        ))}
        <Row
          what={
            <>
              <strong>Processor</strong>
              {engine && engine.memoryBytes > 0n && <span>{processorText(engine)}</span>}
              <Shares of={sharesOf("CPU", all)} />
              {engine && isScarce(engine.freeBytes) && (
                <Warning>
                  Little memory is left: another model, or a larger batch, may find no room. Unload a model,
                  or end other programs.
                </Warning>
              )}
            </>
          }
        />
      </Rows>
      {gpus.length === 0 && (
        <p className={css.note}>
          {engine?.gpuTrouble ||
            "This machine has no NVIDIA GPU, or no driver for one: all models run on the processor."}
        </p>
      )}
      {idle.length > 0 && (
        <>
          <h3>{count(idle.length, "model")} not loaded</h3>
          <Rows>
            {idle.slice(0, 50).map((model) => (
              <Idle key={model.name} model={model} freeBytes={engine?.freeBytes ?? 0n} gpus={gpus} />
            ))}
          </Rows>
        </>
      )}
    </div>
  );
}

/** The devices of the machine, what they do now, and which models hold how much of their memory. */
export function DevicesDialog() {
  const open = useDialogs((state) => state.open === "devices");
  return (
    <Dialog
      title="Devices"
      description="What models run on, and how much of its memory they hold now."
      open={open}
      onClose={closeDialog}
      wide
    >
      {open && <Devices />}
    </Dialog>
  );
}
