// The page's access to the core: in a worker (WebAssembly) or over HTTP (`halo view`). Both open documents and handle
// the requests of viewer/protocol.md. Code above this file does not know which of the two it uses.
import CoreWorker from './worker.ts?worker&inline';
import { decodeResponse } from './response.ts';
import { bytesOfElement } from './embedding.ts';
import type { FromWorker, ToWorker } from './worker.ts';

export class CoreError extends Error {}

export interface Request {
  ask: string;
  [parameter: string]: unknown;
}

/** The fields that every result has; requests.ts has the other types. */
export interface CoreResult {
  ok: boolean;
  error?: string;
}

export interface Core {
  open(name: string, bytes: ArrayBuffer): Promise<number>;
  close(document: number): Promise<void>;
  ask<T>(document: number, request: Request): Promise<T>;
}

function checked<T>(block: ArrayBuffer): T {
  const result = decodeResponse(block) as CoreResult;
  if (result.ok === false) throw new CoreError(result.error ?? 'the core gave no reason');
  return result as T;
}

type Body<M> = M extends ToWorker ? Omit<M, 'id'> : never;

export class WorkerCore implements Core {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (reply: FromWorker) => void>();
  private next = 1;
  private readonly started: Promise<void>;
  /** Bytes of the core's memory after the last result. */
  heap = 0;

  constructor() {
    this.worker = new CoreWorker();
    this.worker.onmessage = (event: MessageEvent<FromWorker>): void => {
      const done = this.waiting.get(event.data.id);
      this.waiting.delete(event.data.id);
      if (event.data.heap) this.heap = event.data.heap;
      done?.(event.data);
    };
    this.worker.onerror = (event): void => {
      for (const [id, done] of this.waiting) done({ id, error: event.message || 'the worker could not start' });
      this.waiting.clear();
    };
    this.started = this.start();
  }

  private async start(): Promise<void> {
    const wasm = await bytesOfElement('halo-core');
    if (!wasm) throw new CoreError('this page was built without its core');
    await this.call({ op: 'start', wasm }, [wasm]);
  }

  private call(body: Body<ToWorker>, transfer: Transferable[] = []): Promise<FromWorker> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (reply) => (reply.error ? reject(new CoreError(reply.error)) : resolve(reply)));
      this.worker.postMessage({ id, ...body }, transfer);
    });
  }

  async open(name: string, bytes: ArrayBuffer): Promise<number> {
    await this.started;
    return (await this.call({ op: 'open', name, bytes }, [bytes])).document!;
  }

  async close(document: number): Promise<void> {
    await this.call({ op: 'close', document });
  }

  async ask<T>(document: number, request: Request): Promise<T> {
    await this.started;
    const reply = await this.call({ op: 'ask', document, request: JSON.stringify(request) });
    return checked<T>(reply.block!);
  }
}

/** Sends requests to `halo view`. A document is the position of a program in the manifest. */
export class ServedCore implements Core {
  async open(): Promise<number> {
    throw new CoreError('files are opened by the command that serves this page');
  }

  async close(): Promise<void> {
    return;
  }

  async ask<T>(document: number, request: Request): Promise<T> {
    const against = typeof request.against === 'number' ? `&against=${request.against}` : '';
    const reply = await fetch(`ask?program=${document}${against}`, { method: 'POST', body: JSON.stringify(request) });
    if (!reply.ok) throw new CoreError((await reply.text()) || `the server replied with status ${reply.status}`);
    return checked<T>(await reply.arrayBuffer());
  }

  /** Whether the server handles requests itself. */
  static async answers(): Promise<boolean> {
    const reply = await fetch('ask?program=0', { method: 'POST', body: '{"ask":"overview"}' }).catch(() => undefined);
    return reply !== undefined && reply.status !== 501 && reply.status !== 404;
  }
}
