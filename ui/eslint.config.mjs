// Rules for the page's sources. `npm run lint` runs them together with the formatter and the import check.
import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules/**", "dist/**"] },
  {
    files: ["src/**/*.{ts,tsx}", "tools/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Values of unknown type are checked in api/shape.ts or by `instanceof`; a cast would only hide an error.
      "@typescript-eslint/consistent-type-assertions": ["error", { assertionStyle: "never" }],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-import-type-side-effects": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-duplicate-imports": ["error", { allowSeparateTypeImports: true }],
      "prefer-const": "error",
      // Loops over typed arrays read by index; `noUncheckedIndexedAccess` makes `!` necessary there.
      "@typescript-eslint/no-non-null-assertion": "off",
      // Handlers of events may be asynchronous: failures end in a resource, which shows them.
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: false }],
    },
  },
  {
    // Tests build only the part of a browser object that the tested code uses.
    files: ["src/**/*.test.ts"],
    rules: {
      "@typescript-eslint/consistent-type-assertions": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
