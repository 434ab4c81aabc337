// `require is not defined` in an ES module: Node says why (lib/internal/modules/esm/module_job.js).
import { fileURLToPath } from 'node:url';
import { packageScope } from '../node/package-scope.ts';

const ADVICE: Readonly<Record<string, string>> = {
  require: 'replace require() with import',
  module: 'use export instead of module.exports/exports',
  exports: 'use export instead of module.exports/exports',
  __filename: 'use import.meta.filename instead',
  __dirname: 'use import.meta.dirname instead',
};

export function explainCommonJsName(reason: unknown, url: string, hasTopLevelAwait: boolean): void {
  if (!(reason instanceof ReferenceError)) return;
  const name = Object.keys(ADVICE).find((known) => reason.message === `${known} is not defined`);
  if (name === undefined) return;
  if (hasTopLevelAwait) {
    reason.message =
      `Cannot determine intended module format because both '${name}' and top-level await are present. If the code is intended ` +
      `to be CommonJS, wrap await in an async function. If the code is intended to be an ES module, ${ADVICE[name]}.`;
    Object.assign(reason, { code: 'ERR_AMBIGUOUS_MODULE_SYNTAX' });
    return;
  }
  reason.message += ' in ES module scope';
  if (name === 'require') reason.message += ', you can use import instead';
  if (!url.startsWith('file:') || !/\.js(?:\?[^#]*)?(?:#.*)?$/.test(url)) return;
  const scope = packageScope(fileURLToPath(url));
  if (scope?.type !== 'module') return;
  reason.message +=
    `\nThis file is being treated as an ES module because it has a '.js' file extension and '${scope.file}' contains ` +
    `"type": "module". To treat it as a CommonJS script, rename it to use the '.cjs' file extension.`;
}
