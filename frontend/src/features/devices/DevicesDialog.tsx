import type { ReactNode } from "react";
import type { Engine, Gpu, ModelSummary } from "../../api/conch_pb";
import { bytes } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { Row, Rows } from "../../ui/Rows";
import { closeDialog, openDialog, useDialogs } from "../../window/dialogs";
import { adaptersIn, besideGpus, deviceOf, gpuText, isRenumbered, lostName } from "../../workspace/gpuText";
import { selectStrictGpu } from "../../workspace/trust";
import { hasCuda, useRuntime } from "../../workspace/useRuntime";
import { selectReach, useWorkspace } from "../../workspace/workspace";
import {
  areFew,
  driverText,
  fullText,
  idleOf,
  isNearlyFull,
  isScarce,
  nearlyFull,
  othersText,
  sharesOf,
  unusedText,
} from "./devices";
import css from "./devices.module.css";
import { Instances } from "./Instances";
import { NotLoaded } from "./NotLoaded";
import { Others } from "./Others";
import { Shares } from "./Shares";

function Warning({ children }: { readonly children: ReactNode }) {
  return (
    <small className={css.warn} role="status">
      {children}
    </small>
  );
}

interface GpuRowProps {
  readonly of: Gpu;
  readonly models: Iterable<ModelSummary>;
  /** Whether the parts of a divided one are shown at once. */
  readonly open: boolean;
}

function GpuRow({ of, models, open }: GpuRowProps) {
  const full = isNearlyFull(of);
  const others = othersText(of);
  const shares = sharesOf(deviceOf(of), models);
  const unused = unusedText(of);
  return (
    <Row
      what={
        <>
          <strong>GPU {of.index}</strong>
          <span>
            {[gpuText(of), of.clockMhz > 0 && `${Math.round(of.clockMhz)} MHz`].filter(Boolean).join(" · ")}
          </span>
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
          {unused === "" ? <Shares of={shares} /> : <small>{unused}</small>}
          {others !== "" && <small>{others}</small>}
          {full && <Warning>{fullText(of, shares)}</Warning>}
          <Instances of={of} open={open} />
        </>
      }
    />
  );
}

interface LostRowProps {
  readonly index: number;
  readonly renumbered: boolean;
  readonly models: Iterable<ModelSummary>;
}

/** A GPU that the driver has lost, by the driver's number. The others may have other numbers since. */
function LostRow({ index, renumbered, models }: LostRowProps) {
  const shares = renumbered ? [] : sharesOf(`GPU ${index}`, models);
  return (
    <Row
      what={
        <>
          <strong>{lostName(index, renumbered)}</strong>
          <Warning>
            Its driver cannot reach it. Restart the machine to get it back.
            {renumbered &&
              " Those behind it have moved up by a number until then, so models have these numbers."}
            {shares.length > 0 && " These models were loaded on it, and their requests may fail:"}
          </Warning>
          {shares.length > 0 && <Shares of={shares} />}
        </>
      }
    />
  );
}

const processorText = ({ memoryBytes, freeBytes, remote }: Engine): string =>
  [
    remote ? `Its machine uses ${bytes(memoryBytes)}` : `The engine holds ${bytes(memoryBytes)}`,
    freeBytes > 0n && `about ${bytes(freeBytes)} are free`,
  ]
    .filter(Boolean)
    .join(", ");

/** Why ONNX models do not use the GPUs that are there, whether or not `others` do, and the way out. */
function Unused({ of, others }: { readonly of: Engine; readonly others: boolean }) {
  const used = useRuntime();
  if (!used) return null;
  const able = hasCuda(used);
  if (able && others) return null;
  return (
    <p className={css.note}>
      {!others && "No model runs on a GPU. "}
      {able
        ? "Models run there whose instance groups have KIND_GPU, or no kind."
        : `The ONNX Runtime in use (${used.name}) ${used.providers.includes("CUDA") ? "does not find all libraries of CUDA" : "has no CUDA"}, so ONNX models run ${besideGpus(of)}.`}{" "}
      {!able && (
        <Button small onClick={() => openDialog("runtimes")}>
          ONNX Runtime…
        </Button>
      )}
    </p>
  );
}

