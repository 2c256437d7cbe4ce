import tseslint from 'typescript-eslint';

const koa = ['koa', '@koa/*'];
const node = ['node:*'];
/** What the pattern of a group does not tell from a module of our own. */
const bareNode = {
  regex: '^(?:fs|path|crypto|os|net|http|child_process|timers)$',
  message: 'Node is behind the processes.',
};
const rooms = (...names) => names.flatMap((name) => [`**/${name}/**`, `**/../${name}`]);
/** The rooms around the domain. */
const outer = ['activities', 'api', 'bench', 'cli', 'client', 'process', 'stack', 'stream', 'worker'];

/**
 * What the files of a room may not import, why, and further patterns. `tsc` does not see what reaches the workflow sandbox, so
 * the fences are rules.
 */
const fences = [
  [
    'workflows/domain/**',
    ['@temporalio/*', ...koa, 'redis', ...node, ...rooms(...outer)],
    'The domain is pure: fp-ts, io-ts, fast-json-patch and itself.',
    bareNode,
  ],
  [
    'workflows/*.ts',
    [
      ...['client', 'worker', 'activity', 'testing'].map((name) => `@temporalio/${name}`),
      ...[...koa, 'redis', ...node, ...rooms(...outer.filter((name) => name !== 'activities'))],
    ],
    'A workflow sees its domain and @temporalio/workflow.',
    bareNode,
    { group: rooms('activities'), message: 'Of activities a workflow sees types only.', allowTypeImports: true },
  ],
  [
    'stream/**',
    [
      '@temporalio/*',
      ...koa,
      ...rooms('activities', 'api', 'client', 'cli', 'consumer', 'worker', 'stack'),
      './consumer',
    ],
    'The stream sees the domain, redis and what every process needs.',
  ],
  [
    'stream/consumer/**',
    ['@temporalio/*', ...koa, 'redis', ...rooms('activities', 'api', 'cli', 'client', 'worker', 'stack')],
    'A consumer sees the stream, what its events are, and what every process needs.',
  ],
  [
    'activities/**',
    [
      ...['client', 'worker', 'workflow'].map((name) => `@temporalio/${name}`),
      ...[...koa, 'redis', ...rooms('api', 'client', 'cli', 'stream/consumer', 'worker', 'stack')],
    ],
    'Activities see the domain, the stream and @temporalio/activity.',
  ],
  [
    'api/**',
    ['@temporalio/worker', '@temporalio/activity', ...rooms('activities', 'cli', 'stream/consumer', 'worker', 'stack')],
    'The API sees the domain, the messages and the stream.',
    { regex: '^(?:\\.\\./)+client(?:/|$)', message: 'The API does not call itself.' },
  ],
  [
    'client/**',
    ['@temporalio/*', ...koa, 'redis', 'jose', 'pino', 'prom-client', ...node],
    'A client runs wherever there is fetch.',
    bareNode,
    {
      regex:
        '^\\.\\./(?!api/http/problems/(?:catalogue|problem-view)$|process/(?:backoff|reason-of)$|workflows/domain/)',
      message:
        'A client sees what goes over the wire, and pure functions: the domain, the catalogue of problems, backoff, reasonOf.',
    },
  ],
  [
    'worker/**',
    [...koa, '@temporalio/client', ...rooms('api', 'client', 'cli', 'stream/consumer', 'stack')],
    'The worker sees activities, the stream, the bundle and @temporalio/worker.',
  ],
  [
    'process/**',
    [...koa, 'redis', ...rooms('api', 'client', 'cli', 'worker', 'activities', 'stream', 'stack')],
    'What every process needs knows no process.',
  ],
  [
    'cli/**',
    [...koa, ...rooms('activities', 'api', 'worker', 'stack')],
    'The command calls the API by its client and reads the stream: it sees the domain and what every process needs.',
  ],
  [
    'docs/examples/**',
    ['@temporalio/*', ...rooms('api', 'activities', 'worker', 'stack')],
    'An example sees what a user of the package sees.',
  ],
  ['stack/**', rooms('workflows/domain'), 'What brings processes up knows no rule of the domain.'],
].map(([files, group, message, ...more]) => ({
  files: [files],
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns: [{ group, message }, ...more] }] },
}));

/** What only some files of a room may import: by the other rule of the same meaning, since of one rule the last row counts. */
const inside = [
  [
    'api/**',
    ['api/nodes/**', 'api/main.ts'],
    ['@temporalio/*', 'redis', ...rooms('stream')],
    'Only api/nodes talks to Temporal and Redis.',
  ],
  [
    'api/nodes/**',
    ['api/nodes/temporal/**', 'api/nodes/nodes.ts'],
    ['@temporalio/*', 'redis', ...koa],
    'Temporal is behind its adapter, Redis behind the stream.',
  ],
  ['cli/**', ['cli/forward/postgres/**'], ['pg'], 'PostgreSQL is behind the journal.'],
].map(([files, ignores, group, message]) => ({
  files: [files],
  ignores,
  rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
}));

const noEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read once, by the entry points; everything else gets settings.',
};
const TOP = ':matches(Program, ExportNamedDeclaration) > VariableDeclaration';
const noClock = [
  ["CallExpression[callee.object.name='Date'][callee.property.name='now']", 'Time comes in as data.'],
  ["NewExpression[callee.name='Date'][arguments.length=0]", 'Time comes in as data.'],
  ["CallExpression[callee.object.name='Math'][callee.property.name='random']", 'Entropy comes in as data.'],
  ["Identifier[name='process']", 'The domain knows no process.'],
  ['CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]', 'The domain waits for nothing.'],
  [`${TOP}[kind="let"]`, 'The domain is shared by all nodes of a worker: no module may hold state.'],
  [
    `${TOP} > VariableDeclarator > NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/]`,
    'The domain is shared by all nodes of a worker, and freezing does not reach into a Map or Set.',
  ],
].map(([selector, message]) => ({ selector, message }));

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', 'coverage/**', '.data/**', '**/*.mjs', '**/*.cjs'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/strict-boolean-expressions': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      // Numbers in messages are what the reader wants to see.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `void promise` and `() => void f()` say that a result is dropped on purpose.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreVoidOperator: true, ignoreArrowShorthand: true },
      ],
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      // Koa and node:http take listeners that return promises and catch what those throw.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      // `void` stands for "no value" in Either<E, void>.
      '@typescript-eslint/no-invalid-void-type': ['error', { allowInGenericTypeArguments: true }],
      'no-restricted-syntax': ['error', noEnvironment],
    },
  },
  {
    files: [
      'api/main.ts',
      'worker/main.ts',
      'cli/main.ts',
      'docs/examples/**',
      'docs/pictures/screenshots/take.ts',
      'stack/**',
      'test/**',
      'bench/**',
      '*.config.*',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  ...fences,
  ...inside,
  { files: ['workflows/domain/**'], rules: { 'no-restricted-syntax': ['error', noEnvironment, ...noClock] } },
  {
    files: ['test/**', 'bench/**'],
    rules: {
      // Tests look into answers whose shape they are about to check.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      // A port that answers at once is still a function of a promise.
      '@typescript-eslint/require-await': 'off',
    },
  },
);
