// What lies in a model's folder, and the processes of a Python model: one that waits, one that executes.
const begun = Date.now();
const ns = (ms: number) => BigInt(Math.round(ms)) * 1_000_000n;

const worker = (model: string, instance: number) => ({
  name: { model, version: 1n, instance: `${model}_0_${instance}` },
  pid: 41_230 + instance,
  started: BigInt(begun - 780_000),
  memoryBytes: 61_400_000n + BigInt(instance) * 4_200_000n,
  cpuNs: instance === 1 ? ns(9_000 + (Date.now() - begun) * 0.99) : ns(412),
  restarts: instance,
  executingNs: instance === 1 ? ns(8_000 + Date.now() - begun) : 0n,
});

const stack = (model: string) => `Main thread:
  File "/home/ada/models/${model}/1/model.py", line 31 in largest
  File "/home/ada/models/${model}/1/model.py", line 24 in execute`;

export const fakeWorkers = {
  listWorkers: ({ model }: { model: string }) => ({
    workers: [worker(model, 0), worker(model, 1)],
    timeNs: ns(Date.now()),
  }),
  showStacks: ({ worker }: { worker?: { model: string } }) => ({ text: stack(worker?.model ?? "") }),
  debug: () => ({
    address: "127.0.0.1:43127",
    launch: '{\n  "name": "Conch: postprocess_0_0",\n  "type": "debugpy",\n  "request": "attach"\n}',
  }),
  interrupt: () => ({ how: "Its execution ended by KeyboardInterrupt." }),
};

export const files = () => [
  { path: "config.pbtxt", size: 412n, modified: BigInt(Date.now() - 60_000), note: "", text: true },
  {
    path: "labels.txt",
    size: 40n,
    modified: BigInt(Date.now() - 86_400_000 * 9),
    note: "labels of probabilities",
    text: true,
  },
  {
    path: "1/model.onnx",
    size: 4_112_331n,
    modified: BigInt(Date.now() - 86_400_000 * 9),
    note: "",
    text: false,
  },
  {
    path: "2/model.onnx",
    size: 4_112_331n,
    modified: BigInt(Date.now() - 3_600_000),
    note: "did not load",
    text: false,
  },
];
