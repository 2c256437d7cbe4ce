module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'pg-is-for-pas',
      comment: 'No process of the service loads the client of PostgreSQL, by whatever way.',
      severity: 'error',
      from: { path: '^(activities|api|client|docs/examples|process|stream|worker|workflows)/' },
      to: { path: '^node_modules/pg(-|/)', reachable: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
