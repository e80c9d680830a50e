import { expect, test } from "vitest";
import { emptyForm, messageOf } from "./form";

test("lines that were left empty are not sent, and certificates only with TLS", () => {
  const form = {
    ...emptyForm,
    name: " staging ",
    address: " grpc://triton:8001 ",
    caFile: "/ca.pem",
    headers: [
      { name: "Authorization", value: "Bearer x", kept: false },
      { name: " ", value: "", kept: false },
    ],
  };
  expect(messageOf(form)).toMatchObject({
    name: "staging",
    address: "grpc://triton:8001",
    caFile: "",
    headers: [{ name: "authorization", value: "Bearer x" }],
  });
  expect(messageOf({ ...form, address: "grpcs://triton:8001" }).caFile).toBe("/ca.pem");
});
