/** The request as it stands, as a command or a program for the clipboard. */
import { clients } from "../../api/client";
import type { GetModelResponse } from "../../api/conch_pb";
import { copyText } from "../../lib/clipboard";
import { buildRequest } from "../../requests/request";
import { getTry, type ModelTry, patchTry } from "../../requests/tries";
import { failureText } from "./failure";

export const languages = [
  { id: "curl", label: "curl", note: "KServe JSON over HTTP", streamed: "generate_stream over HTTP" },
  { id: "python", label: "Python", note: "tritonclient", streamed: "tritonclient, a stream over gRPC" },
  { id: "grpcurl", label: "grpcurl", note: "KServe over gRPC", streamed: "KServe, a stream over gRPC" },
] as const;

export type Language = (typeof languages)[number];

/** Why no request to the model can be written so. */
export const whyNot = ({ id }: Language, details: GetModelResponse | undefined): string | undefined =>
  (id === "curl" && details?.noCurl) || undefined;

/** What the text speaks to the server: one that answers any number of times is asked for a stream. */
export const wayOf = ({ note, streamed }: Language, details: GetModelResponse | undefined): string =>
  details?.decoupled ? streamed : note;

/** What is copied is run elsewhere, where no sequence began: a later request of the form's sequence becomes a first one. */
const asFirst = (entered: ModelTry): ModelTry => ({
  ...entered,
  sequence: { ...entered.sequence, start: true },
});

/** Whether the text is on the clipboard now; where it is not, the pane says why. */
export async function copyAs({ id, label }: Language, details: GetModelResponse): Promise<boolean> {
  const name = details.summary?.name ?? "";
  patchTry(name, { undone: undefined });
  try {
    const request = await buildRequest(details, asFirst(getTry(name)));
    const { text } = await clients.tryIt.snippet({ language: id, request });
    await copyText(text);
    return true;
  } catch (error) {
    const what = `The request was not copied as ${label}`;
    patchTry(name, { undone: { what, why: failureText(error) } });
    return false;
  }
}
