"use strict";
// Everything an annotator does on one file: answer, quote, move on, keep, save, open again.
// What is asked, of how many texts, is in the data.
// Nothing is sent anywhere. Texts only ever become text nodes.

const data = JSON.parse(document.getElementById("data").textContent);
const store = "judgeprobe:" + data.sheet;
const el = (id) => document.getElementById(id);
const units = data.units;
const { field, free, noun, choices } = data.form;
const sides = data.form.sides.map((side) => side.key);
const choiceOf = (given) => choices.find((choice) => choice.value === given?.[field]);
const Noun = noun[0].toUpperCase() + noun.slice(1);
const known = new Set(units.map((unit) => unit.id));
const IDLE = 120; // seconds on a unit without a sign of life that still count

let answers = {};
let at = 0;
let marked = null; // {sentence, start, end} in characters of that sentence
let since = performance.now();
let away = false;
let byMouse = false;

// ---- answers ----------------------------------------------------------------------------------

function blank() {
  const facts = data.form.facts ? { same_facts: null } : {};
  return { [field]: null, spans: [], [free]: "", ...facts, seconds: 0 };
}

function answer() {
  const id = units[at].id;
  if (!answers[id]) answers[id] = blank();
  return answers[id];
}

// What a unit still lacks, in words; an empty list means that it is done.
function missing(given) {
  const choice = choiceOf(given);
  if (!choice) return ["an answer"];
  const lacks = [];
  if (choice.quote && !given.spans.length) lacks.push(`what ${data.form.quote} (quote it)`);
  if (choice.say && !given[free].trim()) lacks.push("what the evidence supports");
  if (data.form.facts && given.same_facts === null) lacks.push("whether the facts are the same");
  return lacks;
}

const isDone = (unit) => missing(answers[unit.id]).length === 0;

function countTime() {
  const now = performance.now();
  if (!away && answers[units[at].id]) {
    answer().seconds += Math.min((now - since) / 1000, IDLE);
  }
  since = now;
}

function changed(message) {
  answer();
  countTime();
  keep();
  showState();
  if (message) say(message);
}

// ---- keeping ----------------------------------------------------------------------------------

function keep() {
  try {
    localStorage.setItem(store, JSON.stringify(answers));
    el("alarm").hidden = true;
  } catch {
    alarm("Your browser cannot keep the answers by itself. Save a copy often.");
  }
}

function recall() {
  try {
    return clean(JSON.parse(localStorage.getItem(store) || "{}"));
  } catch {
    alarm("Your browser cannot keep the answers by itself. Save a copy often.");
    return {};
  }
}

// Only what this page itself would have written comes back in.
function clean(found) {
  const kept = {};
  for (const [id, given] of Object.entries(found)) {
    if (!known.has(id) || typeof given !== "object" || !given) continue;
    const one = blank();
    if (choiceOf(given)) one[field] = given[field];
    if (typeof given[free] === "string") one[free] = given[free];
    if (data.form.facts && typeof given.same_facts === "boolean") one.same_facts = given.same_facts;
    if (typeof given.seconds === "number" && given.seconds >= 0) one.seconds = given.seconds;
    for (const span of Array.isArray(given.spans) ? given.spans : []) {
      if (span && typeof span.text === "string") {
        one.spans.push({ sentence: sides.includes(span.sentence) ? span.sentence : "", text: span.text });
      }
    }
    kept[id] = one;
  }
  return kept;
}

