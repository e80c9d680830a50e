import type { KeyBinding } from "@codemirror/view";
import type { Key } from "../../window/keys";

/** A key of the window's table as the editor's library binds it. */
export const binding = ({ press, mac }: Key): Pick<KeyBinding, "key" | "mac"> => ({
  key: press,
  ...(mac !== undefined && { mac }),
});
