/**
 * Path of a file as users see it: a file of a package starts with the package, as in `debug/src/node.js`; of any other
 * file, the last segments.
 */
export function displayPath(file: string, segments = 1): string {
  const inPackage = file.split('/node_modules/');
  return inPackage.length > 1 ? (inPackage.at(-1) ?? file) : file.split('/').slice(-segments).join('/');
}
