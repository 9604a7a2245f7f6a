// SPDX-License-Identifier: Apache-2.0
// The page to try ptoasm: every answer is a run of the program, compiled to WebAssembly, on the text of the editor.
'use strict';

const at = id => document.getElementById(id);
const NAME = 'kernel.pto';
let program = null;   // the WebAssembly module
let found = [];       // diagnostics of the text

// ---- runs ----

function ptoasm(...words) {
  return WASI.run(program, ['ptoasm', ...words], {[NAME]: at('source').value});
}

const profile = () => at('profile').value ? ['--profile=' + at('profile').value] : [];
// Commands that make code take one profile.
const one = () => at('profile').value === 'all' ? [] : profile();
const said = run => run.out || run.err || (run.code === 70 ? 'This needs values that the text alone does not tell.' : '');

// ---- the editor ----

const encoder = new TextEncoder();

// Offsets in the text as the browser counts them, from those in UTF-8 in ascending order.
function offsets(text, bytes) {
  const ascii = encoder.encode(text).length === text.length;
  if (ascii) return n => n;
  const map = new Map(), wanted = new Set(bytes);
  let byte = 0, unit = 0;
  for (const letter of text) {
    if (wanted.has(byte)) map.set(byte, unit);
    byte += encoder.encode(letter).length;
    unit += letter.length;
  }
  return n => map.get(n) ?? unit;
}

function check() {
  const text = at('source').value;
  const run = ptoasm('check', '--format=json', ...profile(), ...(at('lint').checked ? ['--lint'] : []), NAME);
  found = run.out.split('\n').filter(line => line.startsWith('{')).map(line => JSON.parse(line)).filter(row => row.severity);
  const unit = offsets(text, found.flatMap(row => [row.offset, row.offset + row.length]));
  for (const row of found) [row.from, row.to] = [unit(row.offset), unit(row.offset + row.length)];
  showMarks(text);
  showMessages();
}

function showMarks(text) {
  const parts = [];
  let end = 0;
  for (const row of [...found].sort((a, b) => a.from - b.from)) {
    if (row.severity === 'note' || row.from < end) continue;
    const mark = document.createElement('mark');
    mark.className = row.severity;
    mark.textContent = text.slice(row.from, Math.max(row.to, row.from + 1));
    parts.push(text.slice(end, row.from), mark);
    end = row.from + mark.textContent.length;
  }
  at('marks').replaceChildren(...parts, text.slice(end) + '\n');
}

function showMessages() {
  at('messages').replaceChildren(...found.map(row => {
    const line = document.createElement('li'), kind = document.createElement('b'), id = document.createElement('a');
    line.className = row.severity;
    kind.textContent = row.severity;
    id.textContent = row.id;
    id.href = 'docs/diagnostics.html#' + row.id;
    line.append(`${row.line}:${row.column} `, kind, `: ${row.message} [`, id, ']');
    for (const note of row.notes ?? []) {
      const small = document.createElement('small');
      small.textContent = 'note: ' + note.message;
      line.append(small);
    }
    line.addEventListener('click', event => {
      if (event.target === id) return;
      at('source').focus();
      at('source').setSelectionRange(row.from, row.to);
    });
    return line;
  }));
  const errors = found.filter(row => row.severity === 'error').length;
  at('state').textContent = found.length === 0 ? 'legal' : `${errors} error${errors === 1 ? '' : 's'}, ${found.length - errors} more`;
}

function showNumbers() {
  const lines = at('source').value.split('\n').length;
  if (at('numbers').dataset.lines === String(lines)) return;
  at('numbers').dataset.lines = lines;
  at('numbers').textContent = Array.from({length: lines}, (none, i) => i + 1).join('\n');
  at('source').style.height = lines * 18 + 24 + 'px';
}

// ---- what is beside it ----