/** What becomes of models that ask for a GPU where there is none. */
const fate = (strict: boolean): string =>
  strict
    ? "are refused, because “Refuse models whose GPUs are missing” in Settings is on"
    : "have a badge, and run here as well as they can";

/** Where nothing is known of a server's GPUs, why. */
const ofServer = (metricsTrouble: string | undefined): string =>
  metricsTrouble
    ? `It is not known which GPUs the server has: ${metricsTrouble}.`
    : "The server tells of no GPU.";

function Notes({ engine }: { readonly engine: Engine | undefined }) {
  const strict = useWorkspace(selectStrictGpu);
  const silent = useWorkspace((state) => selectReach(state).engine);
  const here = engine !== undefined && engine.remote === undefined;
  if (engine && engine.gpus.length > 0)
    return (
      <>
        {engine.gpuTrouble !== "" && (
          <Warning>
            {engine.gpuTrouble} The figures are what it told last, and no model that is loaded now gets a GPU.
          </Warning>
        )}
        {engine.gpus.some(({ instances }) => instances.length > 0) && (
          <p className={css.note}>
            A program uses one instance of a divided GPU, the first, and no other GPU beside it. Start Conch
            with the UUID of another instance in <code>CUDA_VISIBLE_DEVICES</code> to use that one.
          </p>
        )}
        {engine.gpuDriver !== "" && <p className={css.note}>{driverText(engine.gpuDriver)}</p>}
        {here && engine.noCuda !== "" && <Warning>{engine.noCuda}.</Warning>}
        {here && engine.noCuda === "" && <Unused of={engine} others={engine.device.includes("GPU ")} />}
      </>
    );
  if (!engine || silent)
    return <p className={css.note}>{silent ?? "No engine runs"}, so it is not known which GPUs there are.</p>;
  if (here && engine.gpusLost.length > 0 && engine.gpuTrouble === "")
    return (
      <p className={css.note}>
        No GPU is left: models that are loaded from now on run on the processor
        {engine.accelerator && `, those of ONNX ${besideGpus(engine)}`}.
      </p>
    );
  if (here && !engine.gpusRead && engine.gpuTrouble === "")
    return (
      <p className={css.note}>The driver of GPUs has not answered yet: which GPUs there are is not known.</p>
    );
  const adapters = adaptersIn(engine.device).map((name) => ` or by ${name}`);
  const none = here
    ? `This machine has no NVIDIA GPU, or no driver for one: models run on the processor${adapters.join("")}. Those that ask for a GPU ${fate(strict)}; TensorRT plans do not run without one. Those whose groups leave the kind open (KIND_AUTO, or no instance_group) run on every GPU that Triton has.`
    : ofServer(engine.remote?.metricsTrouble);
  return <p className={css.note}>{engine.gpuTrouble || none}</p>;
}

function Devices() {
  const engine = useWorkspace((state) => state.engine);
  const models = useWorkspace((state) => state.models);
  const all = [...models.values()];
  const gpus = engine?.gpus ?? [];
  const open = areFew(gpus);
  const rows = [
    ...gpus.map((gpu) => ({ index: gpu.index, gpu })),
    ...(engine?.gpusLost ?? []).map((index) => ({ index, gpu: undefined })),
  ].sort((a, b) => a.index - b.index || Number(a.gpu === undefined) - Number(b.gpu === undefined));
  return (
    <div className={css.devices}>
      <Rows>
        {rows.map(({ index, gpu }) =>
          gpu ? (
            <GpuRow key={index} of={gpu} models={all} open={open} />
          ) : (
            <LostRow
              key={`lost ${index}`}
              index={index}
              renumbered={engine !== undefined && isRenumbered(engine, index)}
              models={all}
            />
          ),
        )}
        {engine && !engine.remote && <Others />}
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
      <Notes engine={engine} />
      <NotLoaded models={idleOf(all)} />
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
      reads
    >
      {open && <Devices />}
    </Dialog>
  );
}
