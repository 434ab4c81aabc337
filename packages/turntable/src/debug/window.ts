// The application of the desktop, which is installed apart: started here, it goes on by itself.
import { spawn } from 'node:child_process';

/** As packages for Linux put it into the path. */
const APPLICATION = 'turntable-debugger';

/** Why it could not be started, if it could not. @param path of a recording; without one it asks which */
export function startWindow(path: string | undefined, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const application = environment['TURNTABLE_WINDOW'] || APPLICATION;
  // Whoever asks here wants what answers here. From sources it cannot be said in two words.
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
        `the window cannot be started (${message}): TURNTABLE_WINDOW says where its application is (docs/desktop.md); a browser shows the same: turntable debug --browser`,
      ),
    );
  });
}
