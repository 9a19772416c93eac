/** The part of WebAssembly that is used; Node's own types do not have it. */
declare namespace WebAssembly {
  class Module {
    private readonly brand
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
