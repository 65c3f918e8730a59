// Judges glTF files with Khronos' validator:  .tools/node tools/validate_gltf.js a.glb b.glb ...
// Prints one JSON document: {path: {errors, warnings, infos, messages}}; hints count as infos.

const fs = require("fs");
const path = require("path");
const validator = require(path.join(__dirname, "..", ".tools", "node_modules", "gltf-validator"));

async function judge(file) {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  return { errors: numErrors, warnings: numWarnings, infos: numInfos + numHints, messages };
}

async function main(files) {
  const reports = {};
  for (const file of files) reports[file] = await judge(file);
  console.log(JSON.stringify(reports, null, 1));
}

main(process.argv.slice(2)).catch((error) => {
  console.error(String(error));
  process.exit(1);
});
