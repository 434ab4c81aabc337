// Starts the desktop application, which is installed separately and runs on by itself.
import { spawn } from 'node:child_process';

/** The executable that Linux packages install. */
const APPLICATION = 'turntable-debugger';

/** Resolves with the problem if it could not be started. @param path of a recording; without one, the start page */
export function startWindow(path: string | undefined, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const application = environment['TURNTABLE_WINDOW'] || APPLICATION;
  // The application must use this version of Turntable. From sources, a command of two words cannot name it.
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
        `the window cannot be started (${message}); set TURNTABLE_WINDOW to the application (docs/desktop.md), or use turntable debug --browser`,
      ),
    );
  });
}
