// What Node says of a file that turned out to be an ES module by its syntax, where package.json could have told: once for each package.json.
import { extname } from 'node:path';
import { installedPackage, packageScope } from '../node/package-scope.ts';

const warned: Set<string> = new Set();

export function warnOfTypelessPackage(url: string, filename: string): void {
  const extension = extname(filename);
  if (extension !== '.js' && extension !== '.ts') return;
  const scope = packageScope(filename);
  if (scope === undefined || warned.has(scope.file) || installedPackage(filename) !== undefined) return;
  warned.add(scope.file);
  const text =
    `Module type of ${url} is not specified and it doesn't parse as CommonJS.\n` +
    'Reparsing as ES module because module syntax was detected. This incurs a performance overhead.\n' +
    `To eliminate this warning, add "type": "module" to ${scope.file}.`;
  process.emitWarning(text, { code: 'MODULE_TYPELESS_PACKAGE_JSON' });
}
