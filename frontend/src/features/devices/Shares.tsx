import { useState } from "react";
import { bytes } from "../../lib/format";
import { Button } from "../../ui/Button";
import { Named } from "../../ui/Named";
import { firstShares, type Share } from "./devices";

/** The models on a device, with what they hold. Of many the largest are named, and all of them when a person asks. */
export function Shares({ of }: { readonly of: readonly Share[] }) {
  const [whole, setWhole] = useState(false);
  const [named, left] = firstShares(of);
  const shown = whole ? of : named;
  if (of.length === 0) return <small>No model runs here.</small>;
  return (
    <small>
      <Named
        text={shown
          .map(({ model, bytes: size }) => (size > 0 ? `${model} ${bytes(size)}` : model))
          .join(" · ")}
        names={shown.map(({ model }) => model)}
      />
      {left.length > 0 && !whole && (
        <>
          {" "}
          <Button small look="ghost" onClick={() => setWhole(true)}>
            and {left.length} more, {bytes(left.reduce((sum, { bytes }) => sum + bytes, 0))}
          </Button>
        </>
      )}
    </small>
  );
}
