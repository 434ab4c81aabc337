export { type InputCode, toConsoleInput } from './console-input.ts';
export { freeNames } from './free-names.ts';
export { toPlainExpression, type PrivateUse } from './plain-expression.ts';
export { TransformError, type TransformErrorCode } from './transform-error.ts';
export {
  ABI_VERSION,
  type ClassEntry,
  type CodeTable,
  type FunctionEntry,
  type ScopeEntry,
  type StatementEntry,
  type StepEntry,
} from './code-table.ts';
export { listFunctions, type ListedFunction } from './function-list.ts';
export { readMap, type SourceMapObject } from './source-map.ts';
export { transform, type TransformOptions, type TransformResult } from './transform.ts';
export type { TypeScriptOptions } from './typescript-options.ts';
export { lowerTypeScript } from './typescript-lowering.ts';