// A choice of a tab: its name, and its values with the words that they add.
const choice = (name, values) => ({name, values});
const TABS = {
  Forms: {
    choices: [choice('form', {keep: [], dps: ['--form=dps'], ssa: ['--form=ssa'], 'PTO-AS': ['--form=as'],
      generic: ['--form=generic'], addresses: ['--addresses'], 'inserted flags': ['--insert-sync']})],
    run: words => ptoasm('fmt', ...one(), ...words, NAME),
  },
  Portability: {run: () => ptoasm('check', '--portability=text', '--profile=all', NAME)},
  Drawing: {
    run: () => ptoasm('map', ...profile(), '-o', 'map.html', NAME),
    drawing: run => run.files['map.html'],
  },
  Memory: {run: () => ptoasm('map', ...profile(), NAME)},
  C: {run: () => ptoasm('emit', '-o', '-', ...one(), NAME)},
  'C++': {
    choices: [choice('flags', {'as written': [], inserted: ['--insert-sync']})],
    run: words => ptoasm('emit', '--to=cpp', '-o', '-', ...one(), ...words, NAME),
  },
  Time: {
    choices: [choice('arguments', null)],
    run: words => ptoasm('time', ...one(), NAME, ...words),
  },
  Explain: {
    choices: [choice('name', null)],
    run: words => ptoasm('explain', ...(words.length ? words : [word()])),
  },
};
let tab = 'Forms';
const chosen = {};

// The instruction or word at the cursor.
function word() {
  const text = at('source').value, place = at('source').selectionStart, letter = /[\w.]/;
  let from = place, to = place;
  while (from > 0 && letter.test(text[from - 1])) from--;
  while (to < text.length && letter.test(text[to])) to++;
  return text.slice(from, to) || '--list';
}

function words() {
  return (TABS[tab].choices ?? []).flatMap(({name, values}) => {
    const value = chosen[tab + name] ?? '';
    return values ? values[value] ?? [] : value.split(/\s+/).filter(text => text && !text.startsWith('-'));
  });
}

function showTab() {
  const run = TABS[tab].run(words()), drawing = TABS[tab].drawing?.(run);
  at('drawing').hidden = !drawing;
  at('text').hidden = Boolean(drawing);
  if (drawing) at('drawing').srcdoc = drawing;
  else at('text').textContent = said(run);
}

function showChoices() {
  at('choices').replaceChildren(...(TABS[tab].choices ?? []).map(({name, values}) => {
    const label = document.createElement('label'), field = document.createElement(values ? 'select' : 'input');
    for (const value of Object.keys(values ?? {})) field.append(new Option(value, value));
    field.id = 'choice';
    if (chosen[tab + name] !== undefined) field.value = chosen[tab + name];
    field.addEventListener('input', () => {
      chosen[tab + name] = field.value;
      showTab();
    });
    label.append(name + ' ', field);
    return label;
  }));
}

function selectTab(name) {
  tab = name;
  for (const button of at('tabs').children) button.setAttribute('aria-selected', String(button.textContent === name));
  showChoices();
  showTab();
}

// ---- together ----

let waiting = 0;

function edited() {
  showNumbers();
  check();
  clearTimeout(waiting);
  waiting = setTimeout(showTab, 150);   // what is beside the text may be late, messages may not
}

function script(src) {
  return new Promise((done, failed) => {
    const element = document.createElement('script');
    Object.assign(element, {src, onload: done, onerror: () => failed(new Error(src + ' is not there'))});
    document.head.append(element);
  });
}

// Compiles the program while it arrives. From a server it is a file of its own, which browsers keep compiled; a page that is
// opened as a file may read scripts alone, and has it in one.
async function compiled() {
  if (location.protocol !== 'file:') {
    try {
      return await WebAssembly.compileStreaming(fetch('ptoasm.wasm'));
    } catch (error) {
      console.warn(error);   // the server may not know what type it has
    }
  }
  await script('module.js');
  return WebAssembly.compileStreaming(fetch('data:application/wasm;base64,' + MODULE));
}

// Messages come first; what is beside them may be later.
async function start() {
  at('source').value = Object.values(SAMPLES)[0];
  showNumbers();
  program = await compiled();
  check();
  const first = performance.now();
  await new Promise(done => setTimeout(done));
  at('version').textContent = ptoasm('--version').out.trim().split(' ')[1] ?? '';
  for (const name of Object.keys(SAMPLES)) at('sample').append(new Option(name, name));
  for (const name of Object.keys(TABS)) {
    const button = document.createElement('button');
    button.setAttribute('role', 'tab');
    button.textContent = name;
    button.addEventListener('click', () => selectTab(name));
    at('tabs').append(button);
  }
  at('sample').addEventListener('input', () => {
    at('source').value = SAMPLES[at('sample').value];
    edited();
  });
  for (const id of ['profile', 'lint']) at(id).addEventListener('input', edited);
  at('source').addEventListener('input', edited);
  at('source').addEventListener('click', () => tab === 'Explain' && showTab());
  selectTab(tab);
  return first;
}

// Settles with the time of the first message.
const started = start();
started.catch(error => { at('state').textContent = String(error); });
