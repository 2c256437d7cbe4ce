/**
 * What the files of each room may import beside their own: other rooms, packages, and Node's modules as `node`. fp-ts and
 * io-ts are for all. A room inside another one is not part of that room.
 *
 * `tsc` does not see what reaches the workflow sandbox, or a client in a browser, so these are rules.
 */
const rooms = {
  'workflows/domain': 'fast-json-patch',
  workflows: 'workflows/domain activities @temporalio/common @temporalio/proto @temporalio/workflow',
  activities: 'workflows/domain stream process @temporalio/activity @temporalio/common prom-client',
  stream: 'workflows/domain process node prom-client redis',
  'stream/consumer': 'workflows/domain stream process node prom-client',
  worker: 'workflows activities stream process node @temporalio/common @temporalio/worker prom-client',
  process: 'workflows/domain node @temporalio/common @temporalio/envconfig @temporalio/proto pino prom-client',
  'api/main.ts': 'api/ports.ts api/auth api/http api/routes api/nodes api/nodes/temporal stream process node',
  'api/ports.ts': 'workflows/domain process',
  'api/contract': 'workflows/domain api/ports.ts process node',
  'api/admission': 'api/ports.ts process node lru-cache prom-client',
  'api/auth': 'workflows/domain api/ports.ts api/admission process node jose lru-cache prom-client undici',
  'api/http':
    'workflows workflows/domain api/ports.ts api/contract api/admission process node @koa/router koa lru-cache prom-client',
  'api/routes': 'workflows/domain api/ports.ts api/contract process',
  'api/nodes': 'workflows/domain api/ports.ts api/admission api/nodes/temporal stream process lru-cache prom-client',
  'api/nodes/temporal':
    'workflows workflows/domain api/ports.ts api/admission api/nodes process node @temporalio/client @temporalio/common lru-cache',
  client: 'workflows/domain api/contract process/backoff.ts process/bounded-text.ts process/reason-of.ts',
  cli: 'workflows workflows/domain client stream stream/consumer process cli/forward/postgres node @temporalio/client @temporalio/common @temporalio/proto commander csv-parse picocolors prom-client redis',
  'cli/forward/postgres': 'workflows/domain stream/consumer process cli pg',
  'docs/examples': 'client stream/consumer node @cedar-policy/cedar-wasm',
};
const names = Object.keys(rooms);
/** The files of a room, without those of the rooms inside it; or the files of a package. */
const filesOf = (name) => {
  const inner = names
    .filter((other) => other.startsWith(`${name}/`))
    .map((other) => `${other.slice(name.length + 1)}(/|$)`);
  return inner.length > 0 ? `^${name}/(?!${inner.join('|')})` : `^(node_modules/)?${name}(/|$)`;
};

const fences = Object.entries(rooms).map(([room, text]) => {
  const allowed = text.split(' ');
  return {
    name: `${room} imports ${text}`,
    severity: 'error',
    from: { path: filesOf(room) },
    to: {
      pathNot: [room, 'fp-ts', 'io-ts', ...allowed].map(filesOf),
      ...(allowed.includes('node') && { dependencyTypesNot: ['core'] }),
    },
  };
});

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...fences,
    {
      name: 'of activities a workflow sees types',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'what brings processes up knows no rule of the domain',
      severity: 'error',
      from: { path: '^dev/stack/', pathNot: '^dev/stack/commands/documents.ts$' },
      to: { path: '^workflows/domain/' },
    },
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
