/*
 * The units of the HTML report: searched, filtered, sorted, and shown a page at a time. Everything
 * of the inputs goes through textContent; nothing is fetched, nothing is kept.
 */
'use strict';
(function () {
  const PAGE = 100;
  const CLUSTER = 0, NAMESPACE = 1, NAME = 2, PROVIDER = 3, SYSTEM = 4, PROFILE = 5, VERSION = 6,
        BYTES = 7, LIMIT = 8, CHANGE = 9, CLASS = 10, REPLICAS = 11;
  const data = JSON.parse(document.getElementById('data').textContent);
  const units = data.units;
  const text = (unit, column) => data.texts[unit[column]];
  const byId = (id) => document.getElementById(id);
  const count = (n, one, many) => n.toLocaleString('en-US') + ' ' + (n === 1 ? one : many);
  const word = (unit) => data.classes[unit[CLASS]];
  const isChanged = (unit) => unit[CHANGE] !== 0 || unit[CLASS] !== 0;
  const fill = (unit) => unit[LIMIT] ? unit[BYTES] / unit[LIMIT] : -1;

  let haystack = null;
  let shown = [];
  let page = 0;
  let sort = { column: '', down: false };

  const search = byId('search'), which = byId('which'), cluster = byId('cluster'),
        group = byId('group'), rows = byId('rows');

  function element(name, content, className) {
    const made = document.createElement(name);
    if (content !== undefined) made.textContent = content;
    if (className) made.className = className;
    return made;
  }

  function option(select, value, label) {
    const made = element('option', label);
    made.value = value;
    select.append(made);
  }

  function fillSelects() {
    const classes = new Map();
    const clusters = new Map();
    for (const unit of units) {
      classes.set(unit[CLASS], (classes.get(unit[CLASS]) || 0) + 1);
      clusters.set(unit[CLUSTER], (clusters.get(unit[CLUSTER]) || 0) + 1);
    }
    for (const key of [...classes.keys()].sort((a, b) => b - a)) {
      option(which, String(key), data.classes[key] + ' (' + classes.get(key) + ')');
    }
    const names = [...clusters.keys()].sort((a, b) => data.texts[a] < data.texts[b] ? -1 : 1);
    for (const key of names) {
      option(cluster, String(key), data.texts[key] + ' (' + clusters.get(key) + ')');
    }
    data.groups.forEach((members, i) => {
      option(group, String(i), 'change ' + (i + 1) + ' (' + members.length + ')');
    });
    group.hidden = data.groups.length === 0;
    if (!units.some(isChanged)) which.value = 'all';
  }

  const keys = {
    cluster: (unit) => text(unit, CLUSTER),
    unit: (unit) => text(unit, NAMESPACE) + '/' + text(unit, NAME),
    provider: (unit) => text(unit, PROVIDER) + ' ' + text(unit, SYSTEM),
    profile: (unit) => text(unit, PROFILE) + ' ' + text(unit, VERSION),
    machines: (unit) => unit[REPLICAS],
    bytes: fill,
    what: (unit) => unit[CLASS] * 4 + unit[CHANGE],
  };

  function select() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const members = group.value === '' ? null : new Set(data.groups[Number(group.value)]);
    if (words.length && !haystack) {
      haystack = units.map((unit) => [CLUSTER, NAMESPACE, NAME, PROVIDER, SYSTEM, PROFILE, VERSION]
        .map((column) => text(unit, column)).join('/').toLowerCase() + ' ' + word(unit).toLowerCase());
    }
    shown = [];
    units.forEach((unit, i) => {
      if (members ? !members.has(i) : which.value === 'changed' && !isChanged(unit)) return;
      if (/^\d+$/.test(which.value) && unit[CLASS] !== Number(which.value)) return;
      if (cluster.value !== '' && unit[CLUSTER] !== Number(cluster.value)) return;
      if (words.every((part) => haystack[i].includes(part))) shown.push(unit);
    });
    if (sort.column) {
      const key = keys[sort.column];
      const sign = sort.down ? -1 : 1;
      shown.sort((a, b) => {
        const left = key(a), right = key(b);
        return left < right ? -sign : left > right ? sign : 0;
      });
    }
    page = 0;
    show();
  }

  function cell(row, label, content, className) {
    const made = element('td', content, className);
    if (label) made.dataset.label = label;
    row.append(made);
    return made;
  }

  function rowOf(unit) {
    const row = element('tr');
    const badge = element('span', isChanged(unit) && unit[CLASS] === 0 ? data.changes[unit[CHANGE]] : word(unit),
      'badge c-' + word(unit).toLowerCase());
    cell(row, '').append(badge);
    cell(row, 'Cluster', text(unit, CLUSTER));
    const name = cell(row, data.kind);
    name.append(element('span', text(unit, NAMESPACE) + '/', 'soft'), element('strong', text(unit, NAME)));
    cell(row, 'Machines', unit[REPLICAS] < 0 ? '' : unit[REPLICAS].toLocaleString('en-US'), 'number');
    cell(row, 'Provider', [text(unit, PROVIDER), text(unit, SYSTEM)].filter(Boolean).join(', '));
    cell(row, 'Profile', [text(unit, PROFILE), text(unit, VERSION)].filter(Boolean).join(' '));
    const bytes = cell(row, 'User-data', '', 'number');
    if (unit[LIMIT]) {
      bytes.textContent = unit[BYTES].toLocaleString('en-US') + ' (' + Math.round(100 * fill(unit)) + ' %)';
    } else if (unit[BYTES]) {
      bytes.textContent = unit[BYTES].toLocaleString('en-US');
    }
    return row;
  }

  function show() {
    const pages = Math.max(1, Math.ceil(shown.length / PAGE));
    const part = shown.slice(page * PAGE, (page + 1) * PAGE);
    const machines = shown.reduce((sum, unit) => sum + Math.max(0, unit[REPLICAS]), 0);
    rows.replaceChildren(...part.map(rowOf));
    byId('found').textContent = count(shown.length, data.kind, data.kind + 's') +
      (machines ? ', ' + count(machines, 'machine', 'machines') : '');
    byId('page').textContent = 'page ' + (page + 1) + ' of ' + pages;
    byId('previous').disabled = page === 0;
    byId('next').disabled = page + 1 >= pages;
    byId('pager').hidden = pages === 1;
  }

  function turn(by) {
    page += by;
    show();
    byId('units').scrollIntoView();
  }

  function sortBy(button) {
    const header = button.closest('th');
    sort = { column: button.dataset.sort, down: header.getAttribute('aria-sort') === 'ascending' };
    for (const other of document.querySelectorAll('th[aria-sort]')) other.removeAttribute('aria-sort');
    header.setAttribute('aria-sort', sort.down ? 'descending' : 'ascending');
    select();
  }

  document.documentElement.classList.add('scripted');
  fillSelects();
  search.addEventListener('input', select);
  for (const control of [which, cluster, group]) control.addEventListener('change', select);
  byId('previous').addEventListener('click', () => turn(-1));
  byId('next').addEventListener('click', () => turn(1));
  for (const button of document.querySelectorAll('button[data-sort]')) {
    button.addEventListener('click', () => sortBy(button));
  }
  for (const button of document.querySelectorAll('button[data-group]')) {
    button.addEventListener('click', () => {
      search.value = '';
      which.value = 'all';
      cluster.value = '';
      group.value = button.dataset.group;
      select();
      byId('units').scrollIntoView();
    });
  }
  select();
})();
