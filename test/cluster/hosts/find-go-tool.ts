import { isExecutable, outputOf, type Environment } from '../../../dev/stack/environment';
import { findInSources, rejectSource } from '../../../dev/stack/find-commands';
import { buildSource, cachedSource, type FoundCommand, type GoTool } from '../../../dev/stack/go-tool';
import type { Ground } from '../../../dev/stack/ground';
import { lineOf } from '../../../dev/stack/report';

/** The path of a tool that reports its version by `-version`: kept from before, or built with Go. Errors: a fault when neither way serves. */
export const findGoTool = async (plan: Omit<GoTool, 'inspect'>, env: Environment, ground: Ground): Promise<string> => {
  const inspect = async (path: string): Promise<FoundCommand> => {
    if (!isExecutable(path)) rejectSource(`${path} is not an executable file`);
    const version = await outputOf(path, ['-version'], env).catch(lineOf);
    return version.includes(plan.version) ? { path, version } : rejectSource(`${path} is ${version.trim()}`);
  };
  const tool = { ...plan, inspect };
  const { way, value } = await findInSources(
    `${tool.title} ${tool.version}`,
    [cachedSource(tool, env), buildSource(tool, env, ground)],
    ground,
  );
  ground.report(tool.module, `${value.path} (${way})`);
  return value.path;
};
