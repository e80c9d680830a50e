import type { Server } from "../../api/conch_pb";

/** What a person enters for a server. */
export interface ServerForm {
  name: string;
  address: string;
  metrics: string;
  caFile: string;
  certFile: string;
  keyFile: string;
  headers: { name: string; value: string; kept: boolean }[];
}

export const emptyForm: ServerForm = {
  name: "",
  address: "grpc://",
  metrics: "",
  caFile: "",
  certFile: "",
  keyFile: "",
  headers: [],
};

/** A kept server as a form. Values of headers stay where they are kept. */
export const formOf = (server: Server): ServerForm => ({
  name: server.name,
  address: server.address,
  metrics: server.metrics,
  caFile: server.caFile,
  certFile: server.certFile,
  keyFile: server.keyFile,
  headers: server.headers.map(({ name }) => ({ name, value: "", kept: true })),
});

/** Whether the address asks for TLS, so that certificates count. */
export const isSecure = ({ address }: ServerForm): boolean => /^(grpcs|https):/i.test(address.trim());

/** The form as the program takes it: without lines that were left empty, and without certificates of no use. */
export function messageOf(form: ServerForm) {
  const secure = isSecure(form);
  return {
    name: form.name.trim(),
    address: form.address.trim(),
    metrics: form.metrics.trim(),
    caFile: secure ? form.caFile.trim() : "",
    certFile: secure ? form.certFile.trim() : "",
    keyFile: secure ? form.keyFile.trim() : "",
    headers: form.headers
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, value }) => ({ name: name.trim().toLowerCase(), value })),
  };
}