function saveCopy() {
  countTime();
  keep();
  const labels = units
    .filter((unit) => answers[unit.id])
    .map((unit) => ({
      unit_id: unit.id,
      ...answers[unit.id],
      seconds: Math.round(answers[unit.id].seconds * 10) / 10,
    }));
  const copy = {
    format: "judgeprobe-labels",
    version: 1,
    sheet: data.sheet,
    batch: data.batch,
    annotator: data.annotator,
    total: units.length,
    done: units.filter(isDone).length,
    labels,
  };
  const link = document.createElement("a");
  const url = URL.createObjectURL(new Blob([JSON.stringify(copy, null, 1)], { type: "application/json" }));
  link.href = url;
  link.download = `${data.batch}-${data.annotator}-labels.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  say(`A copy was saved with ${copy.done} of ${copy.total} ${noun}s done.`);
}

async function openCopy(file) {
  let copy;
  try {
    copy = JSON.parse(await file.text());
  } catch {
    alarm("That file is not a saved copy.");
    return;
  }
  if (copy?.format !== "judgeprobe-labels" || copy.version !== 1 || !Array.isArray(copy.labels)) {
    alarm("That file is not a saved copy.");
    return;
  }
  if (copy.sheet !== data.sheet) {
    alarm("That copy belongs to another batch or another annotator.");
    return;
  }
  const pairs = copy.labels.filter((label) => label).map((label) => [label.unit_id, label]);
  const found = clean(Object.fromEntries(pairs));
  const plain = (given) => JSON.stringify({ ...given, seconds: 0 });
  const differing = Object.keys(found).filter(
    (id) => answers[id] && answers[id][field] && plain(answers[id]) !== plain(found[id]),
  );
  const take = (ids) => {
    for (const id of ids) answers[id] = found[id];
    el("conflict").hidden = true;
    keep();
    show();
    say(`${Object.keys(found).length} answers were in the copy; ${ids.length} were taken.`);
  };
  const all = Object.keys(found);
  if (!differing.length) {
    take(all);
    return;
  }
  el("conflict-text").textContent = `${differing.length} answers in the copy differ from those on this page.`;
  el("take-file").onclick = () => take(all);
  el("keep-mine").onclick = () => take(all.filter((id) => !differing.includes(id)));
  el("conflict").hidden = false;
  el("take-file").focus();
}

// ---- words and quotations ---------------------------------------------------------------------

// Words with their places. A text without spaces is cut by the browser's own idea of a word.
function wordsOf(text) {
  if (!/\s/.test(text.trim()) && text.length > 20 && typeof Intl.Segmenter === "function") {
    const cut = new Intl.Segmenter(undefined, { granularity: "word" }).segment(text);
    return [...cut].map((part) => ({ start: part.index, end: part.index + part.segment.length }));
  }
  return [...text.matchAll(/\S+/g)].map((hit) => ({ start: hit.index, end: hit.index + hit[0].length }));
}

const sentences = Object.fromEntries(
  sides.map((side) => [side, { node: el(`sentence-${side}`), text: "", words: [], from: 0, to: 0 }]),
);

function setSentence(side, text) {
  Object.assign(sentences[side], { text, words: wordsOf(text), from: 0, to: 0 });
}

// One element a word, so that words can be shown as quoted or marked.
function drawSentence(side, withCursor) {
  const { node, text, words, from, to } = sentences[side];
  const places = (answers[units[at].id]?.spans ?? [])
    .filter((span) => span.sentence === side)
    .map((span) => [text.indexOf(span.text), span.text.length])
    .filter(([start]) => start >= 0);
  const parts = [];
  let done = 0;
  words.forEach(({ start, end }, index) => {
    parts.push(text.slice(done, start));
    const word = document.createElement("span");
    word.textContent = text.slice(start, end);
    if (places.some(([place, length]) => place < end && start < place + length)) word.classList.add("quoted");
    if (withCursor && index >= Math.min(from, to) && index <= Math.max(from, to)) word.classList.add("at");
    parts.push(word);
    done = end;
  });
  parts.push(text.slice(done));
  node.replaceChildren(...parts);
}

function markWords(side) {
  const { words, from, to } = sentences[side];
  if (!words.length) return;
  const [first, last] = [Math.min(from, to), Math.max(from, to)];
  marked = { sentence: side, start: words[first].start, end: words[last].end };
  drawSentence(side, true);
  say("Marked: " + sentences[side].text.slice(marked.start, marked.end));
}

function moveCursor(event, side) {
  const one = sentences[side];
  const last = one.words.length - 1;
  const rightToLeft = getComputedStyle(one.node).direction === "rtl";
  const forward = rightToLeft ? "ArrowLeft" : "ArrowRight";
  const goal = {
    [forward]: Math.min(one.to + 1, last),
    [rightToLeft ? "ArrowRight" : "ArrowLeft"]: Math.max(one.to - 1, 0),
    Home: 0,
    End: last,
  }[event.key];
  if (goal === undefined) return false;
  one.to = goal;
  if (!event.shiftKey) one.from = goal;
  markWords(side);
  return true;
}

// What the mouse or a finger has selected, if it lies in one sentence.
function markSelection() {
  const selection = document.getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  for (const [side, { node, text }] of Object.entries(sentences)) {
    if (!node.contains(range.startContainer) || !node.contains(range.endContainer)) continue;
    const before = document.createRange();
    before.setStart(node, 0);
    before.setEnd(range.startContainer, range.startOffset);
    let start = before.toString().length;
    let end = start + range.toString().length;
    while (start < end && /\s/.test(text[start])) start += 1;
    while (end > start && /\s/.test(text[end - 1])) end -= 1;
    if (end > start) marked = { sentence: side, start, end };
  }
}

function quoteMarked(side) {
  if (!marked || (side && marked.sentence !== side)) {
    say("Mark some words first.");
    return;
  }
  addQuote(marked.sentence, sentences[marked.sentence].text.slice(marked.start, marked.end));
  document.getSelection().removeAllRanges();
  marked = null;
}

function addQuote(sentence, text) {
  const spans = answer().spans;
  if (!spans.some((span) => span.sentence === sentence && span.text === text)) {
    spans.push({ sentence, text });
  }
  changed("Quoted: " + text);
}

function addTyped() {
  const text = el("typed").value.trim();
  if (!text) return;
  const side = sides.find((name) => sentences[name].text.includes(text)) ?? "";
  addQuote(side, text);
  el("typed").value = "";
}

function removeQuote(index) {
  answer().spans.splice(index, 1);
  changed("The quotation was removed.");
  el("supported").focus();
}

// ---- showing ----------------------------------------------------------------------------------

function show() {
  const unit = units[at];
  const given = answers[unit.id] ?? blank();
  el("heading").textContent = `${Noun} ${at + 1} of ${units.length}`;
  el("evidence").textContent = unit.evidence;
  el("evidence").scrollTop = 0;
  for (const side of sides) setSentence(side, unit[side]);
  el("supported").value = given[free];
  el("typed").value = "";
  marked = null;
  since = performance.now();
  showState();
}

function showState() {
  const given = answers[units[at].id] ?? blank();
  for (const input of document.getElementsByName("choice")) input.checked = input.value === given[field];
  for (const input of document.getElementsByName("facts")) {
    input.checked = given.same_facts !== null && (input.value === "yes") === given.same_facts;
  }
  for (const side of sides) drawSentence(side, document.activeElement === sentences[side].node);
  el("no-quotes").hidden = given.spans.length > 0;
  el("quotes").replaceChildren(
    ...given.spans.map((span, index) => {
      const item = document.createElement("li");
      const words = document.createElement("q");
      words.dir = "auto";
      words.textContent = span.text;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Remove";
      button.setAttribute("aria-label", `Remove the quotation ${span.text}`);
      button.onclick = () => removeQuote(index);
      const place = sides.length > 1 ? ` from ${span.sentence.toUpperCase()}` : "";
      item.append(words, span.sentence ? place : " (not in the text)", button);
      return item;
    }),
  );
  const lacks = missing(answers[units[at].id]);
  el("missing").textContent = given[field] && lacks.length ? `Still missing: ${lacks.join("; ")}.` : "";
  const done = units.filter(isDone).length;
  el("progress").max = units.length;
  el("progress").value = done;
  el("progress-text").textContent = `${done} of ${units.length} done`;
  el("previous").disabled = at === 0;
  el("next").disabled = at === units.length - 1;
  if (el("all").open) showList();
}

function showList() {
  el("list").replaceChildren(
    ...units.map((unit, index) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      const state = isDone(unit) ? "done" : answers[unit.id]?.[field] ? "begun" : "open";
      button.type = "button";
      button.textContent = `${index + 1}${{ done: " ✓", begun: " …", open: "" }[state]}`;
      button.setAttribute("aria-label", `${Noun} ${index + 1}, ${state}`);
      if (index === at) button.setAttribute("aria-current", "true");
      button.onclick = () => go(index);
      item.append(button);
      return item;
    }),
  );
}

function go(index) {
  if (index < 0 || index >= units.length) return;
  countTime();
  keep();
  at = index;
  show();
  el("heading").focus();
  window.scrollTo(0, 0);
  say(`${Noun} ${at + 1} of ${units.length}${isDone(units[at]) ? ", done" : ""}.`);
}

function goUnfinished() {
  const order = [...units.keys()].map((step) => (at + 1 + step) % units.length);
  const found = order.find((index) => !isDone(units[index]));
  if (found === undefined) say(`Every ${noun} is done. Save a copy and send it.`);
  else go(found);
}

function say(message) {
  el("status").textContent = message;
}

function alarm(message) {
  el("alarm").textContent = message;
  el("alarm").hidden = false;
}

// ---- keys and buttons -------------------------------------------------------------------------

function choose(name, value) {
  if (name === "choice") {
    answer()[field] = value;
    changed(choiceOf(answer()).said);
  } else {
    answer().same_facts = value === "yes";
    changed(value === "yes" ? "The same facts." : "The facts differ.");
  }
}

function toggleCodebook() {
  const book = el("codebook");
  book.open = !book.open;
  if (!book.open) {
    el("heading").focus();
    return;
  }
  el("codebook-text").focus({ preventScroll: true });
  book.scrollIntoView({ block: "start" });
}

const letterKeys = {
  q: () => quoteMarked(),
  e: () => el("supported").focus(),
  j: () => go(at + 1),
  k: () => go(at - 1),
  u: goUnfinished,
  h: toggleCodebook,
};
for (const choice of choices) letterKeys[choice.press] = () => choose("choice", choice.value);
for (const side of data.form.sides) letterKeys[side.press] = () => sentences[side.key].node.focus();
if (data.form.facts) {
  letterKeys.s = () => choose("facts", "yes");
  letterKeys.d = () => choose("facts", "no");
}

function onKey(event) {
  const typing = event.target.matches("textarea, input[type=text]");
  if (event.key === "Escape") {
    el("heading").focus();
    return;
  }
  if (typing) {
    if (event.key === "Enter" && event.ctrlKey) go(at + 1);
    else if (event.key === "Enter" && event.target.id === "typed") addTyped();
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || !el("letters").checked) return;
  const act = letterKeys[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
}

function start() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("selectionchange", markSelection);
  document.addEventListener("visibilitychange", () => {
    countTime();
    away = document.visibilityState === "hidden";
    if (away) keep();
  });
  window.addEventListener("storage", (event) => {
    if (event.key !== store) return;
    answers = recall();
    show();
    say("The answers were changed in another window.");
  });
  for (const [side, { node }] of Object.entries(sentences)) {
    // A click must not redraw the words under a selection that is just beginning.
    node.addEventListener("pointerdown", () => { byMouse = true; });
    node.addEventListener("pointerup", () => { byMouse = false; });
    node.addEventListener("focus", () => { if (!byMouse) markWords(side); });
    node.addEventListener("blur", () => drawSentence(side, false));
    node.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Enter") quoteMarked(side);
      else if (!moveCursor(event, side)) return;
      event.preventDefault();
    });
  }
  for (const button of document.querySelectorAll(".quote")) {
    button.addEventListener("click", () => quoteMarked(button.dataset.sentence));
  }
  for (const name of ["choice", "facts"]) {
    for (const input of document.getElementsByName(name)) {
      input.addEventListener("change", () => choose(name, input.value));
    }
  }
  el("supported").addEventListener("input", () => {
    answer()[free] = el("supported").value;
    changed("");
  });
  el("add-typed").onclick = addTyped;
  el("book").onclick = toggleCodebook;
  el("save").onclick = saveCopy;
  el("open").onclick = () => el("file").click();
  el("file").onchange = async () => {
    if (el("file").files.length) await openCopy(el("file").files[0]);
    el("file").value = "";
  };
  el("previous").onclick = () => go(at - 1);
  el("next").onclick = () => go(at + 1);
  el("unfinished").onclick = goUnfinished;
  el("all").addEventListener("toggle", showList);
  el("codebook").open = window.matchMedia("(min-width: 62rem)").matches;
  answers = recall();
  at = Math.max(units.findIndex((unit) => !isDone(unit)), 0);
  show();
}

start();
