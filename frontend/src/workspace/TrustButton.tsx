import { Button } from "../ui/Button";
import { trustRepository } from "./trust";

/** Why a model that runs code of its own does nothing yet. */
export const UNTRUSTED = "It runs code of its own, and this repository is not trusted.";

/** The answer to that, where a person meets it. */
export const TrustButton = () => (
  <Button small needs="app" onClick={() => void trustRepository(true)}>
    Trust this repository
  </Button>
);
