import { useEffect, useRef } from "react";
import { InputsError } from "../../requests/request";
import { mendInput, tryOf, useTries } from "../../requests/tries";
import type { InputProps } from "./inputProps";
import { showInput } from "./showInput";

/**
 * Whether the last request was not sent because of this input, which then says why. The first such input comes into
 * sight. Once it was changed and is right, the answer no longer tells of it. Some mistakes show only when the tensor is
 * made: without a change, such an input is not right.
 */
export function useRefused(model: string, { slot, draft }: InputProps, right: boolean): boolean {
  const { name } = slot.spec;
  const failure = useTries((state) => tryOf(model)(state).answer?.failure);
  const place =
    failure instanceof InputsError ? failure.problems.findIndex(({ input }) => input === name) : -1;
  const refused = useRef({ failure, draft, batch: slot.batch });
  if (refused.current.failure !== failure) refused.current = { failure, draft, batch: slot.batch };
  useEffect(() => {
    if (failure && place === 0) showInput(name); // again after each such request
  }, [failure, place, name]);
  const changed = refused.current.draft !== draft || refused.current.batch !== slot.batch;
  const mended = place >= 0 && right && changed;
  useEffect(() => {
    if (mended) mendInput(model, name);
  }, [mended, model, name]);
  return place >= 0;
}
