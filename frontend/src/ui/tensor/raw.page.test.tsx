import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test } from "vitest";
import { encode } from "../../lib/tensor";
import { RawView } from "./RawView";
import { show } from "./source";

test("no string of an answer turns round another one", async () => {
  const box = document.body.appendChild(document.createElement("div"));
  const root = createRoot(box);
  const raw = encode("BYTES", ["שלום \u202eevil", "line1\nline2"]);
  const shown = show({ name: "OUT", datatype: "BYTES", shape: [2n], labels: [], raw });
  await act(async () => root.render(<RawView shown={shown} />));
  expect(box.querySelector("pre")?.textContent).toBe('["שלום \\u202eevil", "line1\\nline2"]');
  expect(box.querySelector("bdi")?.textContent).toBe('"שלום \\u202eevil"');
  await act(async () => root.unmount());
});
