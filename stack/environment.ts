/** Environment variables by name, as a process has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The value of a variable; an empty one counts as absent. */
export const setting = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
};

/** The variables that are defined. */
export const definedIn = (env: Environment): Record<string, string> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
