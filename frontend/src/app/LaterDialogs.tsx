/** Dialogs that are seldom wanted: the part of the program for each is fetched when it is asked for. */
import { type ComponentType, lazy, Suspense } from "react";
import { type DialogName, useDialogs } from "../window/dialogs";

const later = <Name extends string>(load: () => Promise<Record<NoInfer<Name>, ComponentType>>, name: Name) =>
  lazy(() => load().then((module) => ({ default: module[name] })));

const dialogs: Partial<Record<DialogName, ComponentType>> = {
  about: later(() => import("../features/about/AboutDialog"), "AboutDialog"),
  compareAnswers: later(() => import("../features/try/CompareButton"), "CompareDialog"),
  convert: later(() => import("../features/convert/ConvertDialog"), "ConvertDialog"),
  delete: later(() => import("../features/files/DeleteDialog"), "DeleteDialog"),
  devices: later(() => import("../features/devices/DevicesDialog"), "DevicesDialog"),
  explain: later(() => import("../features/explain/ExplainDialog"), "ExplainDialog"),
  handover: later(() => import("../features/handover/HandoverDialog"), "HandoverDialog"),
  packages: later(() => import("../features/packages/PackagesDialog"), "PackagesDialog"),
  renameFile: later(() => import("../features/files/RenameFileDialog"), "RenameFileDialog"),
  renameModel: later(() => import("../features/editor/RenameModelDialog"), "RenameModelDialog"),
  runtimes: later(() => import("../features/runtimes/RuntimesDialog"), "RuntimesDialog"),
};

export function LaterDialogs() {
  const open = useDialogs((state) => state.open);
  const Dialog = open && dialogs[open];
  return <Suspense>{Dialog && <Dialog />}</Suspense>;
}
