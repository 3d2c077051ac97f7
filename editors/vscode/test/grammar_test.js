// SPDX-License-Identifier: Apache-2.0
// The grammars give the words of two programs the scopes that they should have.
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const root = path.join(__dirname, '..');
const grammars = {
  'source.hlo': 'syntaxes/hlo.tmLanguage.json',
  'source.mlir': 'syntaxes/mlir.tmLanguage.json',
};

// [line, word, scope]: the first place of the word in the line.
const HLO = [
  ['HloModule m, entry_computation_layout={(f32[4]{0})->f32[]}', 'HloModule', 'keyword.control.hlo'],
  ['HloModule m, replica_count=4', 'replica_count', 'entity.other.attribute-name.hlo'],
  ['// add(x)', 'add', 'comment.line.double-slash.hlo'],
  ['ENTRY %main (x: f32[4]) -> f32[] {', 'ENTRY', 'keyword.control.hlo'],
  ['ENTRY %main (x: f32[4]) -> f32[] {', '%main', 'entity.name.function.hlo'],
  ['add {', 'add', 'entity.name.function.hlo'],
  ['  ROOT sum = f32[] reduce(%y, zero), dimensions={0}, to_apply=add', 'ROOT', 'keyword.control.hlo'],
  ['  ROOT sum = f32[] reduce(%y, zero), dimensions={0}, to_apply=add', 'sum', 'variable.other.definition.hlo'],
  ['  ROOT sum = f32[] reduce(%y, zero), dimensions={0}, to_apply=add', 'f32', 'storage.type.hlo'],
  ['  ROOT sum = f32[] reduce(%y, zero), dimensions={0}, to_apply=add', 'reduce', 'support.function.hlo'],
  ['  ROOT sum = f32[] reduce(%y, zero), dimensions={0}, to_apply=add', '%y', 'variable.other.hlo'],
  ['  ROOT sum = f32[] reduce(%y, zero), dimensions={0}, to_apply=add', 'dimensions', 'entity.other.attribute-name.hlo'],
  ['  x.1 = f32[4]{0} all-reduce(y), metadata={op_name="a b"}', 'all-reduce', 'support.function.hlo'],
  ['  x.1 = f32[4]{0} all-reduce(y), metadata={op_name="a b"}', '"a b"', 'string.quoted.double.hlo'],
  ['  c = pred[] constant(true)', 'true', 'constant.language.hlo'],
  ['  c = bf16[2]{0} constant({1.5, -2e3})', '-2e3', 'constant.numeric.hlo'],
];
const MLIR = [
  ['func.func public @main(%arg0: tensor<4xf32>) -> tensor<f32> {', 'func.func', 'keyword.control.mlir'],
  ['func.func public @main(%arg0: tensor<4xf32>) -> tensor<f32> {', '@main', 'entity.name.function.mlir'],
  ['func.func public @main(%arg0: tensor<4xf32>) -> tensor<f32> {', '%arg0', 'variable.other.mlir'],
  ['func.func public @main(%arg0: tensor<4xf32>) -> tensor<f32> {', 'tensor', 'storage.type.mlir'],
  ['%0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>', 'stablehlo.add', 'support.function.mlir'],
  ['%1 = "stablehlo.reduce"(%0) // note', '// note', 'comment.line.double-slash.mlir'],
  ['^bb0(%a: tensor<f32>):', '^bb0', 'entity.name.label.mlir'],
];

async function main() {
  const wasm = fs.readFileSync(path.join(root, 'node_modules/vscode-oniguruma/release/onig.wasm')).buffer;
  await oniguruma.loadWASM(wasm);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => textmate.parseRawGrammar(
        fs.readFileSync(path.join(root, grammars[scope]), 'utf8'), grammars[scope]),
  });
  let checked = 0;
  for (const [scope, cases] of [['source.hlo', HLO], ['source.mlir', MLIR]]) {
    const grammar = await registry.loadGrammar(scope);
    for (const [line, word, expected] of cases) {
      const place = line.indexOf(word);
      const { tokens } = grammar.tokenizeLine(line, textmate.INITIAL);
      const token = tokens.find((t) => t.startIndex <= place && place < t.endIndex);
      assert.ok(token.scopes.includes(expected), `${line}: '${word}' has ${token.scopes.join(' ')}, not ${expected}`);
      ++checked;
    }
  }
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  for (const language of manifest.contributes.languages) assert.ok(fs.existsSync(path.join(root, language.configuration)));
  console.log(`${checked} words have their scopes`);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
