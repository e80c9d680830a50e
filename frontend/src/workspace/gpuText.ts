import type { Gpu } from "../api/conch_pb";
import { bytes } from "../lib/format";

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
