import tseslint from 'typescript-eslint';

/** What a room may not import. `tsc` does not see what reaches the workflow sandbox, so the fences are rules. */
const fence = (files, patterns, more = {}) => ({
  files,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }], ...more },
});
const not = (group, message, options = {}) => ({ group, message, ...options });

const temporalServer = ['@temporalio/client', '@temporalio/worker', '@temporalio/activity', '@temporalio/testing'];
const rooms = (...names) => names.flatMap((name) => [`**/${name}/**`, `**/../${name}`]);
const node = ['node:*', 'fs', 'path', 'crypto', 'os', 'net', 'http', 'child_process', 'timers'];

const noEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read once, by the entry points; everything else gets settings.',
};
const noClock = [
  {
    selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
    message: 'Time comes in as data.',
  },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time comes in as data.' },
  {
    selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
    message: 'Entropy comes in as data.',
  },
  { selector: "Identifier[name='process']", message: 'The domain knows no process.' },
  {
    selector: 'CallExpression[callee.name=/^set(Timeout|Interval|Immediate)$/]',
    message: 'The domain waits for nothing.',
  },
  {
    selector:
      'Program > VariableDeclaration[kind="let"], Program > ExportNamedDeclaration > VariableDeclaration[kind="let"]',
    message: 'The domain is shared by all nodes of a worker: no module may hold state.',
  },
  {
    selector:
      'Program > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/]',
    message: 'The domain is shared by all nodes of a worker, and freezing does not reach into a Map or Set.',
  },
  {
    selector:
      'Program > ExportNamedDeclaration > VariableDeclaration > VariableDeclarator > NewExpression[callee.name=/^(Map|Set|WeakMap|WeakSet)$/]',
    message: 'The domain is shared by all nodes of a worker, and freezing does not reach into a Map or Set.',
  },
];

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
      'examples/**',
      'scripts/**',
      'test/**',
      'bench/**',
      '*.config.*',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  fence(
    ['workflows/domain/**'],
    [
      not(
        [
          '@temporalio/*',
          'koa',
          '@koa/*',
          'redis',
          ...node,
          ...rooms('activities', 'api', 'worker', 'process', 'scripts'),
        ],
        'The domain is pure: fp-ts, io-ts, fast-json-patch and itself.',
      ),
    ],
    { 'no-restricted-syntax': ['error', noEnvironment, ...noClock] },
  ),
  fence(
    ['workflows/*.ts'],
    [
      not(
        [...temporalServer, 'koa', '@koa/*', 'redis', ...node, ...rooms('api', 'worker', 'process', 'scripts')],
        'A workflow sees its domain and @temporalio/workflow.',
      ),
      not(rooms('activities'), 'Of activities a workflow sees types only.', { allowTypeImports: true }),
    ],
  ),
  fence(
    ['activities/**'],
    [
      not(
        [
          'koa',
          '@koa/*',
          '@temporalio/client',
          '@temporalio/worker',
          '@temporalio/workflow',
          ...rooms('api', 'worker', 'scripts'),
        ],
        'Activities see the domain, redis and @temporalio/activity.',
      ),
    ],
  ),
  fence(
    ['api/**'],
    [
      not(
        ['@temporalio/worker', '@temporalio/activity', ...rooms('activities', 'worker', 'scripts')],
        'The API sees the domain, the messages, and Temporal and Redis through its adapters.',
      ),
    ],
  ),
  fence(
    ['api/push/**'],
    [
      not(
        ['@temporalio/*', ...rooms('worker', 'scripts')],
        'The push sees the stream and the notes; Temporal is behind an adapter.',
      ),
      {
        regex: '/activities/(?!publisher$|redis-stream$|measured-publishing$)',
        message: 'What the push appends is what the activity would: of activities it sees the stream.',
      },
    ],
  ),
  {
    files: ['api/**'],
    ignores: ['api/adapters/**', 'api/push/**', 'api/start-nodes.ts', 'api/main.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [not(['@temporalio/*', 'redis'], 'Only adapters talk to Temporal and Redis.')] },
      ],
    },
  },
  fence(
    ['api/client/**'],
    [
      not(
        ['@temporalio/*', 'koa', '@koa/*', 'redis', 'jose', 'pino', 'prom-client', ...node],
        'A client runs wherever there is fetch.',
      ),
      {
        regex: '^\\.\\./(?!views/|problems/catalogue$|\\.\\./workflows/domain/)',
        message: 'A client sees what goes over the wire: the domain, the views and the catalogue of problems.',
      },
    ],
  ),
  fence(
    ['worker/**'],
    [
      not(
        ['koa', '@koa/*', '@temporalio/client', ...rooms('api', 'scripts')],
        'The worker sees activities, the bundle, @temporalio/worker and redis.',
      ),
    ],
  ),
  fence(
    ['process/**'],
    [
      not(
        ['koa', '@koa/*', ...rooms('api', 'worker', 'activities', 'scripts')],
        'What every process needs knows no process.',
      ),
    ],
  ),
  fence(
    ['cli/**'],
    [
      not(
        ['koa', '@koa/*', '@temporalio/*', ...rooms('activities', 'worker', 'scripts')],
        'The command calls the API by its client and reads the stream: it sees the domain and what every process needs.',
      ),
      { regex: '/api(?:$|/(?!client$))', message: 'Of the API the command sees its client, as every user does.' },
    ],
  ),
  fence(
    ['examples/**'],
    [
      not(
        ['@temporalio/*', ...rooms('api', 'activities', 'worker', 'scripts')],
        'A consumer sees the stream and what its events are.',
      ),
    ],
  ),
  fence(
    ['scripts/**'],
    [not(rooms('workflows/domain'), 'Scripts bring processes up; they know no rule of the domain.')],
  ),
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
