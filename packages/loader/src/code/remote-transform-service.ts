// The transform in another process, for a process that must not load native code. The other process writes the cache.
import { errorOf, type TransformAnswer, type TransformRequest, type TransformResultOf } from './transform-messages.ts';
import type { TransformService } from './transform-service.ts';

/** @param ask sends a request and waits for its answer */
export function createRemoteTransformService(ask: (request: string) => string): TransformService {
  const call = <Name extends TransformRequest['call']>(
    name: Name,
    ...args: Extract<TransformRequest, { call: Name }>['args']
  ): TransformResultOf<Name> => {
    const answer = JSON.parse(ask(JSON.stringify({ call: name, args }))) as TransformAnswer;
    if ('failure' in answer) throw errorOf(answer.failure);
    return answer.result as TransformResultOf<Name>;
  };
  return {
    writesCache: true,
    build: (request) => ({ ...call('build', request), compiled: Buffer.alloc(0) }),
    buildRuntimeCode: (request) => call('buildRuntimeCode', request),
    lower: (source, path, settings) => call('lower', source, path, settings),
    toConsoleInput: (text, reader) => call('toConsoleInput', text, reader),
    freeNames: (text) => call('freeNames', text),
    toPlainExpression: (text, reader) => call('toPlainExpression', text, reader),
    exportsOf: (path, source) => call('exportsOf', path, source),
    functionsOf: (path, source) => call('functionsOf', path, source),
    cacheVerdict: (cacheKey, verdict) => call('cacheVerdict', cacheKey, verdict),
  };
}
