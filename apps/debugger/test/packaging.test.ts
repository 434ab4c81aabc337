// Configuration of the installers: links and files, the version of Electron, and the name of the executable.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/node-release.mjs';
import { LINK_PROTOCOL, pathOfLink } from '../src/shell/links.ts';

interface Config {
  readonly electronVersion: string;
  readonly executableName: string;
  readonly artifactName: string;
  readonly nsis: { readonly perMachine: boolean };
  readonly files: readonly string[];
  readonly directories: { readonly buildResources: string };
  readonly electronFuses: Readonly<Record<string, boolean>>;
  readonly fileAssociations: readonly { readonly ext: string; readonly mimeType: string }[];
  readonly protocols: readonly { readonly schemes: readonly string[] }[];
}

const APP_DIRECTORY = join(root, 'apps/debugger');
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(APP_DIRECTORY, path), 'utf8'));
const config = readJson('packaging/electron-builder.json') as Config;

test('links and packed recordings open with the application', () => {
  const schemes = config.protocols.flatMap((each) => each.schemes);
  expect(schemes.map((scheme) => `${scheme}:`)).toEqual([LINK_PROTOCOL]);
  expect(pathOfLink(`${schemes[0]}://open?recording=/a.ttr`)).toBe('/a.ttr');
  expect(config.fileAssociations.map(({ ext }) => ext)).toEqual(['ttr']);
  // On Windows, installers for one user do not register file types.
  expect(config.nsis.perMachine).toBe(true);
});

test('it packages the Electron of development, under the executable name that the command line starts', () => {
  const { devDependencies, main } = readJson('package.json') as {
    devDependencies: Record<string, string>;
    main: string;
  };
  expect(config.electronVersion).toBe(devDependencies['electron']);
  expect(config.files.some((each) => main.startsWith(each.split('/')[0] ?? ''))).toBe(true);
  const starting = readFileSync(join(root, 'packages/turntable/src/debug/window.ts'), 'utf8');
  expect(starting).toContain(`'${config.executableName}'`);
  expect(existsSync(join(APP_DIRECTORY, config.directories.buildResources, 'icon.png'))).toBe(true);
});

test('the artifact is a file with the name of the application, without the scope of the package', () => {
  const wide = config.artifactName.replaceAll(/\$\{(?:version|os|arch|ext)\}/g, 'x');
  expect(wide).toMatch(/^turntable-debugger[\w.-]+$/);
});

test('the executable runs only the application', () => {
  const { runAsNode, enableNodeOptionsEnvironmentVariable, enableNodeCliInspectArguments, onlyLoadAppFromAsar } =
    config.electronFuses;
  expect([runAsNode, enableNodeOptionsEnvironmentVariable, enableNodeCliInspectArguments]).toEqual([
    false,
    false,
    false,
  ]);
  expect(onlyLoadAppFromAsar).toBe(true);
});

test('the tools that build installers have exact versions and no fixed registry', () => {
  const { devDependencies } = readJson('packaging/package.json') as { devDependencies: Record<string, string> };
  for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readFileSync(join(APP_DIRECTORY, 'packaging/package-lock.json'), 'utf8')).not.toContain('"resolved"');
});
