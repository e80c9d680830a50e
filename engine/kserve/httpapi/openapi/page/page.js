// Shows the OpenAPI document of this server or of one of its models, and sends requests. All texts of the server are set
// as text, never as HTML: names of models are others' words.

const operations = document.querySelector("#operations");
const models = document.querySelector("#model");
const base = new URL(".", location.href);
const largest = 200_000;

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// Triton takes the names in a path as they are sent, and a browser escapes most; Conch decodes them where this header is.
function ownHeaders() {
  const [name, ...value] = document.querySelector("#header").value.split(":");
  const typed = value.length > 0 ? { [name.trim()]: value.join(":").trim() } : {};
  return { ...typed, "Conch-Names": "escaped" };
}

async function json(path, init = {}) {
  const answer = await fetch(new URL(path, base), { ...init, headers: ownHeaders() });
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error ?? answer.statusText);
  return body;
}

function resolve(doc, schema) {
  const name = schema?.$ref?.split("/").pop();
  return name ? doc.components.schemas[name] : schema;
}

function schemaOf(doc, content) {
  return resolve(doc, Object.values(content ?? {})[0]?.schema);
}

function pathOf(template, inputs) {
  const fill = (segment) => segment.replaceAll(/\{(\w+)\}/g, (whole, name) => inputs[name]?.value || whole);
  return template
    .split("/")
    .map((segment) => encodeURIComponent(fill(segment)))
    .join("/");
}

// Reads an answer piece by piece, so that events show as they come.
async function show(answer, into) {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += value;
    if (text.length > largest) {
      into.textContent = `${text.slice(0, largest)}\n… the rest is not shown`;
      await reader.cancel();
      return;
    }
    into.textContent = text;
  }
  if (/\d{16}/.test(text)) return; // JavaScript would round such numbers
  try {
    into.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    into.textContent = text || "(no body)";
  }
}

function tryForm(doc, path, method, item, operation) {
  const inputs = {};
  const form = element("div", { className: "body" });
  for (const parameter of item.parameters ?? []) {
    const input = element("input", { placeholder: parameter.name });
    inputs[parameter.name] = input;
    form.append(element("label", {}, parameter.name, input));
  }
  const schema = schemaOf(doc, operation.requestBody?.content);
  const body = schema && element("textarea", { value: JSON.stringify(schema.example ?? {}, null, 1), spellcheck: false });
  if (schema?.description) form.append(element("p", { textContent: schema.description }));
  if (body) form.append(element("label", {}, "Request", body), types("Schema of the request", schema));
  const answered = schemaOf(doc, operation.responses["200"].content);
  if (answered) form.append(types("Schema of the answer", answered));
  const status = element("div", { role: "status" });
  const output = element("pre", { hidden: true, tabIndex: 0 });
  const send = element("button", { type: "button", textContent: "Send" });
  send.onclick = async () => {
    send.disabled = true;
    status.className = "";
    status.textContent = "…";
    try {
      const url = new URL(pathOf(path, inputs), location.origin);
      const answer = await fetch(url, { method: method.toUpperCase(), headers: ownHeaders(), body: body?.value || undefined });
      status.textContent = `${answer.status} ${answer.statusText} ${answer.headers.get("Content-Type") ?? ""}`;
      status.className = answer.ok ? "" : "bad";
      output.hidden = false;
      await show(answer, output);
    } catch (error) {
      status.className = "bad";
      status.textContent = `The request failed: ${error.message}`;
    } finally {
      send.disabled = false;
    }
  };
  form.append(send, status, output);
  return form;
}

function types(title, schema) {
  const { example, ...rest } = schema;
  const inner = element("details", {}, element("summary", { textContent: title }));
  inner.append(element("pre", { textContent: JSON.stringify(rest, null, 1), tabIndex: 0 }));
  return inner;
}

function row(doc, path, method, item) {
  const operation = item[method];
  const head = element(
    "summary",
    {},
    element("span", { className: `method ${method}`, textContent: method.toUpperCase() }),
    element("code", { textContent: path }),
    element("span", { className: "what", textContent: operation.summary }),
  );
  const details = element("details", {}, head);
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(tryForm(doc, path, method, item, operation));
  });
  return details;
}

function render(doc) {
  document.querySelector("#title").textContent = `${doc.info.title} ${doc.info.version}`;
  operations.replaceChildren();
  const groups = new Map();
  for (const [path, item] of Object.entries(doc.paths)) {
    for (const method of ["get", "post"].filter((name) => item[name])) {
      const group = item[method].tags[0];
      if (!groups.has(group)) groups.set(group, []);
      groups.get(group).push(row(doc, path, method, item));
    }
  }
  for (const [group, rows] of groups) operations.append(element("h2", { textContent: group }), ...rows);
}

// Shows the document of the model that is chosen. One that comes after another was asked for is dropped: a short document
// overtakes a long one.
let asked = 0;
async function open() {
  const mine = ++asked;
  const name = encodeURIComponent(models.value);
  const path = name ? `models/${name}/openapi.json` : "openapi.json";
  const source = document.querySelector("#source");
  source.href = new URL(path, base).href;
  try {
    const doc = await json(path);
    if (mine !== asked) return;
    render(doc);
    // A link has no headers: where the name is escaped, it leads to a copy.
    if (name !== models.value) source.href = URL.createObjectURL(new Blob([JSON.stringify(doc)], { type: "application/json" }));
  } catch (error) {
    if (mine !== asked) return;
    operations.replaceChildren(element("p", { className: "bad", textContent: `The document cannot be read: ${error.message}` }));
  }
}

// Lists the models. What is chosen stays so while it is there, also what is chosen while the server answers.
async function list() {
  let names = [];
  try {
    const index = await json("repository/index", { method: "POST", body: '{"ready":true}' });
    names = [...new Set(index.map((entry) => entry.name))];
  } catch {
    // The index may be restricted: the server's own document remains.
  }
  const before = models.value;
  const options = names.map((name) => element("option", { value: name, textContent: name }));
  models.replaceChildren(element("option", { value: "", textContent: "the server" }), ...options);
  if (names.includes(before)) models.value = before;
}

models.onchange = open;
document.querySelector("#header").onchange = async () => {
  await list();
  await open();
};
await list();
await open();
