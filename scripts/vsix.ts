// npm run vsix [-- FILE] Packages the extension for VS Code (editors/vscode) as a .vsix, by default
// editors/vscode/turntable.vsix. A .vsix is a ZIP archive of the extension with two manifests in XML.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { root } from './node-release.mjs';
import { zip } from './zip.ts';

const directory = join(root, 'editors/vscode');
const FILES = ['package.json', 'README.md', 'CHANGELOG.md', 'extension.cjs', '{lib,media,walkthrough}/*'];
const MIME_TYPES = {
  json: 'application/json',
  md: 'text/markdown',
  cjs: 'application/javascript',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
  vsixmanifest: 'text/xml',
};

interface Manifest {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly version: string;
  readonly publisher: string;
  readonly icon: string;
  readonly keywords: readonly string[];
  readonly categories: readonly string[];
  readonly engines: { readonly vscode: string };
}

const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;

/** Returns a file as it is packaged: links of the repository's pages lead nowhere there. */
function packaged(path: string): Buffer {
  const content = readFileSync(join(directory, path));
  if (!path.endsWith('.md')) return content;
  return Buffer.from(content.toString().replaceAll(/\[([^\]]*)\]\(\.\.[^)]*\)/g, '$1'));
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Returns the manifest that VS Code and its gallery read. */
function vsixManifest(): string {
  const { name, version, publisher, displayName, description, keywords, categories, engines, icon } = manifest;
  const assets = [
    ['Code.Manifest', 'package.json'],
    ['Services.Content.Details', 'README.md'],
    ['Services.Content.Changelog', 'CHANGELOG.md'],
    ['Services.Content.License', 'LICENSE.txt'],
    ['Services.Icons.Default', icon],
  ].map(
    ([type, path]) => `    <Asset Type="Microsoft.VisualStudio.${type}" Path="extension/${path}" Addressable="true" />`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${name}" Version="${version}" Publisher="${publisher}" />
    <DisplayName>${escapeXml(displayName)}</DisplayName>
    <Description xml:space="preserve">${escapeXml(description)}</Description>
    <Tags>${escapeXml(keywords.join(','))}</Tags>
    <Categories>${escapeXml(categories.join(','))}</Categories>
    <GalleryFlags>Public</GalleryFlags>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escapeXml(engines.vscode)}" />
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace" />
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/${icon}</Icon>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
${assets.join('\n')}
  </Assets>
</PackageManifest>
`;
}

function contentTypes(): string {
  const types = Object.entries(MIME_TYPES).map(
    ([extension, type]) => `  <Default Extension=".${extension}" ContentType="${type}" />`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
${types.join('\n')}
</Types>
`;
}

const paths = globSync(FILES, { cwd: directory }).toSorted();
const target = resolve(process.argv[2] ?? join(directory, 'turntable.vsix'));
const entries = [
  { path: '[Content_Types].xml', content: Buffer.from(contentTypes()) },
  { path: 'extension.vsixmanifest', content: Buffer.from(vsixManifest()) },
  ...paths.map((path) => ({ path: `extension/${path}`, content: packaged(path) })),
  { path: 'extension/LICENSE.txt', content: readFileSync(join(root, 'LICENSE')) },
];
writeFileSync(target, zip(entries));
console.log(`${target}: ${manifest.publisher}.${manifest.name} ${manifest.version}, ${entries.length} files`);
