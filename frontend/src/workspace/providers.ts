const names: Readonly<Record<string, string>> = {
  Dml: "DirectML",
  Tensorrt: "TensorRT",
  WebGpu: "WebGPU",
  Xnnpack: "XNNPACK",
};

/** The execution providers of a build of ONNX Runtime, as their makers write them. */
export const providersText = (providers: readonly string[]): string =>
  providers.map((name) => names[name] ?? name).join(", ");
