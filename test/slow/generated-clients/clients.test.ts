import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { onPath } from '../../../dev/stack/environment';
import { projectRoot } from '../../../dev/stack/project-root';
import { forFile } from '../../support/for-file';
import { startService } from '../../support/service';
import { folderOfTest } from '../../support/temporary-folder';
import { GO_RUNTIME, shell, toolsFrom } from './tools';

const openApi = join(projectRoot, 'docs/openapi.json');
const programs = join(projectRoot, 'test/slow/generated-clients/programs');
const service = forFile(startService, ({ stop }) => stop());

/** Runs a program that uses a client, with the address of the service and a token. */
const drive = async (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const access = { URL: `http://127.0.0.1:${service.api}`, TOKEN: await service.token() };
  await promisify(execFile)(command, args, { env: { PATH: process.env['PATH'], ...access, ...env } });
};

/** A folder with the client that OpenAPI Generator makes by its generator `language`. */
const openApiGenerator = (language: string): string => {
  const folder = folderOfTest();
  const generate =
    'java -jar "$1"/lib/python*/site-packages/openapi_generator_cli/openapi-generator.jar generate -o . -i "$2" -g "$3"';
  shell(
    folder,
    `${generate} >generator.log 2>&1 || { cat generator.log >&2; false; }`,
    toolsFrom('pypi'),
    openApi,
    language,
  );
  return folder;
};

test('openapi-python-client makes a client by its defaults, without a warning, that sets, measures, reads, and reads a problem', async () => {
  const folder = folderOfTest();
  const [tools, python] = [toolsFrom('pypi'), join(toolsFrom('pypi'), 'bin/python')];
  const generate = 'PATH="$1"/bin:$PATH "$1"/bin/python -m openapi_python_client generate --path "$2" 2>&1';
  expect(shell(folder, generate, tools, openApi).trim()).toMatch(/^Generating \S+\/point-alarm-service-client$/u);
  const PYTHONPATH = join(folder, 'point-alarm-service-client');
  await drive(python, [join(programs, 'openapi_python_client.py')], { PYTHONPATH });
});

test("OpenAPI Generator's client in Python writes back what it read", async () => {
  const folder = openApiGenerator('python');
  const python = join(toolsFrom('pypi'), 'bin/python');
  shell(folder, '"$1" -m compileall -q openapi_client', python);
  await drive(python, [join(programs, 'openapi_generator.py')], { PYTHONPATH: folder });
});

test("oapi-codegen's client in Go writes back what it read", async () => {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'alarms'));
  cpSync(join(programs, 'oapi_codegen.go'), join(folder, 'main.go'));
  writeFileSync(join(folder, 'go.mod'), 'module clients\n\ngo 1.26\n');
  const generate = '"$1"/oapi-codegen -generate types,client -package alarms "$2" >alarms/alarms.go';
  const build = `export GOWORK=off; go get ${GO_RUNTIME} && go mod tidy && go vet ./... && go build -o client .`;
  shell(folder, `${generate}; ( ${build} ) 2>go.log || { cat go.log >&2; false; }`, toolsFrom('go'), openApi);
  expect(readFileSync(join(folder, 'alarms/alarms.go'), 'utf8')).not.toContain('float32');
  await drive(join(folder, 'client'), []);
});

test('openapi-typescript with openapi-fetch, in TypeScript, writes back what it read', async () => {
  const folder = folderOfTest();
  cpSync(join(programs, 'openapi-fetch.ts.txt'), join(folder, 'main.ts'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const compile = 'node_modules/.bin/tsc --strict --module nodenext --target es2022 main.ts';
  const generate = 'ln -s "$1"/node_modules . && node_modules/.bin/openapi-typescript "$2" -o alarms.d.ts';
  shell(folder, `${generate} >&2 && ${compile}`, toolsFrom('npm'), openApi);
  await drive(process.execPath, [join(folder, 'main.js')]);
});

test("OpenAPI Generator's client in Java compiles", () => {
  shell(openApiGenerator('java'), 'mvn -q -B -DskipTests compile >&2');
});

/** No package registry has a .NET SDK: who has one compiles, everybody generates. */
const dotnet = onPath('dotnet', process.env);
test(`OpenAPI Generator's client in C# ${dotnet === undefined ? 'is made, but NOT COMPILED: no dotnet on PATH' : 'compiles'}`, () => {
  const folder = openApiGenerator('csharp');
  expect(readFileSync(join(folder, 'src/Org.OpenAPITools/Model/AlarmLimits.cs'), 'utf8')).toMatch(
    /double\? InnerHigh/u,
  );
  if (dotnet !== undefined) shell(folder, 'dotnet build src/Org.OpenAPITools >&2');
});

test('Modelina gives each model of the events its name', () => {
  const modelNames = `
    import { TypeScriptGenerator } from '@asyncapi/modelina';
    import { readFileSync } from 'node:fs';
    const models = await new TypeScriptGenerator().generate(readFileSync(process.argv[1], 'utf8'));
    console.log(models.map(({ modelName }) => modelName).join('\\n'));`;
  const names = shell(
    toolsFrom('npm'),
    'node --input-type=module -e "$1" "$2"',
    modelNames,
    join(projectRoot, 'docs/asyncapi.yaml'),
  );
  expect(names.split('\n')).toEqual(expect.arrayContaining(['PointAlarmStatusEvent', 'HalAlarmStatus', 'AlarmLimits']));
  expect(names).not.toContain('Anonymous');
});
