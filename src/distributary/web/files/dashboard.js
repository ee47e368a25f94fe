// Reads /status every two seconds and shows it. Every text goes in as text: a node's name is not markup.
"use strict";

const PERIOD = 2000;
const at = (id) => document.getElementById(id);
let before = null;
let timer = 0;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const number = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });

function row(cells) {
  const made = document.createElement("tr");
  cells.forEach((cell, index) => {
    const part = element(index ? "td" : "th", typeof cell === "number" ? number(cell) : cell, index ? "number" : "");
    if (!index) part.scope = "row";
    made.append(part);
  });
  return made;
}

function emptyRow(text, width) {
  const made = document.createElement("tr");
  const cell = element("td", text, "quiet");
  cell.colSpan = width;
  made.append(cell);
  return made;
}

function fill(id, rows, empty, width) {
  at(id).replaceChildren(...(rows.length ? rows : [emptyRow(empty, width)]));
}

function link(peer) {
  const made = element("a", peer.name || peer.id);
  // Only an address that a browser may open: the URL comes from another node.
  if (/^https?:\/\//.test(peer.url)) made.href = peer.url;
  made.rel = "noreferrer";
  return made;
}

function tree(status, own) {
  const made = element("article", undefined, "tree");
  const path = element("ol", undefined, "path");
  path.setAttribute("aria-label", "Path from the source");
  const names = status.path.length ? status.path : [own];
  names.forEach((name, index) => {
    const step = element("li", name);
    if (index === names.length - 1) step.setAttribute("aria-current", "true");
    path.append(step);
  });
  made.append(path);
  const said = status.parent ? `${status.state}, parent ` : status.state;
  const line = element("p", said, "quiet");
  if (status.parent) line.append(link(status.parent));
  made.append(line);
  const children = element("ul", undefined, "children");
  children.setAttribute("aria-label", "Children");
  status.children.forEach((child) => {
    const item = document.createElement("li");
    item.append(link(child));
    children.append(item);
  });
  if (status.children.length) made.append(children);
  return made;
}

function figures(pairs) {
  at("figures").replaceChildren(...pairs.map(([name, value]) => {
    const made = document.createElement("div");
    made.append(element("dt", name), element("dd", number(value)));
    return made;
  }));
}

function badge(text, kind) {
  at("state").className = `badge ${kind}`;
  if (at("state").textContent !== text) at("state").textContent = text;
}

function show(status) {
  const now = performance.now();
  const seconds = before ? (now - before.now) / 1000 : 0;
  const streams = status.trees.flatMap((each) => each.streams);
  at("login").hidden = true;
  at("board").hidden = false;
  at("name").textContent = status.name || status.id;
  at("identity").textContent = `${status.url} · ${status.id}`;
  document.title = `${status.name || status.id} · distributary`;
  const joining = status.trees.some((each) => each.state !== "source" && each.state !== "joined");
  badge(joining ? "looking for a parent" : "in order", joining ? "warn" : "good");
  figures([["Subscribers", status.subscribers], ["Children", status.children.length], ["Streams", streams.length],
    ["Filters", streams.reduce((sum, each) => sum + each.filters, 0)]]);
  at("trees").replaceChildren(...status.trees.map((each) => tree(each, status.name)));
  fill("streams", streams.map((each) => row([each.stream, each.head, each.trimmed, each.filters])), "No stream yet", 4);
  fill("counters", Object.entries(status.counters).map(([name, value]) => row([
    name.replaceAll("_", " "), value, seconds ? (value - (before.counters[name] || 0)) / seconds : 0])),
  "Nothing counted yet", 3);
  before = { now, counters: status.counters };
}

async function read() {
  try {
    const answer = await fetch("/status", { cache: "no-store", signal: AbortSignal.timeout(5 * PERIOD) });
    if (answer.status === 401 || answer.status === 403) {
      at("board").hidden = true;
      at("login").hidden = false;
      badge("closed", "warn");
      return;
    }
    if (!answer.ok) throw new Error(String(answer.status));
    show(await answer.json());
  } catch {
    badge("out of reach", "bad");
  }
  timer = setTimeout(read, PERIOD);
}

at("login").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const answer = await fetch("/session", { method: "POST", body: JSON.stringify({ token: at("token").value }) });
    at("refusal").textContent = answer.ok ? "" : "The node does not know this token.";
    if (answer.ok) {
      at("token").value = "";
      read();
    }
  } catch {
    at("refusal").textContent = "The node is out of reach.";
  }
});

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  if (!document.hidden && at("login").hidden) read();
});

read();
