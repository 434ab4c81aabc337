// The modules of a thread's program: both hosts and the objects that they share.
import type { CommonJsModule, ModuleGraph, ModuleRealm } from '@turntable/core';
import type { ModuleClassifier } from '../classification/module-classifier.ts';
import type { CodeLoader } from '../code/code-loader.ts';
import type { VerdictCache } from '../code/verdict-cache.ts';
import { CommonJsProgramHost } from './commonjs-program-host.ts';
import { EntryPoint } from './entry-point.ts';
import { EsmProgramHost } from './esm-program-host.ts';
import { LoadEvents } from './load-events.ts';
import type { ProgramModuleTable } from './module-table.ts';
import { ModuleVerdicts, type StaysNative } from './module-verdicts.ts';
import { NATIVE_LOADER, type NativeLoader } from './native-modules.ts';
import { OwnModules } from './own-modules.ts';
import { ProgramBuiltins } from './program-builtins.ts';
import { ProgramCode } from './program-code.ts';
import { NodeModules, type NoteResolution } from '../node/resolution.ts';

export interface ProgramModules {
  readonly graph: ModuleGraph;
  readonly table: ProgramModuleTable;
  readonly esm: EsmProgramHost;
  readonly commonJs: CommonJsProgramHost;
  readonly entryPoint: EntryPoint;
  readonly verdicts: ModuleVerdicts;
  readonly builtins: ProgramBuiltins;
  readonly ownModules: OwnModules;
  readonly code: ProgramCode;
  readonly loadEvents: LoadEvents;
}

export interface ProgramModulesDeps {
  readonly realm: ModuleRealm;
  readonly codeLoader: CodeLoader;
  readonly classifier: ModuleClassifier;
  readonly verdictCache: VerdictCache | undefined;
  /** Loads devices beyond the membrane; undefined in a thread without a membrane. */
  readonly membraneLoader: NativeLoader | undefined;
  /** This and `staysNative` are given only in a thread with a tape. */
  readonly noteResolution: NoteResolution | undefined;
  readonly staysNative: StaysNative | undefined;
}

export function createProgramModules(deps: ProgramModulesDeps): ProgramModules {
  const { realm, classifier, membraneLoader, staysNative } = deps;
  const loadEvents = new LoadEvents();
  const ownModules = new OwnModules(classifier.ownDirectories, loadEvents);
  const sharedParts = {
    loadEvents,
    ownModules,
    code: new ProgramCode(deps.codeLoader, loadEvents),
    entryPoint: new EntryPoint(),
    builtins: new ProgramBuiltins(loadEvents),
    verdicts: new ModuleVerdicts({ classifier, ownModules, hasMembrane: membraneLoader !== undefined, staysNative }),
  };
  const hostDeps = {
    ...sharedParts,
    moduleCache: NodeModules._cache as unknown as Record<string, CommonJsModule | undefined>,
    noteResolution: deps.noteResolution ?? ((_, resolve) => resolve()),
  };
  const esm = new EsmProgramHost({
    ...hostDeps,
    realm,
    verdictCache: deps.verdictCache,
    deviceLoader: membraneLoader ?? NATIVE_LOADER,
    requireCommonJs: (filename) => commonJs.exportsOf(filename),
  });
  const { graph, table } = esm;
  const commonJs: CommonJsProgramHost = new CommonJsProgramHost({
    ...hostDeps,
    table,
    membraneLoader,
    recordOf: (url) => esm.recordOf(url),
  });
  return { ...sharedParts, graph, table, esm, commonJs };
}
