import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { createRealm } from '@turntable/core';
import { describe, expect, it } from 'vitest';
import { manualHost } from '../../../core/test/manual-host.ts';
import { StaticObjects } from '../../src/membrane/static-objects.ts';
import { LazyGlobals } from '../../src/realm/lazy-globals.ts';

const statics = new StaticObjects(createRealm(manualHost()), new LazyGlobals());
for (const name of ['fs', 'http', 'crypto', 'zlib', 'web']) statics.registerBuiltin(name);

describe('static objects', () => {
  it('have paths that lead back to them: exports, classes, methods and intermediate objects', () => {
    const gzip = Object.getPrototypeOf(zlib.Gzip.prototype) as object;
    for (const [path, object] of [
      ['fs', fs],
      ['fs.readFile', fs.readFile],
      ['fs.promises.readFile', fs.promises.readFile],
      ['http.Server.prototype', http.Server.prototype],
      ['get http.OutgoingMessage.prototype.headersSent', getterOf(http.OutgoingMessage.prototype, 'headersSent')],
      ['zlib.BrotliCompress.prototype.[[Prototype]].[[Prototype]]', Object.getPrototypeOf(gzip) as object],
      ['web.fetch', fetch],
    ] as const) {
      const found = statics.pathOf(object);
      expect([path, statics.isNeutral(object), statics.objectAt(found ?? '')]).toEqual([path, false, object]);
      if (!path.startsWith('zlib')) expect(found).toBe(path);
    }
  });

  it('are neutral if they only compute, whichever module exports them', () => {
    const { EventEmitter } = process.getBuiltinModule('events');
    for (const object of [
      Array.prototype.push,
      Object.getPrototypeOf([].values()) as object,
      Buffer.from,
      EventEmitter.prototype,
      URL,
      AbortSignal.prototype,
      fs.constants,
      http.METHODS,
      http.STATUS_CODES,
      http.validateHeaderName,
      crypto.timingSafeEqual,
      crypto.getRandomValues,
      crypto.webcrypto,
      zlib.gzipSync,
      process,
      globalThis,
    ]) {
      expect(statics.isNeutral(object)).toBe(true);
      expect(statics.pathOf(object)).toBe(undefined);
      expect(statics.objectAt(statics.neutralPathOf(object) ?? '')).toBe(object);
    }
  });

  it('have names that distinguish emitters from classes with internal slots', () => {
    const { EventEmitter } = process.getBuiltinModule('events');
    expect(statics.neutralPathOf(EventEmitter.prototype)).toBe('EventEmitter.prototype');
  });

  it('do not include instances, which are recorded', () => {
    for (const object of [http.globalAgent, crypto.subtle, new http.Agent(), Promise.resolve(), {}]) {
      expect(statics.pathOf(object)).toBe(undefined);
      expect(statics.isNeutral(object)).toBe(false);
    }
  });

  it('have the same paths in any order of loading', () => {
    const file = fileURLToPath(new URL('statics-in-thread.ts', import.meta.url));
    const [forwards, backwards] = ['forwards', 'backwards'].map((order) =>
      JSON.parse(
        execFileSync(process.execPath, ['-C', 'turntable-source', '--no-warnings', file, order], { encoding: 'utf8' }),
      ),
    ) as [Record<string, string>, Record<string, string>];
    // The builtin `domain` replaces this function when it is loaded.
    for (const paths of [forwards, backwards]) Reflect.deleteProperty(paths, 'events.init');
    expect(backwards).toEqual(forwards);
    expect(forwards).toMatchObject({
      'https.Agent': 'https.Agent',
      'fs.readFile': 'fs.readFile',
      'stream/web.ReadableStream': 'stream/web.ReadableStream',
      'worker_threads.MessagePort': 'web.MessagePort',
      Response: 'web.Response',
      ReadableStream: 'stream/web.ReadableStream',
    });
  });
});

function getterOf(holder: object, name: string): () => unknown {
  return Object.getOwnPropertyDescriptor(holder, name)?.get as () => unknown;
}
