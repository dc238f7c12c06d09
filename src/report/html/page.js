'use strict';
// Every value goes into the document as text (textContent), never as markup.
(() => {
  const at = id => document.getElementById(id);
  const { names, texts: words, techniques, commands, rows } = JSON.parse(at('data').textContent);
  const LEVELS = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'];
  const HEIGHT = 30;
  const list = at('list'), space = at('space'), detail = at('detail'), form = at('filters');
  const fields = ['search', 'severity', 'rule', 'mitre', 'user', 'host', 'from', 'to'];
  const name = n => n === null ? '' : names[n];
  // A command that no row has any more is 0.
  const worst = commands.map(c => c ? c[3].reduce((w, f) => Math.max(w, f[1]), 0) : 0);
  const runs = new Array(commands.length).fill(0);
  for (const r of rows) runs[r[0]]++;
  const make = (tag, text, cls) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    if (cls) e.className = cls;
    return e;
  };
  const when = s => s === null ? '' : new Date(s * 1000).toISOString().replace('T', ' ').slice(0, 19);
  // The worst first, then the latest; the order of the histories decides the rest.
  const order = rows.map((_, i) => i);
  order.sort((a, b) => worst[rows[b][0]] - worst[rows[a][0]] || (rows[b][1] || 0) - (rows[a][1] || 0) || a - b);
  let shown = order, chosen = -1;
  const texts = new Array(commands.length);
  const text = c => texts[c] ??=
    (commands[c].slice(0, 3).join('') + '\n' + commands[c][3].map(f => f[0] + ' ' + f[2]).join('\n')).toLowerCase();

  const options = (id, values) => {
    at(id).append(...[['', 'any'], ...values].map(([v, t]) => Object.assign(make('option', t), { value: v })));
  };
  const collect = (get, about) => [...new Set(get)].filter(v => v).sort().map(v => [v, about?.[v] ? v + ' ' + about[v] : v]);
  const used = commands.filter(c => c);
  options('severity', LEVELS.map((l, i) => ['from' + i, l + ' or worse']).slice(1, 4).reverse().concat(LEVELS.map((l, i) => [String(i), l]).reverse()));
  options('rule', collect(used.flatMap(c => c[3].map(f => f[0]))));
  options('mitre', collect(used.flatMap(c => c[3].map(f => f[3])), techniques));
  options('user', collect(rows.map(r => name(r[2]))));
  options('host', collect(rows.map(r => name(r[3]))));

  const apply = () => {
    const v = Object.fromEntries(fields.map(f => [f, at(f).value]));
    const needle = v.search.trim().toLowerCase();
    const from = v.from ? Date.parse(v.from) / 1000 : null, to = v.to ? Date.parse(v.to) / 1000 + 86400 : null;
    const level = i => v.severity === '' || String(worst[i]) === v.severity || worst[i] >= Number(v.severity.slice(4) || 9);
    const fits = commands.map((c, i) => c && level(i) && (v.rule === '' || c[3].some(f => f[0] === v.rule)) && (v.mitre === '' || c[3].some(f => f[3] === v.mitre)));
    shown = order.filter(i => {
      const r = rows[i];
      return fits[r[0]] && (v.user === '' || name(r[2]) === v.user) && (v.host === '' || name(r[3]) === v.host)
        && (from === null || (r[1] !== null && r[1] >= from)) && (to === null || (r[1] !== null && r[1] < to))
        && (needle === '' || text(r[0]).includes(needle) || (name(r[5]) + ':' + r[6]).toLowerCase().includes(needle));
    });
    at('count').textContent = shown.length.toLocaleString('en') + ' of ' + rows.length.toLocaleString('en') + ' commands';
    space.style.height = shown.length * HEIGHT + 'px';
    list.setAttribute('aria-rowcount', shown.length + 1);
    list.scrollTop = 0;
    chosen = -1;
    choose(shown.length ? 0 : -1);
  };
  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - 5);
    const last = Math.min(shown.length, first + Math.ceil(list.clientHeight / HEIGHT) + 10);
    const out = [];
    for (let i = first; i < last; i++) {
      const r = rows[shown[i]], c = commands[r[0]], row = make('div', undefined, 'row');
      row.id = 'row' + i;
      row.setAttribute('role', 'row');
      row.setAttribute('aria-rowindex', i + 2);
      row.setAttribute('aria-selected', i === chosen);
      row.style.top = i * HEIGHT + 'px';
      const code = make('code');
      code.append(c[0].slice(-60), make('mark', c[1].slice(0, 300)), c[2].slice(0, 300));
      const cells = [make('span', LEVELS[worst[r[0]]], 'sev' + worst[r[0]]), make('span', when(r[1])), make('span', name(r[2])), code];
      cells.forEach(cell => cell.setAttribute('role', 'gridcell'));
      row.append(...cells);
      row.addEventListener('click', () => choose(i));
      out.push(row);
    }
    space.replaceChildren(...out);
  };
  const choose = i => {
    chosen = i;
    if (i >= 0) {
      if (i * HEIGHT < list.scrollTop) list.scrollTop = i * HEIGHT;
      // The head stays at the top and takes the room of one row.
      const end = (i + 2) * HEIGHT - list.clientHeight;
      if (end > list.scrollTop) list.scrollTop = end;
      list.setAttribute('aria-activedescendant', 'row' + i);
    } else {
      list.removeAttribute('aria-activedescendant');
    }
    draw();
    show();
  };
  const show = () => {
    if (chosen < 0) {
      detail.replaceChildren(make('p', 'Nothing fits.'));
      return;
    }
    const r = rows[shown[chosen]], c = commands[r[0]], pre = make('pre'), out = [pre], dl = make('dl');
    pre.append(c[0], make('mark', c[1]), c[2]);
    const facts = [['When', r[1] === null ? '' : when(r[1]) + ' UTC'], ['User', name(r[2])], ['Host', name(r[3])],
      ['Session', name(r[4])], ['Place', name(r[5]) + ':' + r[6]], ['Runs', runs[r[0]] > 1 ? String(runs[r[0]]) : '']];
    for (const [k, v] of facts) if (v) dl.append(make('dt', k), make('dd', v));
    out.push(dl);
    for (const f of c[3]) {
      const h = make('h3');
      h.append(make('span', LEVELS[f[1]], 'sev' + f[1]), ' ' + f[2]);
      const technique = f[3] ? ', ' + f[3] + (techniques[f[3]] ? ' ' + techniques[f[3]] : '') : '';
      out.push(h, make('p', f[0] + technique, 'soft'), make('p', words[f[4]]));
      for (const s of f[7]) out.push(make('p', 'With ' + s[0] + ':' + s[1]), make('pre', s[2]));
      if (f[6]) out.push(make('p', 'Instead:'), make('pre', f[6]));
      else out.push(make('p', 'Safer: ' + words[f[5]]));
    }
    detail.replaceChildren(...out);
  };

  let waiting = false;
  list.addEventListener('scroll', () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  });
  list.addEventListener('keydown', e => {
    const page = Math.max(1, Math.floor(list.clientHeight / HEIGHT) - 2);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -shown.length, End: shown.length }[e.key];
    if (step === undefined || !shown.length) return;
    e.preventDefault();
    choose(Math.max(0, Math.min(shown.length - 1, chosen + step)));
  });
  let timer;
  form.addEventListener('input', e => {
    clearTimeout(timer);
    timer = setTimeout(apply, e.target.id === 'search' ? 150 : 0);
  });
  form.addEventListener('reset', () => setTimeout(apply, 0));
  form.addEventListener('submit', e => e.preventDefault());
  document.addEventListener('click', e => {
    const button = e.target.closest('[data-field]');
    if (!button) return;
    at(button.dataset.field).value = button.dataset.value;
    apply();
    at('findings').scrollIntoView();
    list.focus();
  });
  window.addEventListener('resize', draw);
  apply();
  // Milliseconds from the opening of the page.
  document.documentElement.dataset.ready = Math.round(performance.now());
})();
