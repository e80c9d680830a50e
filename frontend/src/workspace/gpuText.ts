import type { DeviceMemory, Engine, Gpu, GpuInstance } from "../api/conch_pb";
import { bytes } from "../lib/format";

/** Names, each once: "8 × NVIDIA H100". Empty ones are left out. */
export function countedNames(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const told = [...counts].filter(([name]) => name !== "");
  return told.map(([name, many]) => (many > 1 ? `${many} × ${name}` : name)).join(", ");
}

export const gpuNames = (gpus: readonly Gpu[]): string => countedNames(gpus.map(({ name }) => name));

/** What models call a GPU, or the instance of a divided one that they get; "" where CUDA shows them neither. */
export const deviceOf = ({ device, instances }: Gpu): string =>
  device || (instances.find((one) => one.device !== "")?.device ?? "");

/** The names of a list of devices as the server joins them, "CPU, GPU 0, GPU 1". */
export const devicesIn = (list: string): string[] => list.split(", ").filter(Boolean);

/** Those that are neither the processor nor a GPU of NVIDIA: "WebGPU". */
export const adaptersIn = (list: string): string[] =>
  devicesIn(list).filter((name) => name !== "CPU" && !name.startsWith("GPU "));

/** Where ONNX models run that are on no GPU of NVIDIA. */
export const besideGpus = ({ accelerator, device }: Engine): string =>
  accelerator ? `by ${adaptersIn(device)[0] ?? accelerator}` : "on the processor";

/** Whether a GPU that the driver has lost has left its number to one behind it, since the engine has started without it. */
export const isRenumbered = ({ gpus }: Pick<Engine, "gpus">, index: number): boolean =>
  gpus.some((one) => one.index === index);

/** The name of a GPU that is lost. Where another has its number now, the number alone would name two. */
export const lostName = (index: number, renumbered = false): string =>
  renumbered ? `The lost GPU, which was GPU ${index}` : `GPU ${index} (lost)`;

/** Those of a model's devices that the driver has lost: "GPU 1". */
export const lostUnder = (engine: Engine | undefined, devices: string): string[] =>
  (engine?.gpusLost ?? [])
    .filter((index) => engine && !isRenumbered(engine, index) && devicesIn(devices).includes(`GPU ${index}`))
    .map((index) => lostName(index));

/** So many GPUs are named one by one where there is little room. */
const mostNamed = 2;

/** A list of devices in a few words: "CPU, GPU 0", but "CPU, 8 GPUs". */
export function devicesText(list: string): string {
  const all = devicesIn(list);
  const gpus = all.filter((name) => name.startsWith("GPU "));
  if (gpus.length <= mostNamed) return list;
  return [...all.filter((name) => !gpus.includes(name)), `${gpus.length} GPUs`].join(", ");
}

/** A list of devices where there is room for one name: "GPU 0", "2 GPUs", "3 devices". */
export function deviceCount(list: string): string {
  const all = devicesIn(list);
  if (all.length < 2) return list;
  return `${all.length} ${all.every((name) => name.startsWith("GPU ")) ? "GPUs" : "devices"}`;
}

/** What is held on GPUs: on each where they are few, on all together where they are many. */
export function heldOnGpus(held: readonly DeviceMemory[]): { device: string; bytes: number }[] {
  const list = held
    .filter(({ device }) => device !== "CPU")
    .map(({ device, bytes }) => ({ device, bytes: Number(bytes) }));
  if (list.length <= mostNamed) return list;
  return [{ device: `${list.length} GPUs`, bytes: sum(list.map(({ bytes }) => bytes)) }];
}

/** How much of its memory is used, "12.0 GiB of 80.0 GiB"; "" where its driver tells nothing. */
export function memoryText({ totalBytes, usedBytes }: Gpu | GpuInstance): string {
  if (totalBytes <= 0) return "";
  return usedBytes >= 0 ? `${bytes(usedBytes)} of ${bytes(totalBytes)}` : bytes(totalBytes);
}

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

/** What many GPUs are and do together. Of one that does not tell its memory nothing is added up. */
export function gpusText(gpus: readonly Gpu[]): string {
  const told = gpus.every(({ totalBytes, usedBytes }) => totalBytes > 0 && usedBytes >= 0);
  const of = (value: (gpu: Gpu) => number) => bytes(sum(gpus.map(value)));
  return [
    gpuNames(gpus) || String(gpus.length),
    told && `${of(({ usedBytes }) => usedBytes)} of ${of(({ totalBytes }) => totalBytes)}`,
    "each one in Devices…",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** What a GPU is and does; -1 stands for what its driver does not tell. */
export function gpuText(gpu: Gpu): string {
  const { name, utilization, powerWatts, maxPowerWatts, temperature } = gpu;
  return [
    name,
    memoryText(gpu),
    utilization >= 0 && `${Math.round(utilization * 100)} %`,
    powerWatts >= 0 &&
      `${Math.round(powerWatts)}${maxPowerWatts > 0 ? ` of ${Math.round(maxPowerWatts)}` : ""} W`,
    temperature >= 0 && `${Math.round(temperature)} °C`,
  ]
    .filter(Boolean)
    .join(" · ");
}
