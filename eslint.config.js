import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Forbids what `regex` matches in `import … from`, and as a literal in `import()` and `new URL()`. */
function noImports(...rules) {
  const pattern = (regex) => `/${regex.replaceAll('/', '\\u002F')}/`;
  return {
    'no-restricted-imports': ['error', { patterns: rules }],
    'no-restricted-syntax': [
      'error',
      ...NO_DEFAULT_EXPORT,
      ...rules.map(({ regex, message }) => ({
        selector: `:matches(ImportExpression > .source, NewExpression[callee.name="URL"] > .arguments)[value=${pattern(regex)}]`,
        message,
      })),
    ],
  };
}

const NO_DEFAULT_EXPORT = ['ExportDefaultDeclaration', 'ExportSpecifier[exported.name="default"]'].map((selector) => ({
  selector,
  message: 'Named exports only.',
}));

const NO_NODE = {
  regex: '^node:',
  message: 'This runs in browsers: no Node modules (node*.ts and cli.ts are the only exceptions).',
};
const NO_PAGE = { regex: '(^|/)(web|tests)/', message: 'The package does not know the page or the tests.' };
// The page uses the package as everybody does.
const PUBLIC_ENTRIES = [
  {
    regex: '(^|/)(bindings|dist)/|posenc_raw',
    message: "Import 'posenc', 'posenc/text', 'posenc/presets', 'posenc/reader' or 'posenc/worker'.",
  },
  {
    regex: '^posenc/(?!(text|presets|reader(/shipped)?|worker|posenc(_models)?\\.wasm(\\?.*)?)$)',
    message: 'Not a public entry of the package.',
  },
];

export default defineConfig(
  globalIgnores(['build/', 'dist/', 'web/dist/', 'bindings/src/generated/']),
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
  },
  {
    files: ['**/*.{js,mjs,ts}'],
    extends: [tseslint.configs.recommended],
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'no-throw-literal': 'error',
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-syntax': ['error', ...NO_DEFAULT_EXPORT],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      // A name that starts with _ says that it is not used on purpose.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  {
    // Tools want a default export from their configuration.
    files: ['**/*.config.{js,mjs,ts}'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['bindings/src/**'],
    rules: { 'no-console': 'error', ...noImports(NO_NODE, NO_PAGE) },
  },
  {
    files: ['bindings/src/{node*,cli}.ts'],
    rules: noImports(NO_PAGE),
  },
  {
    files: ['web/**'],
    ignores: ['web/*.config.ts'],
    rules: noImports(...PUBLIC_ENTRIES),
  },
  {
    files: ['web/src/**'],
    rules: noImports(NO_NODE, ...PUBLIC_ENTRIES),
  },
);
