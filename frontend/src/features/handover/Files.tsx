import { useState } from "react";
import type { ExportFile } from "../../api/conch_pb";
import { Tabs } from "../../ui/Tabs";
import css from "./HandoverDialog.module.css";

/** The files of the export, one at a time. */
export function Files({ list }: { list: readonly ExportFile[] }) {
  const [chosen, setChosen] = useState("");
  const shown = list.some(({ name }) => name === chosen) ? chosen : (list[0]?.name ?? "");
  return (
    <div className={css.files}>
      <Tabs
        label="Files"
        value={shown}
        onChange={setChosen}
        tabs={list.map(({ name, text }) => ({
          value: name,
          label: name,
          content: (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what does not fit is scrolled with the keys
            <pre className={css.text} tabIndex={0}>
              {text}
            </pre>
          ),
        }))}
      />
    </div>
  );
}
