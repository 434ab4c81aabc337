// The modules of one thread's program: both hosts, and the objects that they share.
import type { CommonJsModule, ModuleGraph, ModuleRealm } from '@turntable/core';
import type { ModuleClassifier } from '../classification/module-classifier.ts';
import type { CodeLoader } from '../code/code.ts';
import type { VerdictCache } from '../code/verdict-cache.ts';
import { CommonJsProgramHost } from './commonjs-program-host.ts';
import { EntryPoint } from './entry-point.ts';
import { EsmProgramHost } from './esm-program-host.ts';
import { LoadEvents } from './load-events.ts';
import type { ModuleTable } from './module-table.ts';
import { ModuleVerdicts, type StaysNative } from './module-verdicts.ts';
import { NATIVE_LOADER, type NativeLoader } from './native-modules.ts';
import { OwnModules } from './own-modules.ts';
import { ProgramBuiltins } from './program-builtins.ts';
import { ProgramCode } from './program-code.ts';
import { NodeModules, type NoteResolution } from '../node/resolution.ts';

export interface ProgramModules {
  readonly graph: ModuleGraph;
  readonly table: ModuleTable;
  readonly esm: EsmProgramHost;
  readonly commonJs: CommonJsProgramHost;
  readonly entry: EntryPoint;
  readonly verdicts: ModuleVerdicts;
  readonly builtins: ProgramBuiltins;
  readonly own: OwnModules;
  readonly code: ProgramCode;
  readonly events: LoadEvents;
}

export interface ProgramModulesDeps {
  readonly realm: ModuleRealm;
  readonly code: CodeLoader;
  readonly classifier: ModuleClassifier;
  readonly verdictCache: VerdictCache | undefined;
  /** Loads devices beyond a membrane, if there is one. */
  readonly membraneLoader: NativeLoader | undefined;
  /** In a thread with a tape. */
  readonly noteResolution: NoteResolution | undefined;
  readonly staysNative: StaysNative | undefined;
}

export function createProgramModules(deps: ProgramModulesDeps): ProgramModules {
  const { realm, classifier, membraneLoader, staysNative } = deps;
  const events = new LoadEvents();
  const own = new OwnModules(classifier.ours, events);
  const shared = {
    events,
    own,
    code: new ProgramCode(deps.code, events),
    entry: new EntryPoint(),
    builtins: new ProgramBuiltins(events),
    verdicts: new ModuleVerdicts({ classifier, own, hasMembrane: membraneLoader !== undefined, staysNative }),
  };
  const both = {
    ...shared,
    cache: NodeModules._cache as unknown as Record<string, CommonJsModule | undefined>,
    noteResolution: deps.noteResolution ?? ((_, resolve) => resolve()),
  };
  const esm = new EsmProgramHost({
    ...both,
    realm,
    verdictCache: deps.verdictCache,
    deviceLoader: membraneLoader ?? NATIVE_LOADER,
    requireCommonJs: (filename) => commonJs.exportsOf(filename),
  });
  const { graph, table } = esm;
  const commonJs: CommonJsProgramHost = new CommonJsProgramHost({
    ...both,
    table,
    membraneLoader,
    recordOf: (url) => esm.recordOf(url),
  });
  return { ...shared, graph, table, esm, commonJs };
}
