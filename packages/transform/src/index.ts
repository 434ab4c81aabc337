export { barredExpression, type BarredExpression } from './expression-barriers.ts';
export { plainExpression, type PrivateUse } from './plain-expression.ts';
export { TransformError, type TransformErrorCode } from './errors.ts';
export {
  ABI_VERSION,
  type ClassEntry,
  type CodeTable,
  type FunctionEntry,
  type StatementEntry,
  type StepEntry,
} from './table.ts';
export { readMap, type SourceMapObject } from './source-map.ts';
export { transform, type TransformOptions, type TransformResult } from './transform.ts';
export type { TypeScriptOptions } from './typescript-options.ts';
export { lowerTypeScript } from './typescript.ts';
