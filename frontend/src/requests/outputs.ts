/** An output of an answer as a tensor that can be looked at. A large one is read from the program in parts. */
import { clients } from "../api/client";
import type { OutputTensor } from "../api/conch_pb";
import type { Grid, Part, Tensor } from "../ui/tensor/source";

/** The same object for the same output, so that what was read is not read again. */
const known = new WeakMap<OutputTensor, Tensor>();

export function outputTensor(output: OutputTensor): Tensor {
  const before = known.get(output);
  if (before) return before;
  const { name, datatype, shape, raw, labels, source, count } = output;
  const far =
    source > 0n ? { count: Number(count), read: (grid: Grid) => readGrid(source, grid) } : undefined;
  const tensor = { name, datatype, shape, raw, labels, far };
  known.set(output, tensor);
  return tensor;
}

async function readGrid(source: bigint, grid: Grid): Promise<Part> {
  const { raw, sizes } = await clients.tryIt.readTensor({
    source,
    start: BigInt(grid.start),
    rows: BigInt(grid.rows),
    rowStride: BigInt(grid.rowStride),
    columns: BigInt(grid.columns),
    columnStride: BigInt(grid.columnStride),
  });
  return { raw, sizes: sizes.map(Number) };
}
