import type { GetModelResponse } from "../api/conch_pb";
import { send } from "../features/try/send";
import { hasProfileOf } from "../requests/profiles";
import { getTry } from "../requests/tries";
import { goToModel, usePlace } from "../window/place";

/** Sends the request, and shows the profile of one of its steps where one is still on the page, and the answer is the one that is shown there. */
export async function profileStep(details: GetModelResponse, step: string): Promise<void> {
  const name = details.summary?.name ?? "";
  const response = await send(details, "profile");
  const isShown = getTry(name).answer?.response === response && usePlace.getState().model === name;
  if (isShown && hasProfileOf(response, step)) goToModel(step, "debug");
}
