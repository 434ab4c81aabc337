import { types } from 'node:util';
import { serialize } from 'node:v8';
import { createRealm } from '@turntable/core';
import * as N from '../packages/heap/src/index.ts';
import * as O from './packages/heap/src/index.ts';
import { createEngineView } from '../packages/loader/src/realm/engine-view.ts';
import { airline, CLASSES } from '../bench/heap/airline.ts';
const cl = (asks: any, of: (v: any) => number, al: (k:number)=>object, odd=false) => ({ name: asks, asks, odd, take(v: any) { const p = of(v); return p < 0 ? undefined : { kind: p, header: [], contents: [], born: Object.getOwnPropertyDescriptors(v) }; }, allocate: al, fill: () => undefined });
const make = (H: typeof N) => {
  const realm = createRealm({ queueMicrotask, engine: createEngineView() } as any);
  const known = new H.KnownObjects(realm, { isProxy: types.isProxy });
  return new H.Heap({ realm, types, known, adapters: [cl('functions', (v) => CLASSES.indexOf(v), (k) => CLASSES[k]!), cl('objects', (v) => CLASSES.findIndex((t: any) => t.prototype === v), (k) => CLASSES[k]!.prototype, true)] } as any);
};
const n = make(N), o = make(O as any);
const mb = Number(process.argv[2] ?? 5);
for (const form of [false, true]) {
  const g = airline(mb, form) as any;
  const all: Record<string, () => any> = {
    old: () => o.write(g),
    write: () => n.write(g),
    capture: () => n.capture(g).finish(),
    pieces: () => { const c = n.capture(Object.keys(g)); c.run(); const l = g.accounts ?? g.passengers ?? Object.values(g); for (let i = 0; i < 100; i++) c.add(l instanceof Array ? l.slice(i * l.length / 100, (i + 1) * l.length / 100) : 0); c.add(g); return c.finish(); },
    v8: () => serialize(g),
    'old read': (() => { const b = o.write(g); return () => o.read(b); })(),
    'new read': (() => { const b = n.write(g); return () => n.read(b); })(),
  };
  const runs: Record<string, number[]> = {};
  for (let i = 0; i < Number(process.argv[3] ?? 12); i++) for (const [k, f] of Object.entries(all)) {
    (globalThis as any).gc?.();
    const t = process.cpuUsage();
    f();
    const u = process.cpuUsage(t);
    (runs[k] ??= []).push((u.user + u.system) / 1000);
  }
  console.log(mb, form ? 'classes' : 'plain', Object.entries(runs).map(([k, v]) => `${k} ${Math.min(...v).toFixed(1)} (${v.toSorted((a, b) => a - b)[v.length >> 1]!.toFixed(1)})`).join('  '));
}
