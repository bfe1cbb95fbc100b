/** A module's program as text: `tools/bundle.mjs` bundles it apart, for a worker. */
declare module "*?text" {
  const program: string;
  export default program;
}
