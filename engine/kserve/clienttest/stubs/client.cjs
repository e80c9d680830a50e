// Asks a server through stubs that are made of our .proto while this runs: node client.cjs FOLDER_OF_PROTOS IMPORTS ADDRESS
"use strict";

const path = require("node:path");

const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [protos, imports, address] = process.argv.slice(2);
const described = loader.loadSync(path.join(protos, "grpc_service.proto"), { includeDirs: [protos, imports], longs: Number });
const { GRPCInferenceService } = grpc.loadPackageDefinition(described).inference;
const client = new GRPCInferenceService(address, grpc.credentials.createInsecure());

const call = (name, request) =>
  new Promise((resolve, reject) => {
    client[name](request, (error, answer) => (error ? reject(error) : resolve(answer)));
  });

const values = (first) => Array.from({ length: 16 }, (_, i) => first + i);

const input = (name, first) => ({ name, datatype: "INT32", shape: [1, 16], contents: { intContents: values(first) } });

async function main() {
  const metadata = await call("ServerMetadata", {});
  const answer = await call("ModelInfer", { modelName: "add_sub", id: "7", inputs: [input("INPUT0", 100), input("INPUT1", 1)] });
  const sums = answer.rawOutputContents.map((raw) => values(0).map((i) => raw.readInt32LE(4 * i)));
  const refusal = await call("ModelInfer", { modelName: "nosuch" }).catch((error) => ({ code: error.code, details: error.details }));
  console.log(JSON.stringify({ name: metadata.name, id: answer.id, outputs: answer.outputs.map((o) => o.name), sums, refusal }));
  client.close();
}

main();
