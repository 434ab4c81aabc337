// Reads the settings of this process before its program is loaded. An error in a configuration file is thrown, so that
// Node prints its source line; an error in an environment variable or flag is printed as one line.
import { LoaderError, loaderOptions, renamedVariableWarning, type LoaderOptions } from '@turntable/loader';

export function loadOptionsOrExit(): LoaderOptions {
  const warning = renamedVariableWarning(process.env);
  if (warning !== undefined) process.stderr.write(`turntable: ${warning}\n`);
  try {
    return loaderOptions();
  } catch (error) {
    if (!(error instanceof LoaderError) || error.path !== undefined) throw error;
    process.stderr.write(`turntable: ${error.message}\n`);
    return process.exit(2);
  }
}
