import type { Gpu } from "../api/conch_pb";
import { bytes } from "../lib/format";

/** GPUs by their names, each once: "8 × NVIDIA H100". */
export function gpuNames(gpus: readonly Gpu[]): string {
  const counts = new Map<string, number>();
  for (const { name } of gpus) counts.set(name, (counts.get(name) ?? 0) + 1);
  const told = [...counts].filter(([name]) => name !== "");
  return told.map(([name, many]) => (many > 1 ? `${many} × ${name}` : name)).join(", ");
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
export function gpuText({
  name,
  totalBytes,
  usedBytes,
  utilization,
  powerWatts,
  maxPowerWatts,
  temperature,
}: Gpu): string {
  return [
    name,
    totalBytes > 0 && usedBytes >= 0
      ? `${bytes(usedBytes)} of ${bytes(totalBytes)}`
      : totalBytes > 0 && bytes(totalBytes),
    utilization >= 0 && `${Math.round(utilization * 100)} %`,
    powerWatts >= 0 &&
      `${Math.round(powerWatts)}${maxPowerWatts > 0 ? ` of ${Math.round(maxPowerWatts)}` : ""} W`,
    temperature >= 0 && `${Math.round(temperature)} °C`,
  ]
    .filter(Boolean)
    .join(" · ");
}
