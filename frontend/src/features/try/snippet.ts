/** The request as it stands, as a command or a program for the clipboard. */
import { clients } from "../../api/client";
import type { GetModelResponse } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { buildRequest } from "../../requests/request";
import { getTry, patchTry } from "../../requests/tries";
import { failureText } from "./failure";

export const languages = [
  { id: "curl", label: "curl", note: "KServe JSON over HTTP" },
  { id: "python", label: "Python", note: "tritonclient" },
  { id: "grpcurl", label: "grpcurl", note: "KServe over gRPC" },
] as const;

export type Language = (typeof languages)[number];

/** Why no request to the model can be written so. */
export const whyNot = ({ id }: Language, details: GetModelResponse | undefined): string | undefined =>
  (id === "curl" && details?.noCurl) || undefined;

/** Whether the text is on the clipboard now; where it is not, the pane says why. */
export async function copyAs({ id, label }: Language, details: GetModelResponse): Promise<boolean> {
  const name = details.summary?.name ?? "";
  patchTry(name, { undone: undefined });
  try {
    const request = await buildRequest(details, getTry(name));
    const { text } = await clients.tryIt.snippet({ language: id, request });
    await copyText(text);
    return true;
  } catch (error) {
    const what = `The request was not copied as ${label}`;
    patchTry(name, { undone: { what, why: failureText(error) } });
    return false;
  }
}
