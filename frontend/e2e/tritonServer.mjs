// The real tritonserver, which $CONCH_TRITON starts, and a proxy that gives it TLS.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createServer as createSecureServer } from "node:tls";
import { exitOf, ROOT } from "./workplace.mjs";

const READY_MS = 60_000;

/** A port that nobody listens on now. */
export async function freePort() {
  const server = createServer();
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

const countConfig = `backend: "python"
max_batch_size: 0
model_transaction_policy { decoupled: true }
input [{ name: "TIMES" data_type: TYPE_INT32 dims: [ 1 ] }]
output [{ name: "STEP" data_type: TYPE_INT32 dims: [ 1 ] }]
`;

/** Answers as often as it is asked to. */
const countProgram = `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            sender = request.get_response_sender()
            times = int(pb_utils.get_input_tensor_by_name(request, "TIMES").as_numpy()[0])
            for step in range(1, times + 1):
                sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("STEP", np.array([step], np.int32))]))
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
`;

/** The lines of a log that tell errors, or its end. */
function errorsOf(log) {
  const lines = log.join("").split("\n");
  const errors = lines.filter((line) => /^E\d|^error/.test(line));
  return (errors.length > 0 ? errors : lines.slice(-20)).join("\n");
}

/** A server on the examples: ONNX models, an ensemble, a Python model, and one that answers several times. */
export class TritonServer {
  static async make(place) {
    const server = new TritonServer();
    server.repository = join(place.dir, "served");
    cpSync(join(ROOT, "examples/repository"), server.repository, { recursive: true });
    mkdirSync(join(server.repository, "count/1"), { recursive: true });
    writeFileSync(join(server.repository, "count/config.pbtxt"), countConfig);
    writeFileSync(join(server.repository, "count/1/model.py"), countProgram);
    server.http = await freePort();
    server.grpc = await freePort();
    server.metrics = await freePort();
    await server.start();
    return server;
  }

  /** Starts it on its ports and waits until its models are loaded. */
  async start() {
    const flags = [
      "--model-control-mode=explicit",
      "--load-model=*",
      "--metrics-config=summary_latencies=true",
    ];
    const ports = { HTTP_PORT: this.http, GRPC_PORT: this.grpc, METRICS_PORT: this.metrics };
    const env = {
      ...process.env,
      ...Object.fromEntries(Object.entries(ports).map(([k, v]) => [k, String(v)])),
    };
    // A process group of its own: Python models run in processes beside it.
    this.child = spawn(process.env.CONCH_TRITON, [this.repository, ...flags], { env, detached: true });
    const log = [];
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on("data", (data) => log.push(String(data)));
    let gone = false;
    this.ended = exitOf(this.child).then(() => {
      gone = true;
    });
    for (const end = Date.now() + READY_MS; ; ) {
      const answer = await fetch(`http://127.0.0.1:${this.http}/v2/health/ready`).catch(() => undefined);
      if (answer?.ok) return;
      if (gone || Date.now() > end) throw new Error(`tritonserver is not ready\n${errorsOf(log)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  signal(name) {
    process.kill(-this.child.pid, name);
  }

  /** Ends it at once, also when it is frozen. */
  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) this.signal("SIGKILL");
    await this.ended;
  }
}

/** Takes TLS on a port and passes plain text, of this protocol, on to another. Its certificate is in ca. */
export async function encrypted(place, port, protocol) {
  const dir = mkdtempSync(join(place.dir, "tls-"));
  const [key, ca] = [join(dir, "key.pem"), join(dir, "ca.pem")];
  const names = ["-subj", "/CN=proxy", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", ca, ...names], {
    stdio: "ignore",
  });
  const options = { key: readFileSync(key), cert: readFileSync(ca), ALPNProtocols: [protocol] };
  rmSync(key);
  const server = createSecureServer(options, (client) => {
    const behind = connect(port, "127.0.0.1");
    const end = () => {
      client.destroy();
      behind.destroy();
    };
    for (const one of [client, behind]) one.on("error", end).on("close", end);
    client.pipe(behind).pipe(client);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  server.unref();
  return { port: server.address().port, ca };
}
