// The worker that runs the WebAssembly core. It passes bytes in and result blocks out, one message at a time, without
// interpreting them. If the core traps (out of memory, a bug), it reports this and handles no more requests.
import { ConsoleStdout, File, OpenFile, WASI } from '@bjorn3/browser_wasi_shim';

interface Exports {
  memory: WebAssembly.Memory;
  _initialize?: () => void;
  halo_alloc(bytes: number): number;
  halo_free(pointer: number): void;
  halo_open(name: number, nameLength: number, data: number, dataLength: number): number;
  halo_close(document: number): void;
  halo_ask(document: number, request: number, length: number): number;
}

export type ToWorker =
  | { id: number; op: 'start'; wasm: ArrayBuffer }
  | { id: number; op: 'open'; name: string; bytes: ArrayBuffer }
  | { id: number; op: 'close'; document: number }
  | { id: number; op: 'ask'; document: number; request: string };

export type FromWorker = { id: number; error?: string; document?: number; block?: ArrayBuffer; heap?: number };

let core: Exports | undefined;
let dead = '';
const encoder = new TextEncoder();

async function start(wasm: ArrayBuffer): Promise<void> {
  const quiet = ConsoleStdout.lineBuffered(() => undefined);
  const wasi = new WASI(['halo_view'], [], [new OpenFile(new File([])), quiet, quiet]);
  const module = await WebAssembly.compile(wasm);
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
  core = instance.exports as unknown as Exports;
  wasi.initialize(instance as unknown as Parameters<WASI['initialize']>[0]);
}

function put(bytes: Uint8Array): number {
  const pointer = core!.halo_alloc(Math.max(bytes.length, 1));
  if (pointer === 0) throw new Error(`no memory for ${bytes.length} bytes`);
  new Uint8Array(core!.memory.buffer, pointer >>> 0, bytes.length).set(bytes);
  return pointer;
}

function open(name: string, data: ArrayBuffer): number {
  const title = encoder.encode(name);
  const namePointer = put(title);
  const dataPointer = put(new Uint8Array(data)); // the core takes ownership
  const document = core!.halo_open(namePointer, title.length, dataPointer, data.byteLength);
  core!.halo_free(namePointer);
  return document;
}

function ask(document: number, request: string): ArrayBuffer {
  const text = encoder.encode(request);
  const pointer = put(text);
  const result = core!.halo_ask(document, pointer, text.length) >>> 0;
  core!.halo_free(pointer);
  const memory = core!.memory.buffer;
  const total = new DataView(memory).getUint32(result, true);
  const block = memory.slice(result, result + total);
  core!.halo_free(result);
  return block;
}

async function serve(message: ToWorker): Promise<FromWorker> {
  const { id } = message;
  if (dead) return { id, error: dead };
  try {
    if (message.op === 'start') {
      await start(message.wasm);
      return { id };
    }
    if (!core) return { id, error: 'the core has not started' };
    if (message.op === 'open') return { id, document: open(message.name, message.bytes), heap: core.memory.buffer.byteLength };
    if (message.op === 'close') {
      core.halo_close(message.document);
      return { id };
    }
    return { id, block: ask(message.document, message.request), heap: core.memory.buffer.byteLength };
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      const memory = core ? Math.round(core.memory.buffer.byteLength / 2 ** 20) : 0;
      dead = `The core stopped (${error.message}, ${memory} MiB in use). Reload the page to go on.`;
      return { id, error: dead };
    }
    return { id, error: (error as Error).message };
  }
}

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ToWorker>) => void;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
};

let last: Promise<void> = Promise.resolve();
scope.onmessage = (event): void => {
  last = last.then(async () => {
    const reply = await serve(event.data);
    scope.postMessage(reply, reply.block ? [reply.block] : []);
  });
};
