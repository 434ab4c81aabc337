export { explanationText } from './explain.ts';
export { examine } from './examine.ts';
export { install, type Loader } from './install.ts';
export { createLoaderRealm, type LoaderRealm, type RuntimeTransform } from './loader-realm.ts';
export { loaderOptions, type LoaderOptions } from './options.ts';
export { runtimeTransform, transformer } from './transformer.ts';
export type { BuiltinExplanation, Explanation, PackageExplanation } from './explain.ts';
export type { LoadCounts, Transformer } from './code.ts';
