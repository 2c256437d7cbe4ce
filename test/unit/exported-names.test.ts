import { join, relative } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { projectRoot } from '../../dev/stack/project-root';

/** What callers of the package see: its types are named as the API's, and the domain's are named so too. */
const PUBLIC = 'client/interface.ts';

const sourceFiles = (): ReadonlyArray<string> => {
  const { config } = ts.readConfigFile(join(projectRoot, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  return ts
    .parseJsonConfigFileContent(config, ts.sys, projectRoot)
    .fileNames.map((file) => relative(projectRoot, file))
    .filter((file) => file !== PUBLIC && !/^(test|docs\/examples)\/|^vitest|\.d\.ts$/u.test(file));
};

/** The names that the text of a file declares and exports. */
const exportsOf = (file: string, text: string): ReadonlySet<string> => {
  const isExported = (statement: ts.Statement): boolean =>
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const namesIn = (name: ts.BindingName): ReadonlyArray<string> =>
    ts.isIdentifier(name)
      ? [name.text]
      : name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const names = statements.filter(isExported).flatMap((statement) => {
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.flatMap(({ name }) => namesIn(name));
    const { name } = statement as ts.DeclarationStatement;
    return name !== undefined && ts.isIdentifier(name) ? [name.text] : [];
  });
  return new Set(names);
};

/** The names that more than one file exports, each with its files. */
const exportedTwice = (texts: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const filesBy = new Map<string, string[]>();
  for (const [file, text] of texts)
    for (const name of exportsOf(file, text)) filesBy.set(name, [...(filesBy.get(name) ?? []), file]);
  return [...filesBy].filter(([, files]) => files.length > 1).map(([name, files]) => `${name}: ${files.join(', ')}`);
};

test('an exported name means one thing in the whole project', () => {
  const texts = new Map(sourceFiles().map((file) => [file, ts.sys.readFile(join(projectRoot, file)) ?? '']));
  expect(texts.size).toBeGreaterThan(200);
  expect(exportedTwice(texts)).toEqual([]);
});

test.each<[name: string, one: string, other: string, twice: ReadonlyArray<string>]>([
  ['a type and a constant', 'export type Group = 1;', 'export const Group = 1;', ['Group: one.ts, other.ts']],
  ['members of a pattern', 'export const { a, ...b } = c;', 'export function b() {}', ['b: one.ts, other.ts']],
  ['a type and its constructor in one file', 'export type A = 1; export const A = 1;', '', []],
  ['a name that one file keeps for itself', 'export const a = 1;', 'const a = 1;', []],
  ['a name that is passed on', 'export const a = 1;', "export { a } from './one';", []],
])('%s', (_name, one, other, twice) =>
  expect(exportedTwice(new Map(Object.entries({ 'one.ts': one, 'other.ts': other })))).toEqual(twice),
);
