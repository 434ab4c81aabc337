// Starts the desktop application, which is installed separately and keeps running by itself.
import { spawn } from 'node:child_process';

/** Name of the executable in Linux packages. */
const APPLICATION = 'turntable-debugger';

/** Resolves with the problem if the start failed. @param path path of a recording; undefined for the start page */
export function startWindow(path: string | undefined, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const application = environment['TURNTABLE_WINDOW'] || APPLICATION;
  // The application must run this version of Turntable. It cannot if Node needs flags to do so, as from sources.
  const ownVariables = { TURNTABLE_NODE: process.execPath, TURNTABLE_CLI: process.argv[1] };
  const env = { ...(process.execArgv.length === 0 ? ownVariables : {}), ...environment };
  const child = spawn(application, path === undefined ? [] : [path], { detached: true, stdio: 'ignore', env });
  return new Promise((settle) => {
    child.once('spawn', () => {
      child.unref();
      settle(undefined);
    });
    child.once('error', ({ message }) =>
      settle(
        `the window cannot be started (${message}); set TURNTABLE_WINDOW to the application (docs/guide/window.md), or use turntable debug --browser`,
      ),
    );
  });
}
