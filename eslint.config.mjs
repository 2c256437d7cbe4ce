import tseslint from 'typescript-eslint';

const noEnvironment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read once, by the entry points; everything else gets settings.',
};
const noLiteralSpread = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the members themselves: a spread of a literal only steers the formatter.',
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
      // Koa awaits what its middleware returns. A promise that is rejected where nobody awaits it ends the process, as a defect does.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      // `void` stands for "no value" in Either<E, void>.
      '@typescript-eslint/no-invalid-void-type': ['error', { allowInGenericTypeArguments: true }],
      'no-restricted-syntax': ['error', noEnvironment, noLiteralSpread],
    },
  },
  {
    files: [
      'api/main.ts',
      'worker/main.ts',
      'cli/main.ts',
      'docs/examples/**',
      'dev/pictures/screenshots/take.ts',
      'dev/stack/**',
      'test/**',
      'dev/bench/**',
      '*.config.*',
    ],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['workflows/domain/**'],
    rules: { 'no-restricted-syntax': ['error', noEnvironment, noLiteralSpread, ...noClock] },
  },
  {
    files: ['test/**', 'dev/bench/**'],
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
