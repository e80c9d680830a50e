import { setTimeout as pause } from "node:timers/promises";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { RefusalSchema, WatchRefusalsResponseSchema } from "../../src/api/conch_pb";

const ago = (seconds: number) => BigInt(Date.now() - seconds * 1000);

const one = (id: number, seconds: number, more: MessageInitShape<typeof RefusalSchema>) => ({
  id: BigInt(id),
  port: "HTTP",
  method: "POST",
  path: `/v2/models/${more.model}/infer`,
  status: "400 Bad Request",
  count: 1n,
  first: ago(seconds),
  newest: [{ time: ago(seconds), client: "127.0.0.1:51234", id: "" }],
  ...more,
});

const refusals = () => [
  one(1, 4, {
    model: "digits",
    reason:
      "unexpected shape for input 'image' for model 'digits'. Expected [-1,64], got [1,63]. NOTE: Setting a non-zero max_batch_size in the model config requires a batch dimension to be prepended to each input shape.",
    count: 1209n,
    newest: [4, 5, 6, 7, 8].map((s, i) => ({
      time: ago(s),
      client: `10.0.0.${17 + i}:51234`,
      id: "camera-7",
    })),
  }),
  one(2, 9, {
    port: "gRPC",
    method: "ModelInfer",
    path: "",
    model: "resnet50_trt",
    version: "2",
    status: "UNAVAILABLE",
    reason: "Request for unknown model: 'resnet50_trt' version 2 has no available versions",
    alike: 4980n,
  }),
  one(3, 60, {
    model: "digits",
    status: "500 Internal Server Error",
    reason: "failed to parse the request JSON buffer: Missing a name for object member. at 2",
  }),
  one(4, 200, {
    model: "",
    path: "/v2/models/digits/infer",
    status: "403 Forbidden",
    reason:
      "The request comes from a page of another web site. To let a page use this server, start it with --http-allow-origin=ORIGIN.",
  }),
  one(5, 400, {
    model: "wav2vec2_large_xlsr_53_german_streaming_chunked_encoder_quantised_int8",
    status: "503 Service Unavailable",
    reason: "the request needs 2.1 GB, but only 1.4 GB of the 8 GB for requests are free",
  }),
  one(6, 500, {
    model: "<img src=x onerror=alert(1)>",
    status: "404 Not Found",
    reason: "Request for unknown model: '<img src=x onerror=alert(1)>' is not found",
  }),
];

/** What the ports refused; then signs of life. */
export async function* watchRefusals(): AsyncGenerator<MessageInitShape<typeof WatchRefusalsResponseSchema>> {
  yield { reset: true, changed: refusals(), forgotten: 1204n };
  for (;;) {
    await pause(2000);
    yield {};
  }
}
