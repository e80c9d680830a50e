/** The request as it stands, as a command or a program for the clipboard. */
import { clients } from "../../api/client";
import type { GetModelResponse } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { getTry } from "../../requests/tries";
import { toast } from "../../window/toasts";
import { failureText } from "./failure";
import { buildRequest } from "./send";

export const languages = [
  { id: "curl", label: "curl", note: "KServe JSON over HTTP" },
  { id: "python", label: "Python", note: "tritonclient" },
  { id: "grpcurl", label: "grpcurl", note: "KServe over gRPC" },
] as const;

export type Language = (typeof languages)[number];

/** Whether the text is on the clipboard now; a failure becomes a toast. */
export async function copyAs({ id, label }: Language, details: GetModelResponse): Promise<boolean> {
  try {
    const request = await buildRequest(details, getTry(details.summary?.name ?? ""));
    const { text } = await clients.tryIt.snippet({ language: id, request });
    await copyText(text);
    return true;
  } catch (error) {
    toast({ level: "error", text: `The request was not copied as ${label}`, detail: failureText(error) });
    return false;
  }
}
