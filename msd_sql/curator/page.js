"use strict";
// Every text from the server goes through textContent: a statement or a name is never read as HTML.
const byId = (id) => document.getElementById(id);
let token = sessionStorage.getItem("msd_token") || "";
let known = null;

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { authorization: "Bearer " + token, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error || answer.statusText);
  return told;
}
const ask = (act, given = {}) => post("api/ask", { act, given });
const run = (sql) => post("api/sql", { sql });

function say(error) {
  byId("trouble").hidden = !error;
  byId("trouble").textContent = error ? error.message || String(error) : "";
}
const guarded = (work) => async (event) => {
  if (event) event.preventDefault();
  say(null);
  try { await work(event); } catch (error) { say(error); }
};

function element(name, text, attributes = {}) {
  const svg = ["svg", "polyline", "line", "text", "rect", "title"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
const answers = (n) => n === 1 ? "1 answer" : `${n} answers`;
function shown(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5)));
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
function fill(table, names, rows) {
  table.replaceChildren();
  if (!rows.length) return;
  const head = element("tr");
  names.forEach((name) => head.append(element("th", name)));
  table.append(head);
  for (const row of rows) {
    const line = element("tr");
    row.forEach((cell) => {
      const place = element("td");
      if (cell instanceof Node) place.append(cell); else place.textContent = shown(cell);
      line.append(place);
    });
    table.append(line);
  }
}
function choices(select, values, first) {
  select.replaceChildren();
  if (first !== undefined) select.append(element("option", first, { value: "" }));
  values.forEach((value) => select.append(element("option", value)));
}

// The owner's side.
async function owner() {
  const told = await ask("status");
  const budgets = byId("budgets");
  budgets.replaceChildren();
  for (const one of told.budgets) {
    const box = element("div", null, { class: "budget" });
    box.append(element("strong", one.relation));
    box.append(element("div", `ε ${shown(one.spent)} spent of ${shown(one.budget)}, ${shown(one.left)} left; `
      + `${answers(one.answers)}; m = ${one.m}`));
    box.append(element("progress", null, { max: one.budget, value: Math.min(one.spent, one.budget) }));
    budgets.append(box);
  }
  byId("spent").replaceChildren(...told.budgets.map((one) => steps(one, told.ledger)));
  choices(byId("add-relation"), told.budgets.map((one) => one.relation), "none");
  fill(byId("accounts"), ["account", "role", "state", "until", "share", ""], told.accounts.map((one) => {
    const end = element("button", "Revoke");
    end.addEventListener("click", guarded(async () => { await ask("account revoke", { name: one.name }); await owner(); }));
    const shares = one.shares.map((share) =>
      `${share.relation}: ε ${shown(share.left)} left of ${shown(share.budget)}, ${answers(share.answers)}`).join("; ");
    return [one.name, one.role, one.state, one.expires, shares, one.state === "active" ? end : ""];
  }));
  fill(byId("lines"), ["time (UTC)", "who", "relation", "what", "ε charged", "ε in all"],
    told.ledger.slice().reverse().slice(0, 100).map((line) =>
      [line.time.slice(0, 19), line.who, line.relation, line.what, line.charged_eps, line.composed_eps]));
  fill(byId("refused"), ["time (UTC)", "account", "what", "reason"],
    told.refused.slice().reverse().map((one) => [one.time.slice(0, 19), one.account, one.act, one.reason]));
}
function steps(budget, ledger) {
  const width = 640, height = 150, left = 40, low = 120;
  const lines = ledger.filter((line) => line.charged_to === budget.relation && line.composed_eps !== null);
  const picture = element("svg", null, { viewBox: `0 0 ${width} ${height}`, width, role: "img" });
  picture.append(element("title", `ε spent of ${budget.relation}, answer by answer`));
  const x = (place) => left + (width - left - 20) * place / Math.max(lines.length - 1, 1);
  const y = (eps) => low - (low - 20) * Math.min(eps / budget.budget, 1);
  picture.append(element("line", null, { x1: left, x2: width - 20, y1: y(budget.budget), y2: y(budget.budget), class: "limit" }));
  picture.append(element("text", shown(budget.budget), { x: 4, y: y(budget.budget) + 4 }));
  picture.append(element("text", "0", { x: 4, y: low + 4 }));
  const points = [];
  lines.forEach((line, place) => {
    if (place) points.push(`${x(place)},${y(lines[place - 1].composed_eps)}`);
    points.push(`${x(place)},${y(line.composed_eps)}`);
  });
  picture.append(element("polyline", null, { points: points.join(" "), class: "step" }));
  if (lines.length) {
    picture.append(element("text", lines[0].time.slice(0, 16), { x: left, y: low + 20 }));
    picture.append(element("text", lines[lines.length - 1].time.slice(0, 16), { x: width - 110, y: low + 20 }));
  }
  return picture;
}
byId("add").addEventListener("submit", guarded(async () => {
  const relation = byId("add-relation").value;
  const told = await ask("account add", {
    name: byId("add-name").value, role: byId("add-role").value, days: byId("add-days").value || null,
    shares: relation && byId("add-role").value === "analyst" ? [{ relation, budget: byId("add-budget").value }] : [],
  });
  byId("added").hidden = false;
  byId("added").textContent = `The token of ${told.name}, shown once: ${told.token}`;
  await owner();
}));

