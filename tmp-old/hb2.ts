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

const [, , which = '', mb = '3', iter = '20'] = process.argv;
const g = airline(Number(mb), true) as any;
const all: Record<string, () => any> = {
    none: () => 0,
    old: () => o.write(g),
    write: () => n.write(g),
    capture: () => n.capture(g).finish(),
    'oldread': (() => { const b = o.write(g); return () => o.read(b); })(),
    'newread': (() => { const b = n.write(g); return () => n.read(b); })(),
};
const t = [];
for (let i = 0; i < Number(iter); i++) { const w = process.threadCpuUsage(); all[which]!(); const v = process.threadCpuUsage(w); t.push((v.user + v.system) / 1000); }
console.log(which, Math.min(...t).toFixed(2), t.toSorted((a, b) => a - b)[t.length >> 1]!.toFixed(2));
