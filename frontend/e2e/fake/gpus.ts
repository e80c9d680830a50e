/** Two GPUs, one of them nearly full. */
import { create } from "@bufbuild/protobuf";
import { type Gpu, GpuSchema, type GpuSeries, GpuSeriesSchema } from "../../src/api/conch_pb";

export const gpusOf = (): Gpu[] =>
  [0.94, 0.31].map((part, index) =>
    create(GpuSchema, {
      index,
      device: `GPU ${index}`,
      uuid: `GPU-${index}`,
      name: "NVIDIA H100 80GB HBM3",
      totalBytes: 85.9e9,
      usedBytes: part * 85.9e9,
      utilization: part - 0.2,
      powerWatts: 90 + part * 500,
      temperature: 31 + part * 30,
      maxPowerWatts: 700,
      clockMhz: 1980,
      processCount: index === 0 ? 2 : 1,
      processes: [
        { pid: 4242, bytes: part * 60e9, own: true },
        ...(index === 0 ? [{ pid: 7311, bytes: 12.4e9, own: false }] : []),
      ],
    }),
  );

/** Makes a line around a value. */
type Series = (base: number, amplitude: number, seed: number) => number[];

/** What a GPU did: around what it does now. */
export function gpuSeries(series: Series, gpu: Gpu): GpuSeries {
  const { index, uuid, name, totalBytes, usedBytes, utilization, powerWatts, temperature } = gpu;
  const least = (values: number[], most: number) => values.map((value) => Math.min(value, most));
  const around = (value: number, amplitude: number, most: number) => ({
    mean: least(series(value, amplitude, 20 + index), most),
    low: least(series(value - amplitude, amplitude, 20 + index), most),
    high: least(series(value + amplitude, amplitude, 20 + index), most),
  });
  const busy = around(utilization * 100, 18, 100);
  const used = around(usedBytes, totalBytes / 60, totalBytes);
  const power = around(powerWatts, 60, 700);
  const heat = around(temperature, 4, 95);
  return create(GpuSeriesSchema, {
    index,
    uuid,
    name,
    utilizationPercent: busy.mean,
    utilizationLow: busy.low,
    utilizationHigh: busy.high,
    usedBytes: used.mean,
    usedLow: used.low,
    usedHigh: used.high,
    totalBytes: series(totalBytes, 0, 30),
    powerWatts: power.mean,
    powerLow: power.low,
    powerHigh: power.high,
    powerLimit: series(700, 0, 30),
    energyJoules: power.mean,
    temperature: heat.mean,
    temperatureLow: heat.low,
    temperatureHigh: heat.high,
  });
}
