import { useQuery } from "@tanstack/react-query";
import { clients } from "../../api/client";
import { type ExampleLine, ExampleLine_Side, type ExplainRuleResponse } from "../../api/conch_pb";
import { Dialog } from "../../ui/Dialog";
import { closeDialog, useDialogs } from "../../window/dialogs";
import { ErrorBox } from "../../workspace/ErrorBox";
import css from "./ExplainDialog.module.css";

const sides = {
  [ExampleLine_Side.UNSPECIFIED]: { mark: " ", name: undefined },
  [ExampleLine_Side.BOTH]: { mark: " ", name: undefined },
  [ExampleLine_Side.WRONG]: { mark: "-", name: "wrong" },
  [ExampleLine_Side.RIGHT]: { mark: "+", name: "right" },
};

/** What is wrong and what is right, line by line. */
function Example({ lines }: { lines: readonly ExampleLine[] }) {
  return (
    <section className={css.example} aria-label="Example">
      <pre>
        {lines.map(({ side, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their places
          <span key={index} data-side={sides[side].name}>
            {sides[side].mark} {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </section>
  );
}

function Page({ title, when, means, why, fix, triton, example }: ExplainRuleResponse) {
  return (
    <div className={css.page}>
      <p className={css.title}>{title}</p>
      <p className="dim">{when}</p>
      <p>{means}</p>
      {why !== "" && (
        <p>
          <b>Why:</b> {why}
        </p>
      )}
      <p>
        <b>What to do:</b> {fix}
      </p>
      {triton.length > 0 && (
        <section className={css.triton} aria-label="Triton says">
          <b>Triton says</b>
          {triton.map((sentence) => (
            <code key={sentence}>{sentence}</code>
          ))}
        </section>
      )}
      {example.length > 0 && <Example lines={example} />}
    </div>
  );
}

function Rule({ rule }: { rule: string }) {
  const page = useQuery({
    queryKey: ["rule", rule],
    queryFn: ({ signal }) => clients.editor.explainRule({ rule }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (page.error) {
    return (
      <ErrorBox
        title="The rule could not be explained"
        error={page.error}
        onRetry={() => void page.refetch()}
      />
    );
  }
  return page.data ? <Page {...page.data} /> : null;
}

/** What a rule means, why Triton has it, an example and the way out: what `conch explain` prints. */
export function ExplainDialog() {
  const open = useDialogs((state) => state.open === "explain");
  const rule = useDialogs((state) => state.rule);
  return (
    <Dialog reads title={`Rule ${rule}`} open={open} onClose={closeDialog} wide>
      {open && rule && <Rule rule={rule} />}
    </Dialog>
  );
}
