// Bundles the JavaScript: every module in src/attnbook/widgets/js that is no part of a folder becomes one file without
// imports in src/attnbook/widgets/bundles, and the book's search one in book/_static. Called by npm; --watch rebuilds
// after each change, --check only reports what is stale.
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const widgets = join(root, "src/attnbook/widgets");
const files = (/** @type {string} */ folder) => readdirSync(folder).filter((name) => name.endsWith(".js"));

/** @type {esbuild.BuildOptions} */
const bundled = { absWorkingDir: root, bundle: true, target: "es2022", charset: "utf8" };

/** `import program from "./worker.js?text"`: the module and what it imports, as text that defines `program`. @type {esbuild.Plugin} */
const asText = {
  name: "as-text",
  setup(build) {
    build.onResolve({ filter: /\?text$/ }, ({ path, resolveDir }) => ({
      path: relative(root, join(resolveDir, path.replace("?text", ""))), // it is written into the bundle
      namespace: "text",
    }));
    build.onLoad({ filter: /.*/, namespace: "text" }, async ({ path }) => {
      const made = await esbuild.build({
        ...bundled,
        entryPoints: [join(root, path)],
        format: "iife",
        globalName: "program",
        minify: true,
        write: false,
        metafile: true,
      });
      const watchFiles = Object.keys(made.metafile.inputs).map((name) => join(root, name));
      return { contents: made.outputFiles[0].text, loader: "text", watchFiles };
    });
  },
};

/** @type {esbuild.BuildOptions} */
const ofWidgets = {
  ...bundled,
  entryPoints: files(join(widgets, "js")).map((name) => join(widgets, "js", name)),
  outdir: join(widgets, "bundles"),
  format: "esm",
  minifyWhitespace: true, // pages carry them; names stay, so that an error in the console can be read
  plugins: [asText],
  banner: { js: "// Made by `npm run build` from the modules of src/attnbook/widgets/js: change those." },
};

/** @type {esbuild.BuildOptions} */
const ofSearch = {
  ...bundled,
  entryPoints: [join(root, "bookkit/search/search.js")],
  outdir: join(root, "book/_static/search"),
  format: "iife",
  minify: true,
  banner: { js: "// Made by `npm run build` from bookkit/search, with MiniSearch 7 (MIT licence): change that." },
};
const everything = [ofWidgets, ofSearch];

/** Names of bundles that are not what the sources give, that are missing, or that have no source. */
async function stale(/** @type {esbuild.BuildOptions} */ options) {
  const { outputFiles } = await esbuild.build({ ...options, write: false });
  const folder = options.outdir ?? "";
  const committed = new Map(files(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const wrong = (outputFiles ?? [])
    .map(({ path, text }) => [basename(path), text])
    .filter(([name, text]) => committed.get(name) !== text);
  const made = new Set((outputFiles ?? []).map(({ path }) => basename(path)));
  return [...wrong.map(([name]) => name), ...[...committed.keys()].filter((name) => !made.has(name))];
}

if (process.argv.includes("--watch")) {
  for (const options of everything) await (await esbuild.context({ ...options, logLevel: "info" })).watch();
} else if (process.argv.includes("--check")) {
  const names = (await Promise.all(everything.map(stale))).flat();
  if (names.length) {
    console.error(`stale, run \`npm run build\`: ${names.join(", ")}`);
    process.exitCode = 1;
  }
} else {
  for (const options of everything) await esbuild.build(options);
}
