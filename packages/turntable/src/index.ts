// What users import. Actors, snapshots and the rest of the facade arrive here; today it says which version this is.
import { readFileSync } from 'node:fs';
import type { TurntableConfig } from '@turntable/loader';

export type { TurntableConfig };

/** The version of the `turntable` package. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** For `turntable.config.ts`: `export default defineConfig({ … })`. */
export function defineConfig(config: TurntableConfig): TurntableConfig {
  return config;
}