// The analyst's side.
const name = (text) => /^[a-z_][a-z0-9_]*$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`;
const text = (value) => `'${value.replaceAll("'", "''")}'`;
const chosen = () => known.tables.find((one) => `${one.schema}.${one.name}` === byId("ask-table").value);
function question() {
  const table = chosen(), more = [];
  if (!table) return null;
  const where = byId("ask-where").value.trim();
  if (byId("ask-reach").value) more.push(`reach := ${text(byId("ask-reach").value)}`);
  if (byId("ask-among").value.trim()) more.push(`among := ${text(byId("ask-among").value.trim())}`);
  if (byId("ask-quota").value) more.push(`quota := ${name(byId("ask-quota").value)}`);
  if (byId("ask-quota").value && byId("ask-cap").value) more.push(`quota_cap := ${Number(byId("ask-cap").value)}`);
  const numbers = ["ask-k", "ask-eps", "ask-diversity"].map((id) => byId(id).value || "NULL");
  const source = `${name(table.schema)}.${name(table.name)}`;
  const head = where ? `WITH candidates AS (SELECT * FROM ${source} WHERE ${where})\n` : "";
  const from = where ? "candidates" : text(`${table.schema}.${table.name}`);
  const call = [from, ...numbers, `key := ${text(table.key || Object.keys(table.columns)[0])}`, ...more].join(", ");
  return { ask: `${head}FROM msd_topk(${call});`, price: `${head}FROM msd_explain(${call});` };
}
function preview() {
  const made = known && question();
  byId("sql").textContent = made ? made.ask : "";
}
function columns() {
  const table = chosen();
  choices(byId("ask-quota"), table ? Object.keys(table.columns) : [], "none");
  preview();
}
async function shares() {
  known = await ask("published");
  fill(byId("shares"), ["relation", "your share, ε", "left of it", "left of the whole budget"],
    known.relations.map((one) => [one.relation, one.share, one.share_left, one.left]));
}
// What is left for this account: of its share, or of the whole budget where it needs none.
const own = (one) => one.share_left === undefined ? one.left : one.share_left;
const small = (eps) => String(Number(eps.toPrecision(4)));
function paid(before) {
  const lines = known.relations.flatMap((one) => {
    const was = before.find((other) => other.relation === one.relation);
    const cost = was ? own(was) - own(one) : 0;
    if (cost <= 0) return [];
    const left = one.share === undefined ? "" : `ε ${small(one.share_left)} is left of your share of ${small(one.share)}, `;
    const said = one.share === undefined ? `ε ${small(cost)} less than before` : `charged ε ${small(cost)}`;
    return [`${one.relation}: ${said}; ${left}ε ${small(one.left)} of the whole budget.`];
  });
  return lines.join(" ") || "Nothing was charged.";
}
async function analyst() {
  await shares();
  const tables = byId("tables");
  tables.replaceChildren(...known.tables.map((one) => element("p",
    `${one.schema}.${one.name} (${Object.entries(one.columns).map(([column, kind]) => `${column} ${kind}`).join(", ")})`)));
  const before = byId("ask-table").value;
  choices(byId("ask-table"), known.tables.map((one) => `${one.schema}.${one.name}`));
  if (before) byId("ask-table").value = before;
  choices(byId("ask-reach"), known.relations.map((one) => one.relation), "as declared");
  columns();
}
byId("price").addEventListener("click", guarded(async () => {
  const told = await run(question().price);
  fill(byId("cost"), ["before you pay", ""], told.rows.filter((row) => !String(row[0]).startsWith("step")));
}));
byId("ask").addEventListener("submit", guarded(async () => {
  const made = question(), table = chosen();
  await shares();
  const before = known.relations;
  let told;
  try { told = await run(made.ask); } finally { await shares(); } // what fails may have been charged
  fill(byId("cost"), [], []);
  byId("paid").textContent = paid(before);
  byId("paid").hidden = false;
  fill(byId("rows"), told.columns, told.rows);
  byId("picture").replaceChildren(distances(told, table));
}));
function distances(told, table) {
  // How far the chosen rows are apart by their declared features: public, and drawn here.
  const features = (table.features && table.features.length ? table.features : told.columns.slice(1, 2));
  const places = features.map((one) => told.columns.indexOf(one)).filter((place) => place >= 0);
  const tokens = told.rows.map((row) => new Set(places.flatMap((place) =>
    Array.isArray(row[place]) ? row[place].map(String) : [place + String(row[place])])));
  const size = 26, left = 60, count = tokens.length;
  const picture = element("svg", null, { viewBox: `0 0 ${Math.max(left + size * count, 240) + 10} ${left + size * count}`,
    width: Math.max(left + size * count, 240) + 10, role: "img" });
  picture.append(element("title", "How far the chosen items are apart: dark is far"));
  const key = told.columns.indexOf(table.key || told.columns[0]);
  tokens.forEach((one, row) => {
    picture.append(element("text", shown(told.rows[row][key]).slice(0, 8), { x: 4, y: left + size * row + 17 }));
    tokens.forEach((other, column) => {
      const both = [...one].filter((token) => other.has(token)).length;
      const all = new Set([...one, ...other]).size;
      const far = all ? 1 - both / all : 0;
      const cell = element("rect", null, { x: left + size * column, y: left + size * row, width: size - 2,
        height: size - 2, fill: "#1f6feb", "fill-opacity": (0.06 + 0.94 * far).toFixed(2) });
      cell.append(element("title", far.toFixed(2)));
      picture.append(cell);
    });
  });
  picture.append(element("text", "distances of the chosen (dark is far)", { x: 4, y: 20 }));
  return picture;
}
["ask-where", "ask-reach", "ask-among", "ask-k", "ask-eps", "ask-diversity", "ask-quota", "ask-cap"].forEach((id) =>
  byId(id).addEventListener("input", preview));
byId("ask-table").addEventListener("input", columns);

// The door.
async function enter() {
  known = await ask("published");
  sessionStorage.setItem("msd_token", token);
  byId("door").hidden = true;
  byId("leave").hidden = false;
  byId("who").textContent = `${known.account}, ${known.role}`;
  byId("owner").hidden = known.role !== "owner";
  byId("analyst").hidden = false;
  if (known.role === "owner") await owner();
  await analyst();
}
byId("door").addEventListener("submit", guarded(async () => { token = byId("token").value.trim(); await enter(); }));
byId("leave").addEventListener("click", () => { sessionStorage.removeItem("msd_token"); location.reload(); });
if (token) guarded(enter)();
