// Decodes a result block of the core (viewer/protocol.md): JSON followed by typed arrays for its large parts. Checks
// every bound, because a result may come over the network. String columns stay bytes until a string is read.

export type NumberArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

const kinds = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

/** Many strings in one byte array; each is decoded on access. */
export class Strings {
  private static readonly decoder = new TextDecoder();
  private readonly bytes: Uint8Array;
  private readonly ends: Uint32Array;

  constructor(bytes: Uint8Array, ends: Uint32Array) {
    this.bytes = bytes;
    this.ends = ends;
  }

  get length(): number {
    return this.ends.length;
  }

  /** Returns the string at `index`. Decodes at most `limit` bytes of it. */
  at(index: number, limit = Infinity): string {
    const begin = index === 0 ? 0 : this.ends[index - 1];
    const end = this.ends[index];
    if (end - begin <= limit) return Strings.decoder.decode(this.bytes.subarray(begin, end));
    return Strings.decoder.decode(this.bytes.subarray(begin, begin + limit)) + '…';
  }

  *[Symbol.iterator](): Iterator<string> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  static of(list: readonly string[]): Strings {
    const encoder = new TextEncoder();
    const parts = list.map((text) => encoder.encode(text));
    const ends = new Uint32Array(parts.length);
    let total = 0;
    parts.forEach((part, i) => (ends[i] = total += part.length));
    const bytes = new Uint8Array(total);
    parts.forEach((part, i) => bytes.set(part, i === 0 ? 0 : ends[i - 1]));
    return new Strings(bytes, ends);
  }
}

export class ResponseError extends Error {}

interface ArrayMark {
  $array: keyof typeof kinds;
  at: number;
  count: number;
}

/** Returns the result as plain values, typed arrays (views of `block`) and Strings. Throws ResponseError. */
export function decodeResponse(block: ArrayBuffer): unknown {
  if (block.byteLength < 8) throw new ResponseError('the result is shorter than its header');
  const head = new DataView(block);
  const total = head.getUint32(0, true);
  const jsonBytes = head.getUint32(4, true);
  if (total > block.byteLength || 8 + jsonBytes > total) throw new ResponseError('the result is truncated');
  const json = new TextDecoder().decode(new Uint8Array(block, 8, jsonBytes));
  const start = (8 + jsonBytes + 7) & ~7;

  const array = (mark: ArrayMark): NumberArray => {
    const kind = kinds[mark.$array];
    if (!kind) throw new ResponseError(`unknown kind of array: ${String(mark.$array)}`);
    const at = start + mark.at;
    const bytes = mark.count * kind.BYTES_PER_ELEMENT;
    if (!(mark.at >= 0) || !(mark.count >= 0) || at + bytes > total) throw new ResponseError('an array is outside the result');
    if (at % kind.BYTES_PER_ELEMENT === 0) return new kind(block, at, mark.count);
    return new kind(block.slice(at, at + bytes));
  };

  try {
    return JSON.parse(json, (_key, value: unknown) => {
      if (typeof value !== 'object' || value === null) return value;
      if ('$array' in value) return array(value as ArrayMark);
      if ('$strings' in value) {
        const { bytes, ends } = value.$strings as { bytes: Uint8Array; ends: Uint32Array };
        if (!(bytes instanceof Uint8Array) || !(ends instanceof Uint32Array)) throw new ResponseError('strings without bytes');
        let last = 0;
        for (const end of ends) {
          if (end < last || end > bytes.length) throw new ResponseError('a string is outside its bytes');
          last = end;
        }
        return new Strings(bytes, ends);
      }
      return value;
    });
  } catch (error) {
    if (error instanceof ResponseError) throw error;
    throw new ResponseError(`the result is not JSON: ${(error as Error).message}`);
  }
}
