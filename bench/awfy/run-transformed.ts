// The other side: the program as the transform rewrites it, on a realm of core, linked by core's module records. A loader of
// our own, small enough to see that nothing but the transform and core is measured.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import {
  createRealm,
  ModuleGraph,
  type ModuleFactory,
  type ModuleHost,
  type ModuleRealm,
  type ModuleRecord,
  type ModuleTable,
} from '@turntable/core';
import { transform } from '@turntable/transform';
import type { ProgramModule } from './catalog.ts';

function createGraph(): ModuleGraph {
  const realm = createRealm({ queueMicrotask, nextTick: (callback) => process.nextTick(callback) });
  const { eventuals } = realm.parts;
  const forModules: ModuleRealm = {
    createFrame: (step) => new realm.Frame(step as never),
    async: (frame) => realm.async(frame as never) as object,
    await: (frame, k, value) => realm.await(frame as never, k, value),
    createEventual: () => eventuals.create(),
    resolveEventual: (eventual, value) => eventuals.resolve(eventual as never, value),
    rejectEventual: (eventual, reason) => eventuals.reject(eventual as never, reason),
    forCode: realm,
  };
  const host: ModuleHost = { load: (referrer, { specifier }) => recordOf(graph, new URL(specifier, referrer.key)) };
  const graph = new ModuleGraph(forModules, host);
  return graph;
}

function recordOf(graph: ModuleGraph, url: URL): ModuleRecord {
  const known = graph.records.get(url.href);
  if (known) return known;
  const path = fileURLToPath(url);
  const { code, table } = transform(readFileSync(path, 'utf8'), { path, kind: 'module' });
  const factory = new Script(code, { filename: path }).runInThisContext() as ModuleFactory;
  const record = graph.module(url.href, table.module as ModuleTable, factory);
  graph.records.set(url.href, record);
  return record;
}

export async function loadTransformed(file: URL): Promise<ProgramModule> {
  const graph = createGraph();
  return graph.runNow(recordOf(graph, file)) as ProgramModule;
}
