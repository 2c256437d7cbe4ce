/** How a command ends (docs/cli.md, "Exit codes"). */
export const exitCodes = {
  done: 0,
  someFailed: 1,
  usage: 2,
  notReachable: 3,
  notPermitted: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
