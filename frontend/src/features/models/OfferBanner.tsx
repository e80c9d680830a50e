import { PackageOpen } from "lucide-react";
import { ModelState, type ModelSummary } from "../../api/conch_pb";
import { Banner } from "../../ui/Banner";
import { Button } from "../../ui/Button";
import { installFor, useModelActions } from "../../workspace/modelActions";
import { isMoving } from "./menu";

/** So many are named; the title has all of them. */
const named = 5;

const listed = (packages: readonly string[]) =>
  packages.slice(0, named).join(", ") +
  (packages.length > named ? ` and ${packages.length - named} more` : "");

/** The packages that a model lacks, who asks for them, and the button that downloads them. */
export function OfferBanner({ model }: { model: ModelSummary }) {
  const pending = useModelActions((state) => state.pending[model.name]);
  const { offer } = model;
  if (!offer || model.state === ModelState.LOADING || model.loadingSince > 0n) return null;
  return (
    <Banner
      tone="note"
      icon={<PackageOpen aria-hidden="true" />}
      label="Packages are not installed"
      actions={
        <Button
          small
          look="primary"
          needs="engine"
          disabled={pending !== undefined || isMoving(model)}
          title={`Download and install:\n${offer.packages.join("\n")}`}
          onClick={() => void installFor(model.name, offer.id)}
        >
          Install
        </Button>
      }
    >
      <b>Packages that {offer.from} asks for are not installed.</b>{" "}
      <code title={offer.packages.join("\n")}>{listed(offer.packages)}</code>. Install downloads them, with
      what they need, into a folder of Conch. Nothing else changes on this machine.
      {offer.weight && ` On the disk they take ${offer.weight}.`}
    </Banner>
  );
}
