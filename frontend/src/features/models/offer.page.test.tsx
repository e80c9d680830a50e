import { create } from "@bufbuild/protobuf";
import { act } from "react";
import { createRoot } from "react-dom/client";
import { expect, test, vi } from "vitest";
import { clients } from "../../api/client";
import { InstallResponseSchema, ModelState, ModelSummarySchema, OfferSchema } from "../../api/conch_pb";
import { useWorkspace } from "../../workspace/workspace";
import { OfferBanner } from "./OfferBanner";

const offer = create(OfferSchema, { id: "7", packages: ["torch>=2.1", "numpy"], from: "requirements.txt" });

test("what would be installed is shown, and is installed when it is asked for", async () => {
  useWorkspace.setState({ connection: "live" });
  const install = vi.spyOn(clients.models, "install").mockResolvedValue(create(InstallResponseSchema));
  const root = createRoot(document.body.appendChild(document.createElement("div")));
  const model = create(ModelSummarySchema, { name: "reader", state: ModelState.FAILED, offer });
  await act(async () => root.render(<OfferBanner model={model} />));
  expect(document.body.textContent).toContain("Packages that requirements.txt asks for are not installed.");
  expect(document.querySelector("code")?.textContent).toBe("torch>=2.1, numpy");
  expect(document.body.textContent).not.toContain("On the disk");
  const large = { ...model, offer: { ...offer, weight: "2.1 GB" } };
  await act(async () => root.render(<OfferBanner model={large} />));
  expect(document.body.textContent).toContain("On the disk they take 2.1 GB.");
  expect(install).not.toHaveBeenCalled();
  await act(async () => document.querySelector("button")?.click());
  expect(install).toHaveBeenCalledWith({ model: "reader", offer: "7" });
  for (const other of [{ loadingSince: 1n }, { state: ModelState.LOADING }, { offer: undefined }]) {
    await act(async () => root.render(<OfferBanner model={{ ...model, ...other }} />));
    expect(document.querySelector("section")).toBeNull();
  }
  await act(async () => root.unmount());
});
