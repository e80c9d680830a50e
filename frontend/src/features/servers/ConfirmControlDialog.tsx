import { Button } from "../../ui/Button";
import { Dialog } from "../../ui/Dialog";
import { useControlQuestion } from "../../workspace/remote";

/** Asks before something is done on a server that is not on this machine: others may use it. */
export function ConfirmControlDialog() {
  const question = useControlQuestion((state) => state.question);
  if (!question) return null;
  return (
    <Dialog
      open
      title={`${question.what} on ${question.server}?`}
      onClose={() => question.answer(false)}
      footer={
        <>
          <Button onClick={() => question.answer(false)}>Cancel</Button>
          <Button look="primary" needs="engine" autoFocus onClick={() => question.answer(true)}>
            {question.what}
          </Button>
        </>
      }
    >
      <p>{question.server} is not on this machine. Others may be using it.</p>
    </Dialog>
  );
}
