import { clients } from "../../api/client";
import { ModelState } from "../../api/conch_pb";
import { describeError } from "../../api/errors";
import { moveTry } from "../../requests/tries";
import { usePlace } from "../../window/place";
import { toast } from "../../window/toasts";
import { renameInTrail, stayAt } from "../../window/trail";
import { draftOf } from "../../workspace/drafts";
import { loadModel, quietly, reloadModel, servingWith } from "../../workspace/modelActions";
import { tellRenamed } from "../../workspace/renamed";
import { openedRepository, useWorkspace } from "../../workspace/workspace";
import { openSession, renameSessions } from "./sessions";
import { changedMeanwhile, type FileToWrite, toWrite, type Written, wayBack } from "./writeFiles";

const serves = (name: string) => {
  const state = useWorkspace.getState().models.get(name)?.state;
  return state === ModelState.READY || state === ModelState.OLDER_SERVES;
};

/** Whatever the window knows of the model goes on under its new name. */
function follow(from: string, to: string): void {
  renameSessions(from, to);
  moveTry(from, to);
  renameInTrail(from, to);
  tellRenamed(from, to);
  if (usePlace.getState().model === from) stayAt({ model: to });
}

async function undo(
  from: string,
  to: string,
  files: readonly FileToWrite[],
  repository: string,
): Promise<void> {
  const edited = files.find(({ model, path }) => draftOf(model, path));
  const answer: Written = edited
    ? { ok: false, why: `${edited.model}/${edited.path} has been edited since; save it first.` }
    : await renameModel(from, to, files, undefined, repository);
  if (answer.ok) toast({ level: "info", text: `Undone: ${to} has its name again`, names: [to] });
  else toast({ level: "error", text: "The change was not undone", detail: answer.why });
}

/** Loads what served before: the model, then what is made of it, which may have looked for it too early. */
async function loadAgain(name: string, loaded: boolean, users: readonly string[]): Promise<void> {
  if (loaded) await loadModel(name);
  for (const user of users) await reloadModel(user);
}

/** Gives a model another name: the files that name it, then its folder. What was loaded is loaded again. */
export async function renameModel(
  from: string,
  to: string,
  files: readonly FileToWrite[],
  done?: string,
  repository = openedRepository(),
): Promise<Written> {
  const loaded = serves(from);
  const users = servingWith(from);
  try {
    const answer = await quietly([from, to, ...users], () =>
      clients.editor.renameModel({
        model: from,
        name: to,
        files: files.map(toWrite),
        repository,
      }),
    );
    if (answer.changed.length > 0) return { ok: false, why: changedMeanwhile(answer.changed) };
    const back = wayBack(answer.files);
    follow(from, to);
    answer.files.forEach(({ model, path, version }, index) => {
      const { text = "", draft } = files[index] ?? {};
      openSession({ model, path })?.adopt({ text, version }, draft);
    });
    void quietly([from, to, ...users], () => loadAgain(to, loaded, users));
    if (done) {
      const action = { label: "Undo", run: () => void undo(to, from, back, repository) };
      toast({ level: "info", text: done, action, names: [from, to] });
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, why: describeError(error).message };
  }
}
