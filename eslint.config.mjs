import tseslint from 'typescript-eslint';

/** What a room may not import. `tsc` does not see what reaches the workflow sandbox, so the fences are rules. */
const fence = (files, patterns, more = {}) => ({
  files,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }], ...more },
});
const not = (group, message, options = {}) => ({ group, message, ...options });

const temporalServer = ['@temporalio/client', '@temporalio/worker', '@temporalio/activity', '@temporalio/testing'];
const rooms = (...names) => names.flatMap((name) => [`**/${name}/**`, `**/../${name}`]);
/** The rooms around the domain. */
const outerNames = ['activities', 'api', 'bench', 'cli', 'client', 'process', 'stack', 'stream', 'worker'];
const outer = rooms(...outerNames);
const node = ['node:*'];
const bareNode = {
  regex: '^(?:fs|path|crypto|os|net|http|child_process|timers)$',
  message: 'Node is behind the processes.',
};

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
      'docs/examples/**',
      'docs/pictures/screenshots/take.ts',
      'stack/**',
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
        ['@temporalio/*', 'koa', '@koa/*', 'redis', ...node, ...outer],
        'The domain is pure: fp-ts, io-ts, fast-json-patch and itself.',
      ),
      bareNode,
    ],
    { 'no-restricted-syntax': ['error', noEnvironment, ...noClock] },
  ),
  fence(
    ['workflows/*.ts'],
    [
      not(
        [
          ...temporalServer,
          'koa',
          '@koa/*',
          'redis',
          ...node,
          ...rooms(...outerNames.filter((name) => name !== 'activities')),
        ],
        'A workflow sees its domain and @temporalio/workflow.',
      ),
      bareNode,
      not(rooms('activities'), 'Of activities a workflow sees types only.', { allowTypeImports: true }),
    ],
  ),
  fence(
    ['stream/**'],
    [
      not(
        [
          '@temporalio/*',
          'koa',
          '@koa/*',
          ...rooms('activities', 'api', 'client', 'cli', 'consumer', 'worker', 'stack'),
          './consumer',
        ],
        'The stream sees the domain, redis and what every process needs.',
      ),
    ],
  ),
  fence(
    ['activities/**'],
    [
      not(
        [
          'koa',
          '@koa/*',
          'redis',
          '@temporalio/client',
          '@temporalio/worker',
          '@temporalio/workflow',
          ...rooms('api', 'client', 'cli', 'stream/consumer', 'worker', 'stack'),
        ],
        'Activities see the domain, the stream and @temporalio/activity.',
      ),
    ],
  ),
  fence(
    ['api/**'],
    [
      not(
        [
          '@temporalio/worker',
          '@temporalio/activity',
          ...rooms('activities', 'cli', 'stream/consumer', 'worker', 'stack'),
        ],
        'The API sees the domain, the messages and the stream.',
      ),
      { regex: '^(?:\\.\\./)+client(?:/|$)', message: 'The API does not call itself.' },
    ],
  ),
  {
    files: ['api/**'],
    ignores: ['api/nodes/**', 'api/main.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            not(['@temporalio/*', 'redis', ...rooms('stream')], 'Only api/nodes talks to Temporal and Redis.'),
          ],
        },
      ],
    },
  },
  {
    files: ['api/nodes/**'],
    ignores: ['api/nodes/temporal/**', 'api/nodes/nodes.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            not(
              ['@temporalio/*', 'redis', 'koa', '@koa/*'],
              'Temporal is behind its adapter, Redis behind the stream.',
            ),
          ],
        },
      ],
    },
  },
  fence(
    ['client/**'],
    [
      not(
        ['@temporalio/*', 'koa', '@koa/*', 'redis', 'jose', 'pino', 'prom-client', ...node],
        'A client runs wherever there is fetch.',
      ),
      bareNode,
      {
        regex:
          '^\\.\\./(?!api/http/problems/(?:catalogue|problem-view)$|process/(?:backoff|reason-of)$|workflows/domain/)',
        message:
          'A client sees what goes over the wire, and pure functions: the domain, the catalogue of problems, backoff, reasonOf.',
      },
    ],
  ),
  fence(
    ['stream/consumer/**'],
    [
      not(
        ['@temporalio/*', 'koa', '@koa/*', 'redis', ...rooms('activities', 'api', 'cli', 'client', 'worker', 'stack')],
        'A consumer sees the stream, what its events are, and what every process needs.',
      ),
    ],
  ),
  fence(
    ['worker/**'],
    [
      not(
        ['koa', '@koa/*', '@temporalio/client', ...rooms('api', 'client', 'cli', 'stream/consumer', 'stack')],
        'The worker sees activities, the stream, the bundle and @temporalio/worker.',
      ),
    ],
  ),
  fence(
    ['process/**'],
    [
      not(
        ['koa', '@koa/*', 'redis', ...rooms('api', 'client', 'cli', 'worker', 'activities', 'stream', 'stack')],
        'What every process needs knows no process.',
      ),
    ],
  ),
  fence(
    ['cli/**'],
    [
      not(
        ['koa', '@koa/*', ...rooms('activities', 'api', 'worker', 'stack')],
        'The command calls the API by its client and reads the stream: it sees the domain and what every process needs.',
      ),
    ],
  ),
  {
    files: ['cli/**'],
    ignores: ['cli/forward/postgres/**'],
    rules: {
      'no-restricted-imports': ['error', { paths: [{ name: 'pg', message: 'PostgreSQL is behind the journal.' }] }],
    },
  },
  fence(
    ['docs/examples/**'],
    [
      not(
        ['@temporalio/*', ...rooms('api', 'activities', 'worker', 'stack')],
        'An example sees what a user of the package sees.',
      ),
    ],
  ),
  fence(['stack/**'], [not(rooms('workflows/domain'), 'What brings processes up knows no rule of the domain.')]),
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
